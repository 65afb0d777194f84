// MEMORY USAGE: the approximate bytes of a key in the store. For a large container, some members
// are measured and the rest is extrapolated.

import { syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { keyBytes } from '../../../engine/keyspace/keys/key-bytes.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'
import { helpReply } from '../server/help.js'

const memory: KeyValueRow = {
  name: 'memory',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  summary: 'Lists what keys take.',
  since: '4.0.0',
  group: 'server',
  complexity: 'Depends on the subcommand',
  syntax: '',
  grain: 'container',
}

const usage: KeyValueRow = {
  name: 'memory|usage',
  uses: 'RO',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  categories: [],
  keys: [2, 2, 1],
  summary: 'Returns the approximate size of a key in bytes.',
  since: '4.0.0',
  group: 'server',
  complexity: 'O(N) with N samples',
  syntax: 'key [SAMPLES count]',
  grain: 'read',
  run: usageOf,
}

/** Members measured by default, as in Redis. */
const samplesUsual = 5

function* usageOf(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  let samples = samplesUsual
  for (let i = 3; i < call.count; i += 2) {
    if (!call.is(i, 'samples') || i + 1 === call.count) throw syntaxError()
    samples = call.integer(i + 1)
    if (samples < 0) throw syntaxError()
  }
  const key = yield* ks.key(call.arg(2))
  if (!key.exists) return null
  return yield* keyBytes(ks, key, samples === 0 ? Number.POSITIVE_INFINITY : samples)
}

const help: KeyValueRow = {
  name: 'memory|help',
  grows: 'nothing',
  arity: 2,
  flags: ['loading', 'stale'],
  categories: [],
  summary: 'Lists the subcommands.',
  since: '4.0.0',
  group: 'server',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run: () => helpReply('memory'),
}

export const memoryRows: readonly KeyValueRow[] = [memory, usage, help]
