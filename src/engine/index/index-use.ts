// How often each index has served a query since this process began: what $indexStats tells. In
// memory only, because it is advice and not data.

import { lastUsed } from '../../base/heap/last-used.js'
import type { Plan } from '../plan/plan.js'
import { PlanChoices } from '../plan/plan-cache.js'
import type { IndexDescriptor, Namespace } from '../types.js'

/** Indexes whose uses are counted for $indexStats. */
const indexUseMax = 10_000

/** Reads of a collection from one end on, without an index. */
export interface CollectionScans {
  readonly total: number
  readonly tailable: number
}

const noScans: CollectionScans = { total: 0, tailable: 0 }

export class IndexUse {
  /** Which index has turned out best for which shape of query. */
  readonly choices = new PlanChoices()
  /** By id; collections and indexes share the numbers, and a collection's stands for `_id_`. */
  private readonly counts = lastUsed<number, { operations: number }>(indexUseMax)

  /** Of the index that was used last: it is the same one again, as a rule. */
  private last: { readonly id: number; readonly uses: { operations: number } } | undefined

  /** By the id of a collection. */
  private readonly scans = lastUsed<number, CollectionScans>(indexUseMax)

  /** `sinceMs`: when counting began, milliseconds since 1970. */
  constructor(readonly sinceMs: number) {}

  /** Counts the indexes that a plan for a collection reads. */
  note(ns: Namespace, plan: Plan): void {
    for (const access of plan.accesses) {
      if (access.kind === 'entries') this.count(access.index.id)
      else if (access.kind === 'records' && access.bounds === undefined) this.noteScan(ns, 0)
      else if (access.kind !== 'nothing') this.count(ns.id)
    }
  }

  /** Counts a read of one record by its `_id`. */
  noteId(ns: Namespace): void {
    this.count(ns.id)
  }

  /** Counts a cursor that stays at the end of a collection. */
  noteTail(ns: Namespace): void {
    this.noteScan(ns, 1)
  }

  collectionScans(ns: Namespace | undefined): CollectionScans {
    return (ns === undefined ? undefined : this.scans.get(ns.id)) ?? noScans
  }

  private noteScan({ id }: Namespace, tails: number): void {
    const { total, tailable } = this.scans.get(id) ?? noScans
    this.scans.set(id, { total: total + 1, tailable: tailable + tails })
  }

  /** Uses of an index; of `_id_` for a collection. */
  operations({ id }: IndexDescriptor | Namespace): number {
    return this.counts.get(id)?.operations ?? 0
  }

  private count(id: number): void {
    if (this.last?.id !== id) {
      const uses = this.counts.get(id) ?? { operations: 0 }
      this.counts.set(id, uses)
      this.last = { id, uses }
    }
    this.last.uses.operations++
  }
}
