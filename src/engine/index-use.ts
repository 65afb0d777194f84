// How often each index has served a query since this process began: what $indexStats tells. In
// memory only, because it is advice and not data.

import { LRUCache } from 'lru-cache'
import { indexUseMax } from '../base/limits.js'
import type { Plan } from './plan.js'
import type { IndexDescriptor } from './types.js'

export class IndexUse {
  private readonly counts = new LRUCache<number, number>({ max: indexUseMax })

  /** `sinceMs`: when counting began, milliseconds since 1970. */
  constructor(readonly sinceMs: number) {}

  /** Counts the indexes that a plan reads. */
  note(plan: Plan): void {
    for (const access of plan.accesses) {
      if (access.kind !== 'entries') continue
      this.counts.set(access.index.id, (this.counts.get(access.index.id) ?? 0) + 1)
    }
  }

  operations(index: IndexDescriptor): number {
    return this.counts.get(index.id) ?? 0
  }
}
