// Whole databases: their size, flushing, and swapping. A flush takes effect at once for any size;
// the data is deleted in the background.

import { keyspacesMax } from '../../../base/limits/key-value.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { walkKeys } from '../../../engine/keyspace/keys/key-walk.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { Program } from '../../../store/store.js'
import { databaseIndexes } from './info-sections.js'

export const onAllShards = ['request_policy:all_shards', 'response_policy:all_succeeded'] as const

const dbsize: KeyValueRow = {
  name: 'dbsize',
  grows: 'nothing',
  arity: 1,
  flags: ['readonly', 'fast'],
  categories: ['keyspace'],
  summary: 'Returns how many keys the database has; expired ones do not count.',
  since: '1.0.0',
  group: 'server',
  complexity: 'O(1), and O(N) with N keys that have just expired',
  syntax: '',
  tips: ['request_policy:all_shards', 'response_policy:agg_sum'],
  grain: 'read',
  *run(ks) {
    return yield* ks.size()
  },
}

/** ASYNC and SYNC are the same here: clients never wait for the deletion. */
function checkFlush(call: KeyValueCall): void {
  const isKnown = call.is(1, 'async') || call.is(1, 'sync')
  if (call.count > 2 || (call.count === 2 && !isKnown)) throw syntaxError()
}

const flush = {
  grows: 'nothing',
  arity: -1,
  flags: ['write'],
  categories: ['keyspace', 'dangerous'],
  privileges: ['admin'],
  since: '1.0.0',
  group: 'server',
  complexity: 'O(1)',
  syntax: '[ASYNC | SYNC]',
  tips: onAllShards,
} as const

const flushdb: KeyValueRow = {
  ...flush,
  name: 'flushdb',
  roles: ['removes'],
  summary: 'Empties the database.',
  grain: 'write',
  *run(ks, call) {
    checkFlush(call)
    yield* empty(ks)
    return ok
  },
}

const noPrefix = new Uint8Array(0)

const flushall: KeyValueRow = {
  ...flush,
  name: 'flushall',
  roles: ['removes'],
  databases: () => databaseIndexes,
  summary: 'Empties all databases.',
  grain: 'write',
  *run(_ks, call) {
    checkFlush(call)
    for (const index of databaseIndexes) yield* empty(call.keyspace(index))
    return ok
  },
}

/** An empty database keeps its id, because a new id would count as a write. */
function* empty(ks: Keyspace): Program<void> {
  if ((yield* walkKeys(ks, noPrefix, undefined, 1)).seen > 0) yield* ks.empty()
}

const swapdb: KeyValueRow = {
  name: 'swapdb',
  grows: 'nothing',
  roles: ['removes'],
  arity: 3,
  flags: ['write', 'fast'],
  categories: ['keyspace', 'dangerous'],
  privileges: ['admin'],
  databases: (call) => [1, 2].map((position) => databaseAt(call, position)).filter(isDatabase),
  summary: 'Exchanges the contents of two databases.',
  since: '4.0.0',
  group: 'server',
  complexity: 'O(1)',
  syntax: 'index1 index2',
  grain: 'write',
  *run(_ks, call) {
    const first = databaseAt(call, 1)
    if (first === undefined) throw refuse('ERR invalid first DB index')
    const second = databaseAt(call, 2)
    if (second === undefined) throw refuse('ERR invalid second DB index')
    if (!isDatabase(first) || !isDatabase(second)) throw refuse('ERR DB index is out of range')
    if (first !== second) yield* call.keyspace(first).swap(call.keyspace(second))
    return ok
  },
}

const int32Max = 2 ** 31

/** A number within 32 bits; undefined for anything else. */
function databaseAt(call: KeyValueCall, position: number): number | undefined {
  const index = Number(call.args.read(position, parseInt64) ?? Number.NaN)
  return index >= -int32Max && index < int32Max ? index : undefined
}

function isDatabase(index: number | undefined): index is number {
  return index !== undefined && index >= 0 && index < keyspacesMax
}

export const databaseRows: readonly KeyValueRow[] = [dbsize, flushdb, flushall, swapdb]
