// The part of a check that looks at owners' sums: each is what the counters of the owner's
// collections come to, so that a quota is neither passed unseen nor full without data.
// (docs/design/storage.md, "Counts")

import { textOf } from '../../base/bytes.js'
import { backgroundRecordsMax } from '../../base/limits.js'
import { idKey, keyClass } from '../../store/layout.js'
import { decodeCount } from '../../store/programs/counters.js'
import type { Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { listNamespaces } from '../collection/catalog.js'
import { isUsageCounted, ownersId, spaceOf } from '../collection/counters.js'
import { payerOf } from '../collection/descriptors.js'
import { oneState, pagesOf } from './check-steps.js'

export function* checkUsage(): Sweep<string[]> {
  return yield* readPhase(differences, oneState)
}

function* differences(tx: ReadTx): Program<string[]> {
  // A folder of before has its sums from its next start on.
  if (!(yield* isUsageCounted(tx))) return []
  const sums = new Map<string, number>()
  for (const ns of yield* listNamespaces(tx)) {
    const payer = payerOf(ns.access)
    if (payer !== null) sums.set(payer, (sums.get(payer) ?? 0) + (yield* spaceOf(tx, ns)))
  }
  const counted = new Map<string, number>()
  const range = { start: idKey(keyClass.count, ownersId), end: idKey(keyClass.count, ownersId + 1) }
  yield* pagesOf(tx, range, backgroundRecordsMax, function* (entries) {
    for (const { key, value } of entries) counted.set(textOf(key, 5), decodeCount(value).bytes)
    return true
  })
  const texts: string[] = []
  for (const owner of new Set([...sums.keys(), ...counted.keys()])) {
    const [sum, count] = [sums.get(owner) ?? 0, counted.get(owner) ?? 0]
    if (sum !== count) texts.push(`collections of ${owner} have ${sum} bytes, counted as ${count}`)
  }
  return texts
}
