// A tailable cursor: the documents of a capped collection from the oldest on, then new ones as they
// arrive. It has a position, not a snapshot, and ends if writers overtake it. (MongoDB manual,
// Tailable Cursors)

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { scanBytesTarget } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { idKeyEnd, keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { StepSize } from '../background/step-size.js'
import { findAgain } from '../collection/catalog/catalog.js'
import {
  type CappedNamespace,
  lostPlace,
  readHead,
  sequenceKey,
  sequenceOf,
} from '../collection/kinds/capped-order.js'
import { documentOfRecord } from '../collection/records.js'
import { noKey } from '../plan/returned-keys.js'
import { detachedThen } from './detaching.js'
import { HoldingSource } from './holding-source.js'
import type { FindQuery } from './source.js'
import type { Counters } from './walk.js'

export class TailSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  /** Key of the last document read. */
  private place: Bytes | undefined
  /** The collection was empty at the start: as on MongoDB, such a cursor is dead. */
  private isDead = false
  private skipLeft: number
  private limitLeft: number
  private readonly size = new StepSize()

  constructor(
    private readonly ns: CappedNamespace,
    private readonly query: FindQuery,
  ) {
    super()
    this.skipLeft = query.skip ?? 0
    this.limitLeft = query.limit || Number.POSITIVE_INFINITY
  }

  protected get isExhausted(): boolean {
    return this.isDead
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
    const found: Document[] = []
    let bytes = 0
    while (found.length < want && this.limitLeft > 0 && bytes < scanBytesTarget) {
      const before = found.length
      const isEnd = yield* this.step(tx, want, found)
      for (const document of found.slice(before)) bytes += document.length
      if (isEnd) break
    }
    if (this.place === undefined) this.isDead = true
    this.counters.returned += found.length
    return found
  }

  /** Reads the next documents; returns whether there are no more for now. */
  private *step(tx: ReadTx, want: number, found: Document[]): Program<boolean> {
    const { limit } = this.size
    const hits = yield* tx.scan(yield* this.rest(tx), limit)
    let bytes = 0
    for (let i = 0; i < hits.length && found.length < want && this.limitLeft > 0; i++) {
      const { key, value } = hits[i] as (typeof hits)[number]
      const document = yield* documentOfRecord(tx, value)
      this.place = key
      this.counters.docsExamined++
      bytes += document.length
      try {
        this.take(document, found)
      } catch (error) {
        yield* detachedThen(tx, error, () => this.take(document, found))
      }
      if (work.isDue) {
        yield* tx.pause()
        return false
      }
    }
    this.size.saw(hits.length, bytes)
    return hits.length < limit
  }

  private take(document: Document, found: Document[]): void {
    const { filter, projection, returnsKey } = this.query
    if (!filter.matches(document)) return
    if (this.skipLeft > 0) {
      this.skipLeft--
      return
    }
    const shown = projection === undefined ? document : projection.apply(document)
    this.limitLeft--
    found.push(returnsKey === true ? noKey : shown)
  }

  /** The range after its position. Throws QueryPlanKilled, CappedPositionLost. */
  private *rest(tx: ReadTx): Program<KeyRange> {
    const { id, db, name } = this.ns
    const now = yield* findAgain(tx, this.ns)
    if (now?.id !== id) throw fail('QueryPlanKilled', `collection dropped: ${db}.${name}`)
    const end = idKeyEnd(keyClass.record, id)
    const { place } = this
    if (place === undefined) {
      const { first } = yield* readHead(tx, now)
      return { start: sequenceKey(id, first), end }
    }
    if ((yield* tx.get(place)) === undefined) throw lostPlace(place)
    return { start: sequenceKey(id, (sequenceOf(place) ?? 0) + 1), end }
  }
}
