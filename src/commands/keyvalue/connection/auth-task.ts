// Sign-in on the key-value protocol: AUTH, and HELLO with AUTH. The owner of a key may require a
// query to the chain, and pipelined commands wait for it. The reply to a failed login is delayed, a
// little longer each time.

import { Slice } from '../../../base/bytes/slice.js'
import { type GatewayError, toGatewayError } from '../../../base/errors.js'
import { credentialBytesMax } from '../../../base/limits/identity.js'
import { noPassword, refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueSession, RespVersion } from '../../../bus/keyvalue/clients/session.js'
import { map, ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { onlyOnConnections } from '../../../bus/keyvalue/row-facts.js'
import { requireSpaceName } from '../../../bus/spaces/space-choice.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { spaceInUser } from '../../../identity/sign-in/credentials.js'
import { requireWalletKey } from '../../../identity/sign-in/login.js'
import { announcedVersion, requireName } from './connection.js'
import { defaultUser } from './user-name.js'

const shared = { grows: 'nothing', categories: ['connection'], group: 'connection' } as const

interface Login {
  readonly user: string
  readonly key: string
  /** `AUTH <user> <key>`, not `AUTH <key>`. */
  readonly hasName: boolean
}

const auth: KeyValueRow = {
  ...shared,
  name: 'auth',
  arity: -2,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  secretsFrom: 1,
  summary: "Signs in with the operator's key or a wallet's.",
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '[username] password',
  grain: 'task',
  async run(call) {
    if (call.count > 3) throw syntaxError()
    const hasName = call.count === 3
    const user = hasName ? keyAt(call, 1) : defaultUser
    await signIn(call, { user, key: keyAt(call, hasName ? 2 : 1), hasName })
    return ok
  },
}

const hello: KeyValueRow = {
  ...shared,
  name: 'hello',
  overHttp: onlyOnConnections,
  arity: -1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  secretsFrom: 2,
  summary: 'Returns server data, and may sign in and select the protocol version.',
  since: '6.0.0',
  complexity: 'O(1)',
  syntax: '[protover [AUTH username password] [SETNAME clientname]]',
  grain: 'task',
  async run(call) {
    const { session } = call
    const version = call.count > 1 ? versionOf(call) : session.respVersion
    const { login, name } = readGreeting(call)
    const given = name > 0 ? call.text(name) : session.name
    if (login > 0) {
      const [user, key] = [keyAt(call, login), keyAt(call, login + 1)]
      await signIn(call, { user, key, hasName: true })
    } else if (session.isAnonymous) throw refuse(unauthenticatedHello, 'Unauthorized')
    session.name = requireName(given)
    session.respVersion = version
    return greeting(session)
  },
}

const unauthenticatedHello =
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH ' +
  '<user> <pass> option can be used to authenticate the client and select the RESP protocol ' +
  'version at the same time'

function versionOf(call: KeyValueCall): RespVersion {
  const version = call.args.read(1, parseInt64)
  if (version === undefined) {
    throw refuse('ERR Protocol version is not an integer or out of range')
  }
  if (version !== 2 && version !== 3) throw refuse('NOPROTO unsupported protocol version')
  return version
}

/** Indexes of the user and of the name; 0 if absent. */
function readGreeting(call: KeyValueCall): { login: number; name: number } {
  let login = 0
  let name = 0
  for (let i = 2; i < call.count; i++) {
    const left = call.count - 1 - i
    if (call.is(i, 'auth') && left >= 2) {
      login = i + 1
      i += 2
    } else if (call.is(i, 'setname') && left >= 1) {
      name = ++i
    } else throw refuse(`ERR Syntax error in HELLO option '${call.text(i)}'`)
  }
  return { login, name }
}

/** A user's name or a key. An overlong word is cut, but stays too long to match. */
function keyAt(call: KeyValueCall, index: number): string {
  const { bytes, start, end } = call.arg(index)
  return new Slice(bytes, start, Math.min(end, start + credentialBytesMax)).text()
}

/**
 * Gives the session the identity of the key: of any wallet for `default`, else of the named user.
 */
async function signIn(call: KeyValueCall, { user: given, key, hasName }: Login): Promise<void> {
  const { session, services } = call
  const { user, database } = spaceInUser(given)
  // An invalid space name and a wrong key have different errors; neither reveals which users exist.
  if (database !== undefined) requireSpace(database)
  const { authOff, credentials } = services
  if (authOff) {
    if (user === defaultUser && hasName) {
      services.sessions.become(session, session.identity, database)
      return
    }
    if (!hasName) throw noPassword()
  }
  const { address } = session
  const isAnyone = user === defaultUser
  const isSpent = requireWalletKey(credentials.guesses, address, key)
  const identity = await (isAnyone
    ? credentials.identify(key, isSpent)
    : credentials.identityOf(user, key, isSpent, [database ?? services.mainDatabase]))
  if (identity === undefined) {
    session.authFailures++
    credentials.guesses?.failed(address)
    await credentials.delay?.failed(address, user)
    throw wrongPassword()
  }
  credentials.delay?.succeeded(address, user)
  services.sessions.become(session, identity, database)
}

function requireSpace(database: string): void {
  try {
    requireSpaceName(database)
  } catch (thrown) {
    throw refuse(`ERR ${toGatewayError(thrown).message}`, 'InvalidNamespace')
  }
}

function wrongPassword(): GatewayError {
  return refuse(
    'WRONGPASS invalid username-password pair or user is disabled.',
    'AuthenticationFailed',
  )
}

function greeting({ id, respVersion }: KeyValueSession): Reply {
  return map([
    ...['server', 'redis', 'version', announcedVersion],
    ...['proto', respVersion, 'id', id],
    ...['mode', 'standalone', 'role', 'master'],
    ...['modules', []],
  ])
}

export const authRows: readonly KeyValueRow[] = [auth, hello]
