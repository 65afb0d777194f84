// Commands of a client about its own connection: PING and ECHO, SELECT, and QUIT. The selected
// database is part of the session.

import { keyspacesMax } from '../../../base/limits/key-value.js'
import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok, simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { onlyOnConnections } from '../../../bus/keyvalue/row-facts.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'

const shared = { grows: 'nothing', categories: ['connection'], group: 'connection' } as const
/** The Redis version that the replies follow (docs/compatibility.md, "Key-value"). */
export const announcedVersion = '7.0.15'

const ping: KeyValueRow = {
  ...shared,
  name: 'ping',
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  arity: -1,
  flags: ['fast'],
  whileSubscribed: true,
  summary: 'Returns PONG, or its argument.',
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
  summary: 'Returns its argument.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'message',
  grain: 'local',
  run: (call) => call.arg(1),
}

/** A name that CLIENT LIST can show. Throws Redis' error. */
export function requireName(name: string): string {
  if (/^[!-~]*$/.test(name)) return name
  throw refuse('ERR Client names cannot contain spaces, newlines or special characters.')
}

const select: KeyValueRow = {
  ...shared,
  name: 'select',
  arity: 2,
  flags: ['loading', 'stale', 'fast'],
  summary: 'Selects the database for further commands.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'index',
  selects: (call) => {
    const index = call.args.read(1, parseInt64)
    return isDatabase(index) ? index : undefined
  },
  grain: 'local',
  run(call) {
    const { session } = call
    session.place = session.place.space.place(requireDatabase(call, 1))
    return ok
  },
}

function isDatabase(index: number | bigint | undefined): index is number {
  return typeof index === 'number' && index >= 0 && index < keyspacesMax
}

const int32Max = 2 ** 31

/** The number of a database. Throws Redis' error. */
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
  overHttp: onlyOnConnections,
  arity: -1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  access: 'anonymous',
  whileSubscribed: true,
  insideMulti: true,
  summary: 'Closes the connection after the reply.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run(call) {
    call.session.isEnding = true
    return ok
  },
}

export const connectionRows: readonly KeyValueRow[] = [ping, echo, select, quit]
