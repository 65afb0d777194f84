// How often each index has served a query since this process began: what $indexStats tells. In
// memory only, because it is advice and not data.

import { LRUCache } from 'lru-cache'
import { indexUseMax } from '../base/limits.js'
import type { Plan } from './plan.js'
import { PlanChoices } from './plan-cache.js'
import type { IndexDescriptor, Namespace } from './types.js'

export class IndexUse {
  /** Which index has turned out best for which shape of query. */
  readonly choices = new PlanChoices()
  /** By id; collections and indexes share the numbers, and a collection's stands for `_id_`. */
  private readonly counts = new LRUCache<number, { operations: number }>({ max: indexUseMax })

  /** `sinceMs`: when counting began, milliseconds since 1970. */
  constructor(readonly sinceMs: number) {}

  /** Counts the indexes that a plan for a collection reads. */
  note(ns: Namespace, plan: Plan): void {
    for (const access of plan.accesses) {
      if (access.kind === 'entries') this.count(access.index.id)
      else if (access.kind !== 'nothing' && access.bounds !== undefined) this.count(ns.id)
    }
  }

  /** Uses of an index; of `_id_` for a collection. */
  operations({ id }: IndexDescriptor | Namespace): number {
    return this.counts.get(id)?.operations ?? 0
  }

  private count(id: number): void {
    const known = this.counts.get(id)
    if (known === undefined) this.counts.set(id, { operations: 1 })
    else known.operations++
  }
}
