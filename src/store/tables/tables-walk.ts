// Walks all pairs of the tables in key order and validates each, for backups and checks. The
// store's own metadata is not included.

import { type Bytes, compareBytes, equalBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { keyClass } from '../layout.js'
import { damageAt, type PageDamage } from '../pages/page-damage.js'
import type { PairReader } from '../pages/pair-reader.js'
import type { Entry } from '../store.js'
import { type Applied, decodeApplied, metaKey } from './lmdb-environment.js'
import { type Damage, damageOf, orderDamage } from './stored-pairs.js'

/** Just above the store's own metadata; no pair has this key. */
export const firstKey: Bytes = Uint8Array.of(keyClass.meta + 1)

/** The tables' own metadata. */
export interface TablesState {
  readonly format: number
  readonly applied: Applied
  readonly pairs: number
}

/** Throws InternalError if the metadata is damaged, and OperationFailed if there is none. */
export function readState(reader: PairReader): TablesState {
  let format: number | undefined
  let applied: Applied = { group: 0, version: 0 }
  let ownPairs = 0
  const refuse = ({ text }: PageDamage) => {
    throw fail('InternalError', text)
  }
  for (const { key, value } of reader.entries(refuse)) {
    if (compareBytes(key, firstKey) >= 0) break
    ownPairs++
    if (equalBytes(key, metaKey('format')) && value.length === 1) format = value[0]
    if (equalBytes(key, metaKey('applied'))) applied = decodeApplied(value)
  }
  if (format === undefined) {
    throw fail('OperationFailed', 'the tables do not say which format they have')
  }
  return { format, applied, pairs: reader.pairs - ownPairs }
}

/** A walk that may pause between two pairs while its state is pinned. */
export class TablesWalk {
  private readonly entries: Iterator<Entry, void>
  private before: Bytes = firstKey
  /** The pair that the last step refused; the next step begins with it. */
  private rest: Entry | undefined
  private done = false
  private damaged: (damage: Damage) => void = () => undefined

  /** `highest` is the highest version that the tables may hold. */
  constructor(
    reader: PairReader,
    private readonly highest: number,
  ) {
    this.entries = reader.entries((damage) => this.damaged(damageAt(damage)), firstKey)
  }

  /**
   * Continues until `take` returns false; that pair begins the next step. Returns false when all
   * pairs were taken. `damaged` is called before the pair is taken, and may throw.
   */
  step(take: (entry: Entry) => boolean, damaged: (damage: Damage) => void): boolean {
    if (this.done) return false
    this.damaged = damaged
    for (let entry = this.rest ?? this.next(); entry !== undefined; entry = this.next()) {
      const { key } = entry
      if (entry !== this.rest) this.peek(entry, damaged)
      if (!take(entry)) {
        this.rest = entry
        return true
      }
      this.before = key
    }
    this.done = true
    return true
  }

  private next(): Entry | undefined {
    const found = this.entries.next()
    return found.done === true ? undefined : found.value
  }

  private peek({ key, value }: Entry, damaged: (damage: Damage) => void): void {
    if (compareBytes(key, this.before) <= 0) damaged(orderDamage(key))
    const damage = damageOf(key, value, this.highest)
    if (damage !== undefined) damaged(damage)
  }
}
