// Commands on keys of any type. None of them costs more for a large container than for a short
// string.

import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { type Reply, simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { removeString } from '../../../engine/keyspace/strings/plain-strings.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import type { Program } from '../../../store/store.js'

const shared = { grows: 'nothing', categories: ['keyspace'], group: 'generic' } as const
const allShards = ['request_policy:multi_shard', 'response_policy:agg_sum'] as const

/** Keys that a command looks up before it forgets them: nobody is charged for their objects. */
const lookedUpMax = 4_096

function namesAhead(ks: Keyspace, call: KeyValueCall): ReadAhead | undefined {
  return ks.ahead(call.count - 1, (index) => call.arg(1 + index))
}

function* remove(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const ahead = call.count > 2 ? namesAhead(ks, call) : undefined
  let removed = 0
  for (let i = 1; i < call.count; i++) {
    if (ahead !== undefined) yield* ahead.before(i - 1)
    const name = call.arg(i)
    const isGone = removeString(ks, name) ?? (yield* ks.remove(yield* ks.keyAround(name)))
    if (!isGone) continue
    removed++
    ks.notify('g', 'del', name)
  }
  return removed
}

const del: KeyValueRow = {
  ...shared,
  name: 'del',
  uses: 'RM delete',
  isBrief: true,
  arity: -2,
  flags: ['write'],
  keys: [1, -1, 1],
  summary: 'Removes keys; returns how many existed.',
  since: '1.0.0',
  complexity: 'O(1) for each key, whatever it holds',
  syntax: 'key [key ...]',
  tips: allShards,
  grain: 'write',
  run: remove,
}

const unlink: KeyValueRow = {
  ...del,
  name: 'unlink',
  uses: 'RM delete',
  grows: 'nothing',
  flags: ['write', 'fast'],
  summary: 'Removes keys like DEL. Both free large values in the background.',
  since: '4.0.0',
}

function* count(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  let found = 0
  for (let at = 1; at < call.count; at += lookedUpMax) {
    const length = Math.min(lookedUpMax, call.count - at)
    const keys = yield* ks.keys(
      Array.from({ length }, (_, i) => call.arg(at + i)),
      'type',
    )
    for (const { exists } of keys) if (exists) found++
  }
  return found
}

const exists: KeyValueRow = {
  ...shared,
  name: 'exists',
  uses: 'RO',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: [1, -1, 1],
  summary: 'Returns how many of the keys exist. A repeated name counts each time.',
  since: '1.0.0',
  complexity: 'O(1) for each key',
  syntax: 'key [key ...]',
  tips: allShards,
  grain: 'read',
  run: count,
}

const touch: KeyValueRow = {
  ...exists,
  name: 'touch',
  uses: 'RO',
  grows: 'nothing',
  summary: 'Returns how many of the keys exist. The time of use is not stored.',
  since: '3.2.1',
}

const type: KeyValueRow = {
  ...shared,
  name: 'type',
  uses: 'RO',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: [1, 1, 1],
  summary: 'Returns the type of a key.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return simple((yield* ks.keyAround(call.arg(1))).type ?? 'none')
  },
}

export const keyRows: readonly KeyValueRow[] = [del, unlink, exists, touch, type]
