// Counts the uses of each index since the process started, for $indexStats. In memory only, because
// it is advice, not data.

import { lastUsed } from '../../base/heap/last-used.js'
import type { Plan } from '../plan/plan.js'
import { PlanChoices } from '../plan/plan-cache.js'
import type { IndexDescriptor, Namespace } from '../types.js'

/** Indexes whose uses are counted for $indexStats. */
const indexUseMax = 10_000

/** Collection scans: reads without an index. */
export interface CollectionScans {
  readonly total: number
  readonly tailable: number
}

const noScans: CollectionScans = { total: 0, tailable: 0 }

/** Where the reads of one call count what they use. */
export interface UseCounter {
  readonly choices: PlanChoices
  /** Counts the indexes that a plan for a collection reads. */
  note(ns: Namespace, plan: Plan): void
  /** Counts a read of one record by its `_id`. */
  noteId(ns: Namespace): void
  /** Counts a cursor that stays at the end of a collection. */
  noteTail(ns: Namespace): void
}

export class IndexUse implements UseCounter {
  /** The best known index for each query shape. */
  readonly choices = new PlanChoices()
  /** By id. Collections and indexes share the numbers; a collection's id stands for `_id_`. */
  private readonly counts = lastUsed<number, { operations: number }>(indexUseMax)

  /** The last used index, which is usually used again. */
  private last: { readonly id: number; readonly uses: { operations: number } } | undefined

  /** By the id of a collection. */
  private readonly scans = lastUsed<number, CollectionScans>(indexUseMax)

  /** `sinceMs`: start of the counts, milliseconds since 1970. */
  constructor(readonly sinceMs: number) {}

  note(ns: Namespace, plan: Plan): void {
    for (const access of plan.accesses) {
      if (access.kind === 'entries') this.count(access.index.id)
      else if (access.kind === 'records' && access.bounds === undefined) this.noteScan(ns, 0)
      else if (access.kind !== 'nothing') this.count(ns.id)
    }
  }

  noteId(ns: Namespace): void {
    this.count(ns.id)
  }

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
