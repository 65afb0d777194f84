// SLOWLOG: shows the slowest commands to the operator. The bus records them
// (bus/keyvalue/slow-log.ts).

import { refuse } from '../../../base/reply-error.js'
import { ok } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { helpRow } from './help.js'

const shared = {
  grows: 'nothing',
  categories: [],
  group: 'server',
  flags: ['admin', 'loading', 'stale'],
  access: 'operator',
} as const

const slowlog: KeyValueRow = {
  name: 'slowlog',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  group: 'server',
  summary: 'What concerns commands that took long.',
  since: '2.2.12',
  complexity: 'That of the subcommand',
  syntax: '',
  grain: 'container',
}

const usualCount = 10

const get: KeyValueRow = {
  ...shared,
  name: 'slowlog|get',
  arity: -2,
  summary: 'Returns the last slow commands.',
  since: '2.2.12',
  complexity: 'O(n) in the number of entries answered',
  syntax: '[count]',
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  grain: 'local',
  run(call) {
    if (call.count > 3) {
      const text = `unknown subcommand or wrong number of arguments for '${call.text(1)}'`
      throw refuse(`ERR ${text}. Try SLOWLOG HELP.`)
    }
    const count = call.count < 3 ? usualCount : call.args.read(2, parseInt64)
    if (count === undefined || count < -1) {
      throw refuse('ERR count should be greater than or equal to -1')
    }
    const { entries } = call.services.slowLog
    const shown = count === -1 ? entries : entries.slice(0, Number(count))
    return shown.map(({ id, at, micros, words, remoteAddress, name }) => [
      id,
      at,
      micros,
      words,
      remoteAddress,
      name,
    ])
  },
}

const len: KeyValueRow = {
  ...shared,
  name: 'slowlog|len',
  arity: 2,
  summary: 'Returns how many slow commands are kept.',
  since: '2.2.12',
  complexity: 'O(1)',
  syntax: '',
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
  grain: 'local',
  run: ({ services }) => services.slowLog.length,
}

const reset: KeyValueRow = {
  ...shared,
  name: 'slowlog|reset',
  isAudited: true,
  arity: 2,
  summary: 'Clears the slow log.',
  since: '2.2.12',
  complexity: 'O(n) in the number of entries',
  syntax: '',
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  grain: 'local',
  run({ services }) {
    services.slowLog.clear()
    return ok
  },
}

const help = helpRow(slowlog, '6.2.0')

export const slowLogRows: readonly KeyValueRow[] = [slowlog, get, len, reset, help]
