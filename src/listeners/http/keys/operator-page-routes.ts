// The operator's sessions of the page over HTTP: a one-time code is made with the key, exchanged
// for a token by the page, and unlocks changes. (docs/sign-in.md, "The operator")

import { fail } from '../../../base/errors.js'
import { signInBodyBytesMax } from '../../../base/limits/identity.js'
import type { Audit } from '../../../identity/audit.js'
import { type Identity, type OperatorPage, operator } from '../../../identity/identity.js'
import type { KeyGuesses } from '../../../identity/keys/key-guesses.js'
import type {
  OperatorSession,
  OperatorSessions,
} from '../../../identity/sign-in/operator-sessions.js'
import { stringOf } from '../../../value/value.js'
import type { HttpAnswer, RawCall, ReplyRoute } from '../core/route.js'

const base = '/api/v1/studio'

interface OperatorPageOptions {
  readonly sessions: OperatorSessions
  /** Constant time. */
  readonly isOperatorKey: (key: string) => boolean
  readonly guesses: KeyGuesses
  readonly audit: Audit
}

const small = { bodyBytesMax: signInBodyBytesMax } as const

export function operatorPageRoutes(options: OperatorPageOptions): readonly ReplyRoute[] {
  return [
    codeRoute(options),
    startRoute(options),
    unlockRoute(options),
    lockRoute(options),
    endRoute(options),
    listRoute(options),
    revokeRoute(options),
  ]
}

/** Only with the key itself, so that no session can prolong itself. */
function codeRoute({ sessions, audit }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/code`,
    access: 'operator',
    ...small,
    fields: {},
    reply: async (call) => {
      if (pageOf(call.session.identity) !== undefined) {
        throw fail('Unauthorized', "a code is made with the operator's key", { reason: 'operator' })
      }
      const { code, expires } = await sessions.makeCode()
      await record(audit, call, 'studioCode')
      return answer({ code, expiresAt: timeOf(expires) })
    },
  }
}

function startRoute({ sessions, audit }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/session`,
    access: 'none',
    credentials: 'none',
    limit: 'verify',
    ...small,
    fields: { code: 'string!' },
    reply: async (call) => {
      // Every page sends it with a POST, and only this server's own page may have the token.
      if (call.incoming.headers.origin === undefined) {
        throw fail('Unauthorized', 'a page starts a session: header Origin', { reason: 'origin' })
      }
      const { remoteAddress } = call.session
      const { token, session } = await sessions.start(textOf(call, 'code'), remoteAddress)
      await record(audit, call, 'studioSignIn')
      return answer({ token, id: session.id, expiresAt: timeOf(session.expires) })
    },
  }
}

function unlockRoute({ sessions, audit, isOperatorKey, guesses }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/unlock`,
    access: 'key',
    limit: 'verify',
    ...small,
    fields: { code: 'string', key: 'string' },
    reply: async (call) => {
      const { id } = requirePage(call)
      const { remoteAddress } = call.session
      if (call.fields.has('code') === call.fields.has('key')) {
        throw fail('BadValue', "either field 'code' or field 'key' is required")
      }
      let until: number
      if (call.fields.has('code')) {
        until = await sessions.unlockWith(textOf(call, 'code'), id, remoteAddress)
      } else {
        if (guesses.isSpent(remoteAddress)) throw guesses.refusal(remoteAddress)
        if (!isOperatorKey(textOf(call, 'key'))) {
          guesses.failed(remoteAddress)
          throw fail('Unauthorized', "this is not the operator's key", { reason: 'KEY_INVALID' })
        }
        until = await sessions.unlock(id)
      }
      await record(audit, call, 'studioUnlock')
      return answer({ unlockedUntil: timeOf(until) })
    },
  }
}

function lockRoute({ sessions }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/lock`,
    access: 'key',
    ...small,
    fields: {},
    reply: async (call) => {
      await sessions.lock(requirePage(call).id)
      return answer({ unlockedUntil: null })
    },
  }
}

function endRoute({ sessions }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/logout`,
    access: 'key',
    limit: 'logout',
    ...small,
    fields: { everywhere: 'bool' },
    reply: async (call) => {
      const { id } = requirePage(call)
      const everywhere = call.fields.get('everywhere')
      if (everywhere !== undefined && everywhere.bytes[everywhere.start] === 1) {
        await sessions.endAll()
      } else await sessions.end(id)
      return answer({})
    },
  }
}

/** The operator's sessions, for the operator. */
function listRoute({ sessions }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'GET',
    path: `${base}/sessions`,
    access: 'operator',
    reply: async (call) => {
      const own = pageOf(call.session.identity)?.id
      return answer({ sessions: (await sessions.list()).map((one) => shown(one, own)) })
    },
  }
}

/** Also by a locked session: ending access is always allowed. */
function revokeRoute({ sessions }: OperatorPageOptions): ReplyRoute {
  return {
    method: 'POST',
    path: `${base}/sessions/:id/end`,
    access: 'key',
    ...small,
    fields: {},
    reply: async (call) => {
      if (call.session.identity.kind !== 'operator') throw notOperator()
      if (await sessions.end(call.param('id'))) return answer({})
      throw fail('NamespaceNotFound', 'there is no such session', { reason: 'SESSION_NOT_FOUND' })
    },
  }
}

function shown({ id, since, expires, unlockedUntil, from }: OperatorSession, own?: string) {
  return {
    id,
    startedAt: timeOf(since),
    expiresAt: timeOf(expires),
    unlockedUntil: unlockedUntil === undefined ? null : timeOf(unlockedUntil),
    from,
    isOwn: id === own,
  }
}

function pageOf(identity: Identity): OperatorPage | undefined {
  return identity.kind === 'operator' ? identity.page : undefined
}

function requirePage({ session }: RawCall): OperatorPage {
  const page = pageOf(session.identity)
  if (page === undefined) throw fail('Unauthorized', "a session of the operator's page is needed")
  return page
}

function notOperator(): Error {
  return fail('Unauthorized', 'only the operator may do this', { reason: 'operator' })
}

function record(audit: Audit, { session }: RawCall, act: string): Promise<void> {
  const { protocol, remoteAddress } = session
  return audit.record({ act, identity: operator, protocol, remoteAddress })
}

function textOf({ fields }: RawCall, name: string): string {
  const value = fields.get(name)
  return value === undefined ? '' : stringOf(value)
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

function answer(body: Readonly<Record<string, unknown>>): HttpAnswer {
  return { status: 200, body: JSON.stringify({ ...body, ok: 1 }) }
}
