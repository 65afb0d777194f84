// Checks owners' sums: each equals the counters of the owner's collections. A wrong sum would make
// a quota too lax or too strict. (docs/design/storage.md, "Counts")

import { equalBytes, textOf } from '../../base/bytes/bytes.js'
import { backgroundRecordsMax } from '../../base/limits/engine.js'
import { idKey, keyClass, ownersId } from '../../store/layout.js'
import { decodeCount, zeroCount } from '../../store/programs/counters.js'
import type { Count, Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { garbageOf, garbageRange } from '../background/garbage.js'
import { readWaste, wasteMark } from '../background/waste.js'
import { changeBytesKey } from '../changes/change-record.js'
import { eachNamespace } from '../collection/catalog/catalog-walk.js'
import { payerOf } from '../collection/catalog/descriptors.js'
import { countedAs, heldCounted, heldMark } from '../collection/catalog/holdings.js'
import { spaceOf, usageCounted } from '../collection/counters.js'
import { oneState, pagesOf } from './check-steps.js'

export function* checkUsage(): Sweep<string[]> {
  return yield* readPhase(differences, oneState)
}

function* differences(tx: ReadTx): Program<string[]> {
  // A folder of an earlier version gets its sums at its next start.
  const counted = [yield* usageCounted(tx), yield* heldCounted(tx)]
  if (counted.some(({ isDone }) => !isDone)) return []
  const sums = new Map<string, number>()
  const holdings = new Map<string, Count>()
  yield* eachNamespace(tx, function* (ns) {
    const payer = payerOf(ns.access)
    if (payer === null) return
    sums.set(payer, (sums.get(payer) ?? 0) + (yield* spaceOf(tx, ns)))
    const { documents, bytes } = holdings.get(payer) ?? zeroCount
    const held = countedAs(ns.name)
    holdings.set(payer, {
      documents: documents + (held === 'collections' ? 1 : 0),
      bytes: bytes + (held === 'graphs' ? 1 : 0),
    })
  })
  const summed = new Map<string, number>()
  const held = new Map<string, Count>()
  const wasted = new Map<string, number>()
  const range = { start: idKey(keyClass.count, ownersId), end: idKey(keyClass.count, ownersId + 1) }
  yield* pagesOf(tx, range, backgroundRecordsMax, function* (entries) {
    for (const { key, value } of entries) {
      // The size of the change log has no owner.
      if (equalBytes(key, changeBytesKey)) continue
      const count = decodeCount(value)
      if (key[5] === heldMark) held.set(textOf(key, 6), count)
      else if (key[5] === wasteMark) wasted.set(textOf(key, 6), count.bytes)
      else summed.set(textOf(key, 5), count.bytes)
    }
    return true
  })
  const texts: string[] = []
  const garbage = yield* wasteListed(tx)
  for (const owner of new Set([...garbage.keys(), ...wasted.keys()])) {
    const [has, count] = [garbage.get(owner) ?? 0, wasted.get(owner) ?? 0]
    if (has !== count) texts.push(`${owner} has ${has} bytes to delete, counted as ${count}`)
  }
  for (const owner of new Set([...sums.keys(), ...summed.keys()])) {
    const [sum, count] = [sums.get(owner) ?? 0, summed.get(owner) ?? 0]
    if (sum !== count) texts.push(`collections of ${owner} have ${sum} bytes, counted as ${count}`)
  }
  for (const owner of new Set([...holdings.keys(), ...held.keys()])) {
    const [has, count] = [holdings.get(owner) ?? zeroCount, held.get(owner) ?? zeroCount]
    if (has.documents === count.documents && has.bytes === count.bytes) continue
    const text = `${has.documents} collections and ${has.bytes} graphs`
    texts.push(`${owner} has ${text}, counted as ${count.documents} and ${count.bytes}`)
  }
  return texts
}

/** The waste of each owner, summed from the garbage records. */
function* wasteListed(tx: ReadTx): Program<Map<string, number>> {
  const found = new Map<string, number>()
  yield* pagesOf(tx, garbageRange, backgroundRecordsMax, function* (entries) {
    for (const { key, value } of entries) {
      if (garbageOf(key).what === 'trimmed') continue
      const { owner, bytes } = readWaste(value)
      if (owner !== undefined) found.set(owner, (found.get(owner) ?? 0) + bytes)
    }
    return true
  })
  return found
}
