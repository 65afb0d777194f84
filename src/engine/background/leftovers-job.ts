// What gateways have left behind that are gone: staged values that no record refers to, and
// collections that were to replace others. A gateway alone owns all that it finds at its start; one
// of several takes over only what belongs to those that are gone. (docs/design/many-gateways.md,
// "Starts")

import { type Bytes, concatBytes, textOf } from '../../base/bytes/bytes.js'
import { scanEntriesMax, sweepDocumentsMax } from '../../base/limits/engine.js'
import type { Entry, Gateways, Program, ProgramRunner, ReadTx, Tx } from '../../store/store.js'
import { type CatalogName, makerOf, unfinishedNames } from '../collection/catalog/catalog-index.js'
import { replacementPrefix } from '../collection/catalog/holdings.js'
import { dropUnfinished } from '../collection/replacement.js'
import { discardMembers, discardValue, garbageOf, stagingRange } from './garbage.js'

/** Makes the staged values of a gateway that was alone garbage. Returns how many there were. */
export function* adoptStaged(tx: Tx): Program<number> {
  const staged = yield* tx.scan(stagingRange, sweepDocumentsMax)
  for (const { key } of staged) adopt(tx, key)
  return staged.length
}

/** Takes over from the gateways that are gone, by programs of the job that has the lease. */
export async function takeOver(runner: ProgramRunner, gateways: Gateways): Promise<void> {
  const isLeft = gonePredicate(gateways)
  let left: Entry[] = []
  for (const entry of await runner.read(allStaged)) {
    if (!(await isLeft(textOf(entry.value)))) continue
    left.push(entry)
    if (left.length < sweepDocumentsMax) continue
    const some = left
    left = []
    await runner.write((tx) => adoptThese(tx, some))
  }
  const rest = left
  if (rest.length > 0) await runner.write((tx) => adoptThese(tx, rest))
  for (const { maker, ...named } of await runner.read(replacements)) {
    if (await isLeft(maker)) await runner.write((tx) => dropUnfinished(tx, named))
  }
}

/** What names no gateway was made by one that was alone. */
function gonePredicate(gateways: Gateways): (gateway: string | undefined) => Promise<boolean> {
  const known = new Map<string, boolean>()
  return async (gateway) => {
    if (gateway === undefined) return true
    if (gateway === gateways.self) return false
    const isGone = known.get(gateway) ?? (await gateways.isGone(gateway))
    known.set(gateway, isGone)
    return isGone
  }
}

function* allStaged(tx: ReadTx): Program<Entry[]> {
  const found: Entry[] = []
  for (let { start } = stagingRange; ; ) {
    const page = yield* tx.scan({ start, end: stagingRange.end }, scanEntriesMax)
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < scanEntriesMax) return found
    start = concatBytes(last.key, Uint8Array.of(0))
  }
}

/** Some may be in use by now: what a gateway commits before it is gone counts. */
function* adoptThese(tx: Tx, staged: readonly Entry[]): Program<void> {
  const marks = yield* tx.getMany(staged.map(({ key }) => key))
  for (const [index, { key }] of staged.entries()) if (marks[index] !== undefined) adopt(tx, key)
}

function adopt(tx: Tx, key: Bytes): void {
  const left = garbageOf(key)
  tx.remove(key)
  if (left.what === 'value') discardValue(tx, left.value)
  else if (left.what === 'members') discardMembers(tx, left.members)
}

function* replacements(
  tx: ReadTx,
): Program<(CatalogName & { readonly maker: string | undefined })[]> {
  const found = []
  for (const named of yield* unfinishedNames(tx)) {
    if (!named.name.startsWith(replacementPrefix)) continue
    found.push({ ...named, maker: yield* makerOf(tx, named) })
  }
  return found
}
