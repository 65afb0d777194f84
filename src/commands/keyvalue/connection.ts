// What a client says about its own connection: who it is, which version it speaks, which database
// it works on, and that it goes.

import { keyspacesMax } from '../../base/limits.js'
import { refuse, syntaxError } from '../../base/reply-error.js'
import type { KeyValueCall } from '../../bus/keyvalue/call.js'
import { map, ok, type Reply, simple } from '../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../bus/keyvalue/row.js'
import type { KeyValueSession, RespVersion } from '../../bus/keyvalue/session.js'
import { parseInt64 } from '../../engine/keyspace/numbers.js'
import { operatorName } from '../../identity/operator.js'

const shared = { categories: ['connection'], group: 'connection' } as const
/** What our answers are like (DESIGN.md, key-value databases). */
export const announcedVersion = '7.0.15'

const ping: KeyValueRow = {
  ...shared,
  name: 'ping',
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  arity: -1,
  flags: ['fast'],
  whileSubscribed: true,
  summary: 'Answers PONG, or what it is given.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '[message]',
  grain: 'local',
  run(call) {
    if (call.count > 2) throw refuse("ERR wrong number of arguments for 'ping' command")
    const message = call.count === 2 ? call.arg(1) : ''
    if (call.session.isSubscriber) return ['pong', message]
    return call.count === 2 ? message : simple('PONG')
  },
}

const echo: KeyValueRow = {
  ...shared,
  name: 'echo',
  arity: 2,
  flags: ['loading', 'stale', 'fast'],
  summary: 'Answers what it is given.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'message',
  grain: 'local',
  run: (call) => call.arg(1),
}

const auth: KeyValueRow = {
  ...shared,
  name: 'auth',
  arity: -2,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  secretsFrom: 1,
  summary: "Signs in with the operator's key.",
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '[username] password',
  grain: 'local',
  run(call) {
    if (call.count > 3) throw syntaxError()
    const hasName = call.count === 3
    signIn(call, hasName ? call.text(1) : defaultUser, call.text(hasName ? 2 : 1), hasName)
    return ok
  },
}

/** Whom `AUTH <key>` means. */
const defaultUser = 'default'

function signIn(call: KeyValueCall, user: string, key: string, hasName: boolean): void {
  const { session, bus } = call
  const { authOff, credentials } = bus.services
  if (authOff) {
    if (user === defaultUser && hasName) return
    if (!hasName) {
      throw refuse(
        'ERR AUTH <password> called without any password configured for the default user. ' +
          'Are you sure your configuration is correct?',
      )
    }
  }
  const account = user === defaultUser ? operatorName : user
  const identity = credentials.identityOf(account, key)
  if (identity === undefined) {
    session.authFailures++
    throw refuse(
      'WRONGPASS invalid username-password pair or user is disabled.',
      'AuthenticationFailed',
    )
  }
  session.identity = identity
}

const hello: KeyValueRow = {
  ...shared,
  name: 'hello',
  arity: -1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  secretsFrom: 2,
  summary: 'Greets, signs in and chooses the version of the protocol.',
  since: '6.0.0',
  complexity: 'O(1)',
  syntax: '[protover [AUTH username password] [SETNAME clientname]]',
  grain: 'local',
  run(call) {
    const { session } = call
    const version = call.count > 1 ? versionOf(call) : session.respVersion
    const { login, name } = readGreeting(call)
    if (login > 0) signIn(call, call.text(login), call.text(login + 1), true)
    else if (session.isAnonymous) throw refuse(unauthenticatedHello, 'Unauthorized')
    if (name > 0) session.name = requireName(call.text(name))
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

/** Indexes of the user and of the name; 0 where there is none. */
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

/** A name that CLIENT LIST can show. Throws what the peer answers. */
export function requireName(name: string): string {
  if (/^[!-~]*$/.test(name)) return name
  throw refuse('ERR Client names cannot contain spaces, newlines or special characters.')
}

function greeting({ id, respVersion }: KeyValueSession): Reply {
  return map([
    ...['server', 'redis', 'version', announcedVersion],
    ...['proto', respVersion, 'id', id],
    ...['mode', 'standalone', 'role', 'master'],
    ...['modules', []],
  ])
}

const select: KeyValueRow = {
  ...shared,
  name: 'select',
  arity: 2,
  flags: ['loading', 'stale', 'fast'],
  summary: 'Chooses the database that further commands work on.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'index',
  selects: (call) => {
    const index = call.args.read(1, parseInt64)
    return isDatabase(index) ? index : undefined
  },
  grain: 'local',
  run(call) {
    call.session.database = requireDatabase(call, 1)
    return ok
  },
}

function isDatabase(index: number | bigint | undefined): index is number {
  return typeof index === 'number' && index >= 0 && index < keyspacesMax
}

const int32Max = 2 ** 31

/** The number of a database. Throws what the peer answers. */
export function requireDatabase(call: KeyValueCall, position: number): number {
  const index = call.integer(position)
  if (index >= int32Max || index < -int32Max) {
    throw refuse('ERR value is out of range, value must between -2147483648 and 2147483647')
  }
  if (!isDatabase(index)) throw refuse('ERR DB index is out of range')
  return index
}

const quit: KeyValueRow = {
  ...shared,
  name: 'quit',
  arity: -1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  whileSubscribed: true,
  insideMulti: true,
  summary: 'Closes the connection behind its answer.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run(call) {
    call.session.isEnding = true
    return ok
  },
}

export const connectionRows: readonly KeyValueRow[] = [ping, echo, auth, hello, select, quit]
