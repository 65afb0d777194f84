// A wallet signs in, reads its identity, and signs out. Only over HTTP: the session is kept in
// browser cookies, and the rate limits of the routes keep the number of nonces small.

import { fail } from '../../base/errors.js'
import { anyValue, optional, strictBool, string, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import type { AnyCall } from '../../bus/document/row.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { type Identity, isLocked, type SessionIdentity } from '../../identity/identity.js'
import { isAdministrator, strictRules } from '../../identity/rights/allow.js'
import type { SignIn } from '../../identity/sign-in/sign-in.js'
import { numberValue, stringValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

const authNonce = documentRow({
  name: 'authNonce',
  ...plain,
  grain: 'task',
  access: 'anonymous',
  secrets: ['session'],
  target: anyValue,
  params: { address: string, session: optional(string), origin: optional(string) },
  help: 'Creates a nonce, and a message with it for a wallet to sign.',
  run: async (call) => {
    const { address, session: cookie, origin } = call.args
    const { nonce, message, session } = await signInOf(call).nonce(address, { cookie, origin })
    return reply((writer) => {
      writer.string('nonce', nonce).string('message', message)
      if (session !== undefined) writer.string('session', session)
    })
  },
})

const authVerify = documentRow({
  name: 'authVerify',
  ...plain,
  grain: 'task',
  access: 'anonymous',
  secrets: ['message', 'signature', 'session'],
  target: anyValue,
  params: { message: string, signature: string, session: optional(string) },
  help: 'Starts a session for the wallet that signed the message.',
  run: async (call) => {
    const { message, signature, session: cookie } = call.args
    const { protocol, remoteAddress } = call.session
    const signed = { message, signature }
    const { address, session, csrf } = await signInOf(call).verify(signed, cookie, {
      protocol,
      remoteAddress,
    })
    return reply((writer) => {
      writer.string('address', address).string('session', session).string('csrf', csrf)
    })
  },
})

const authMe = documentRow({
  name: 'authMe',
  ...plain,
  // A read program, so that the session and its wallet are checked again.
  grain: 'read',
  access: 'session',
  target: anyValue,
  params: {},
  help: 'Returns the signed-in wallet or the operator, its rights, and the space of its keys.',
  run: function* (_tx, call) {
    const { identity } = call.session
    const { spaces, rules, signIn } = call.services
    if (!isSignedIn(identity)) {
      throw fail('Unauthorized', 'a session is needed')
    }
    return reply((writer) => {
      if (identity.kind === 'session') writer.string('address', identity.address)
      else writer.null('address')
      const chainId = identity.kind === 'session' ? identity.chainId : signIn?.chainId
      if (chainId !== undefined) writer.value('chainId', numberValue(chainId))
      if (spaces !== undefined) writer.string('home', spaces.defaultOf(identity))
      writer.bool('operator', identity.kind === 'operator')
      writer.bool('administrator', isAdministrator(identity, rules ?? strictRules, 'admin'))
      // What an unlocked session of the operator may do; until then it reads.
      writer
        .openArray('permissions')
        .push(stringValue(isLocked(identity) ? 'read' : 'all'))
        .close()
      const expires = identity.kind === 'session' ? identity.expires : identity.page?.expires
      const unlockedUntil = identity.kind === 'operator' ? identity.page?.unlockedUntil : undefined
      writeTime(writer, 'expiresAt', expires)
      writeTime(writer, 'unlockedUntil', unlockedUntil)
    })
  },
})

const authLogout = documentRow({
  name: 'authLogout',
  ...plain,
  grain: 'task',
  access: 'anonymous',
  target: anyValue,
  params: { everywhere: withDefault(strictBool, false) },
  help: 'Ends the session, or every session of its wallet. Without a session it does nothing.',
  run: async (call) => {
    const { identity } = call.session
    if (identity.kind === 'session') await signInOf(call).signOut(identity, call.args.everywhere)
    return reply()
  },
})

/** A key is not asked who it is: with it alone, the operator has not signed in. */
function isSignedIn(identity: Identity): identity is SessionIdentity | Operator {
  if (identity.kind === 'operator') return identity.page !== undefined || identity.isOpen === true
  return identity.kind === 'session'
}

type Operator = Extract<Identity, { readonly kind: 'operator' }>

/** Null: there is no such time. */
function writeTime(writer: DocumentWriter, name: string, ms: number | undefined): void {
  if (ms === undefined) writer.null(name)
  else writer.date(name, ms)
}

function signInOf({ session, services }: Pick<AnyCall, 'session' | 'services'>): SignIn {
  if (session.protocol === 'http' && services.signIn !== undefined) return services.signIn
  throw fail('CommandNotSupported', 'wallets sign in over HTTP: POST /api/v1/auth/nonce')
}

export const signInRows = [authNonce, authVerify, authMe, authLogout]
