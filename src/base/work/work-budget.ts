// The work budget: every loop over values spends from it. The process runs one thing at a time, so
// one count serves all. A stretch is work without a pause: a turn of a read program, a write
// program, or the parsing of a request. The budget tells a stretch when to pause, and refuses one
// that cannot. (docs/design/transactions.md, rule 1)

import { fail } from '../errors.js'

/** The bounds of an interrupted stretch. */
interface Stretch {
  readonly spent: number
  readonly startedAt: number
  readonly dueAt: number
  readonly refuseAt: number
  readonly apart: number
}

export class WorkBudget {
  /** Units since the process started; work-figures.ts defines a unit. */
  spent = 0
  /** The most units of one stretch since `resetLongest`, for the tests. */
  longest = 0
  private startedAt = 0
  private dueAt = Number.POSITIVE_INFINITY
  private refuseAt = Number.POSITIVE_INFINITY
  /** Units that this stretch gives to work that a thread can do instead. */
  private apart = Number.POSITIVE_INFINITY
  /**
   * Set in a thread without other waiting work. Returns the further units for a stretch at its
   * bound, or throws.
   */
  granting: (() => number) | undefined

  /** Tells a loop to pause, or to end its batch, now. */
  get isDue(): boolean {
    return this.spent >= this.dueAt
  }

  /**
   * Counts units; throws MaxTimeMSExpired if the stretch cannot pause and has exceeded its bound.
   */
  spend(units: number): void {
    if (this.spent + units > this.refuseAt) this.goFurther(units)
    this.spent += units
  }

  private goFurther(units: number): void {
    if (this.granting === undefined) throw tooMuch()
    this.refuseAt = this.spent + units + this.granting()
  }

  /** Whether `spend` would accept this many units. */
  allows(units: number): boolean {
    return this.granting !== undefined || this.spent + units <= this.refuseAt
  }

  /** Counts units of bounded work that must not fail, such as a read of the store. */
  note(units: number): void {
    this.spent += units
  }

  /** Runs `act` as a separate stretch: work before a command, which cannot pause. */
  within<T>(units: number, act: () => T): T {
    const interrupted = this.interrupt()
    this.begin(0, units)
    try {
      return act()
    } finally {
      this.resume(interrupted)
    }
  }

  /**
   * Runs work that must succeed at any cost, such as a delete. It makes a loop due, never refused.
   */
  unrefused<T>(act: () => T): T {
    const { refuseAt, spent } = this
    this.refuseAt = Number.POSITIVE_INFINITY
    try {
      return act()
    } finally {
      this.refuseAt = refuseAt + (this.spent - spent)
    }
  }

  /**
   * Runs work that may be postponed, with half of the units that the stretch has left. Throws as
   * `spend` does when they are used up; the stretch continues with the other half.
   */
  tentatively<T>(act: () => T): T {
    const { refuseAt, spent } = this
    if (refuseAt === Number.POSITIVE_INFINITY || this.granting !== undefined) return act()
    this.refuseAt = spent + (refuseAt - spent) / 2
    try {
      return act()
    } finally {
      this.refuseAt = refuseAt
    }
  }

  /**
   * Starts work that a thread can do instead, in a stretch that can wait for it: it is refused
   * sooner. Returns the bound for `joined`.
   */
  setApart(): number {
    const { refuseAt } = this
    this.refuseAt = Math.min(refuseAt, this.spent + this.apart)
    return refuseAt
  }

  /** Ends such work. */
  joined(refuseAt: number): void {
    this.refuseAt = refuseAt
  }

  /**
   * Starts a stretch: due after `due` units, refused `beyond` units later; `apart` is the bound of
   * work that a thread can do instead.
   */
  begin(due: number, beyond: number, apart = Number.POSITIVE_INFINITY): void {
    this.startedAt = this.spent
    this.dueAt = this.spent + due
    this.refuseAt = this.dueAt + beyond
    this.apart = apart
  }

  /** Ends the stretch: until the next one, nothing is due or refused. */
  end(): void {
    const units = this.spent - this.startedAt
    if (units > this.longest) this.longest = units
    this.startedAt = this.spent
    this.dueAt = Number.POSITIVE_INFINITY
    this.refuseAt = Number.POSITIVE_INFINITY
    this.apart = Number.POSITIVE_INFINITY
  }

  /**
   * Returns the current stretch for `resume`: a program may run during a request. Undefined if
   * there is none, which is usual and costs nothing.
   */
  interrupt(): Stretch | undefined {
    if (this.refuseAt === Number.POSITIVE_INFINITY) return undefined
    const { spent, startedAt, dueAt, refuseAt, apart } = this
    return { spent, startedAt, dueAt, refuseAt, apart }
  }

  /** Continues an interrupted stretch; the work in between does not count for it. */
  resume(interrupted: Stretch | undefined): void {
    this.end()
    if (interrupted === undefined) return
    const { spent, startedAt, dueAt, refuseAt, apart } = interrupted
    const between = this.spent - spent
    this.startedAt = startedAt + between
    this.dueAt = dueAt + between
    this.refuseAt = refuseAt + between
    this.apart = apart
  }

  resetLongest(): void {
    this.longest = 0
  }
}

/** The budget of this process. */
export const work = new WorkBudget()

const refusals = new WeakSet<Error>()

/**
 * Whether the budget threw this error. The changes of its program are rolled back; a smaller batch
 * may succeed.
 */
export function isTooMuchWork(error: unknown): boolean {
  return error instanceof Error && refusals.has(error)
}

function tooMuch(): Error {
  const error = fail(
    'MaxTimeMSExpired',
    'operation exceeded time limit: too much work for one document',
  )
  refusals.add(error)
  return error
}
