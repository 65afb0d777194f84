// The work budget: what every loop over values spends from. The process does one thing at a time,
// so one count serves all. A stretch is what runs without a pause: a turn of a read program, a
// write program, the reading of a request. It is told when it should pause, and refused where it
// cannot. (docs/design/transactions.md, rule 1)

import { fail } from '../errors.js'

/** The bounds of a stretch that another one has interrupted. */
interface Stretch {
  readonly spent: number
  readonly startedAt: number
  readonly dueAt: number
  readonly refuseAt: number
}

export class WorkBudget {
  /** Units since the process began; work-figures.ts says what a unit is. */
  spent = 0
  /** The most units of one stretch since `resetLongest`: tests assert it. */
  longest = 0
  private startedAt = 0
  private dueAt = Number.POSITIVE_INFINITY
  private refuseAt = Number.POSITIVE_INFINITY
  /**
   * Set in a thread without other waiting work: says how many units a stretch may go on for that
   * has come to its bound, or throws.
   */
  granting: (() => number) | undefined

  /** A loop that can pause, or end its batch, does so now. */
  get isDue(): boolean {
    return this.spent >= this.dueAt
  }

  /** Counts units; throws MaxTimeMSExpired where the stretch cannot pause and has gone too far. */
  spend(units: number): void {
    if (this.spent + units > this.refuseAt) this.goFurther(units)
    this.spent += units
  }

  private goFurther(units: number): void {
    if (this.granting === undefined) throw tooMuch()
    this.refuseAt = this.spent + units + this.granting()
  }

  /** Whether `spend` would take so many. */
  allows(units: number): boolean {
    return this.granting !== undefined || this.spent + units <= this.refuseAt
  }

  /** Counts units of what is bounded by itself and cannot fail, such as a read of the store. */
  note(units: number): void {
    this.spent += units
  }

  /** Does `act` as a stretch of its own: what comes before a command and cannot pause. */
  within<T>(units: number, act: () => T): T {
    const interrupted = this.interrupt()
    this.begin(0, units)
    try {
      return act()
    } finally {
      this.resume(interrupted)
    }
  }

  /** Does what must be possible whatever it costs: a delete. It makes a loop due, not refused. */
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
   * Does what may be left for later: half of what the stretch has left is for it. Throws as `spend`
   * where that is not enough, and the stretch goes on with the other half.
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

  /** A stretch begins: due after `due` units, refused `beyond` units later. */
  begin(due: number, beyond: number): void {
    this.startedAt = this.spent
    this.dueAt = this.spent + due
    this.refuseAt = this.dueAt + beyond
  }

  /** The stretch is over: until the next one begins, nothing is due and nothing is refused. */
  end(): void {
    const units = this.spent - this.startedAt
    if (units > this.longest) this.longest = units
    this.startedAt = this.spent
    this.dueAt = Number.POSITIVE_INFINITY
    this.refuseAt = Number.POSITIVE_INFINITY
  }

  /**
   * The stretch at work, for `resume`: a program may run in the midst of a request. Undefined where
   * none is, which is usual and costs nothing.
   */
  interrupt(): Stretch | undefined {
    if (this.refuseAt === Number.POSITIVE_INFINITY) return undefined
    const { spent, startedAt, dueAt, refuseAt } = this
    return { spent, startedAt, dueAt, refuseAt }
  }

  /** Goes on with an interrupted stretch; what came between does not count for it. */
  resume(interrupted: Stretch | undefined): void {
    this.end()
    if (interrupted === undefined) return
    const { spent, startedAt, dueAt, refuseAt } = interrupted
    const between = this.spent - spent
    this.startedAt = startedAt + between
    this.dueAt = dueAt + between
    this.refuseAt = refuseAt + between
  }

  resetLongest(): void {
    this.longest = 0
  }
}

/** The budget of this process. */
export const work = new WorkBudget()

const refusals = new WeakSet<Error>()

/** Whether an error is the budget's: what its program did goes with it, a smaller batch may do. */
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
