// Going through all that the tables hold, in key order, and looking at each pair: what backups and
// checks have in common. The store's own metadata stands for itself and is not walked.

import { type Bytes, compareBytes } from '../../base/bytes.js'
import { fail } from '../../base/errors.js'
import { keyClass } from '../layout.js'
import type { Entry } from '../store.js'
import {
  type Applied,
  type Environment,
  metaKey,
  type ReadTransaction,
  readApplied,
} from './lmdb-environment.js'
import { type Damage, damageOf, orderDamage } from './stored-pairs.js'

/** Above the store's own metadata; nothing lies at it. */
export const firstKey: Bytes = Uint8Array.of(keyClass.meta + 1)

/** What the tables say of themselves. */
export interface TablesState {
  readonly format: number
  readonly applied: Applied
  readonly pairs: number
}

/** Throws InternalError where the metadata is damaged, OperationFailed where there is none. */
export function readState(environment: Environment): TablesState {
  const found = environment.get(metaKey('format'))
  const format = found?.length === 1 ? found[0] : undefined
  if (format === undefined) {
    throw fail('OperationFailed', 'the tables do not say which format they have')
  }
  let ownPairs = 0
  const own = { start: Uint8Array.of(keyClass.meta), end: firstKey }
  for (const _ of environment.getKeys(own)) ownPairs++
  const { entryCount } = environment.getStats() as { readonly entryCount: number }
  return { format, applied: readApplied(environment), pairs: entryCount - ownPairs }
}

/** A walk that may rest between two pairs for as long as its transaction lasts. */
export class TablesWalk {
  private start: Bytes = firstKey
  private before: Bytes = firstKey
  private done = false

  /** `highest` is the highest version that the tables may hold. */
  constructor(
    private readonly environment: Environment,
    private readonly transaction: ReadTransaction,
    private readonly highest: number,
  ) {}

  /**
   * Goes on until `take` answers false: that pair is the first of the next step. False once
   * everything was taken. `damaged` is told before the pair is taken, and may throw. No cursor is
   * open afterwards.
   */
  step(take: (entry: Entry) => boolean, damaged: (damage: Damage) => void): boolean {
    if (this.done) return false
    const range = { start: this.start, transaction: this.transaction }
    for (const entry of this.environment.getRange(range)) {
      const { key } = entry
      if (compareBytes(key, this.before) <= 0) damaged(orderDamage(key))
      const damage = damageOf(key, entry.value, this.highest)
      if (damage !== undefined) damaged(damage)
      if (!take(entry)) {
        this.start = key
        return true
      }
      this.before = key
    }
    this.done = true
    return true
  }
}
