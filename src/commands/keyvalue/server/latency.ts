// LATENCY: Sigil does not monitor latency events, so every query gets the reply of a Redis server
// with monitoring off.

import { refuse } from '../../../base/reply-error.js'
import { map, type Reply, verbatim } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { helpRow } from './help.js'

const special = ['request_policy:all_nodes', 'response_policy:special'] as const

const latency: KeyValueRow = {
  name: 'latency',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  group: 'server',
  summary: 'What concerns events of latency; none are watched.',
  since: '2.8.13',
  complexity: 'That of the subcommand',
  syntax: '',
  grain: 'container',
}

interface Part {
  readonly name: string
  readonly arity: number
  readonly summary: string
  readonly syntax?: string
  readonly since?: string
  readonly tips?: readonly string[]
  readonly run: (event: string) => Reply
}

function row({
  name,
  arity,
  summary,
  syntax = '',
  since = '2.8.13',
  tips,
  run,
}: Part): KeyValueRow {
  return {
    name: `latency|${name}`,
    grows: 'nothing',
    arity,
    summary,
    syntax,
    since,
    flags: ['admin', 'noscript', 'loading', 'stale'],
    categories: [],
    group: 'server',
    complexity: 'O(1)',
    tips: tips ?? ['nondeterministic_output', ...special],
    grain: 'local',
    run: (call) => run(call.count > 2 ? call.text(2) : ''),
  }
}

const doctor =
  "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You " +
  'may use "CONFIG SET latency-monitor-threshold <milliseconds>." in order to enable it. If we ' +
  "weren't in a deep space mission I'd suggest to take a look at " +
  'https://redis.io/topics/latency-monitor.\n'

export const latencyRows: readonly KeyValueRow[] = [
  latency,
  row({ name: 'latest', arity: 2, summary: 'Returns the latest events: none.', run: () => [] }),
  row({
    name: 'history',
    arity: 3,
    syntax: 'event',
    run: () => [],
    summary: 'Returns the samples of an event: none.',
  }),
  row({
    name: 'doctor',
    arity: 2,
    run: () => verbatim(doctor),
    summary: 'Returns that nothing is monitored.',
  }),
  row({
    name: 'graph',
    arity: 3,
    syntax: 'event',
    summary: 'Refuses: there are no samples.',
    run(event) {
      throw refuse(`ERR No samples available for event '${event}'`)
    },
  }),
  row({
    name: 'reset',
    arity: -2,
    syntax: '[event ...]',
    run: () => 0,
    summary: 'Clears the samples of events; returns their number.',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  }),
  row({
    name: 'histogram',
    arity: -2,
    syntax: '[command ...]',
    since: '7.0.0',
    summary: 'Returns an empty histogram: nothing is recorded.',
    run: () => map([]),
  }),
  helpRow(latency, '2.8.13'),
]
