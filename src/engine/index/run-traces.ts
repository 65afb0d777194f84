// What a read leaves behind that can run again, as on a store far away: uses of indexes, which
// count for the run that answers only, and a cursor, which ends with a run that is dropped.

import type { Plan } from '../plan/plan.js'
import type { PlanChoices } from '../plan/plan-cache.js'
import type { Namespace } from '../types.js'
import type { IndexUse, UseCounter } from './index-use.js'

/** One use: by a plan, of the index on `_id`, or by a cursor at the end. */
interface Use {
  readonly ns: Namespace
  readonly by: Plan | '_id' | 'tail'
}

export class RunTraces implements UseCounter {
  /** Uses of a run that may be dropped; undefined while uses count at once. */
  private pending: Use[] | undefined
  private closeCursor: (() => void) | undefined

  constructor(private readonly uses: IndexUse) {}

  get choices(): PlanChoices {
    return this.uses.choices
  }

  /** Drops what the run before has left. */
  begin(): void {
    this.pending = []
    const { closeCursor } = this
    this.closeCursor = undefined
    closeCursor?.()
  }

  /** The run has opened a cursor. */
  opened(close: () => void): void {
    this.closeCursor = close
  }

  /** The last run has answered: its uses count, and later ones at once; its cursor stays. */
  settle(): void {
    const { pending } = this
    this.pending = undefined
    this.closeCursor = undefined
    if (pending !== undefined) for (const { ns, by } of pending) this.count(ns, by)
  }

  note(ns: Namespace, plan: Plan): void {
    this.add(ns, plan)
  }

  noteId(ns: Namespace): void {
    this.add(ns, '_id')
  }

  noteTail(ns: Namespace): void {
    this.add(ns, 'tail')
  }

  private add(ns: Namespace, by: Use['by']): void {
    if (this.pending === undefined) this.count(ns, by)
    else this.pending.push({ ns, by })
  }

  private count(ns: Namespace, by: Use['by']): void {
    if (by === '_id') this.uses.noteId(ns)
    else if (by === 'tail') this.uses.noteTail(ns)
    else this.uses.note(ns, by)
  }
}
