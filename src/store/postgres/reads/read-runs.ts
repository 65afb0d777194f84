// Read programs. Each has a read-only transaction, and so one state, from its first question until
// it ends or pauses; those that begin together share it. A snapshot keeps one of its own over
// pauses. (docs/design/transactions.md, rule 1)

import type { Clock } from '../../../base/clock.js'
import { fail, hasKind } from '../../../base/errors.js'
import { programRunsMax } from '../../../base/limits/engine.js'
import { snapshotKeptMsMax, snapshotsKeptMax } from '../../../base/limits/store.js'
import { LoopLoad } from '../../../base/work/loop-load.js'
import { backgroundOwner, type Scheduler } from '../../../base/work/scheduler.js'
import { work } from '../../../base/work/work-budget.js'
import { apartUnits, stretchUnits, turnUnits } from '../../../base/work/work-figures.js'
import { AskingReadTx } from '../../programs/asking.js'
import { nothing } from '../../steps.js'
import type {
  Ask,
  Elsewhere,
  HeldState,
  HoldOptions,
  Program,
  ReadOptions,
  ReadTx,
  Step,
} from '../../store.js'
import { answer } from '../asks.js'
import { clientError } from '../failures.js'
import type { Guesses } from '../guesses.js'
import type { Link, LinkOptions } from '../link.js'
import { Links } from '../links.js'
import type { Statement } from '../statement.js'
import { awaitOlderWrites } from './older-writes.js'
import { PointReads } from './point-reads.js'
import {
  beginReading,
  beginSerializable,
  endReading,
  Outdated,
  type Place,
  ReadGroups,
} from './read-groups.js'
import { StartingPlace } from './starting-place.js'

const look: Statement = { name: 'look', text: 'SELECT 1' }

/** Connections for reads, and for the states that transactions hold. */
const readLinksMax = 6
const heldLinksMax = 8
/** How long a transaction waits for a connection, milliseconds. */
const heldWaitMsMax = 5_000
/** How often a program that waits for work elsewhere checks whether it was killed, milliseconds. */
const awayLookMs = 50

/** Pauses when the budget of its turn is used up. */
class Reading extends AskingReadTx {
  constructor(
    readonly olderWrites: Elsewhere,
    isHeld: boolean,
  ) {
    super(isHeld)
  }

  override pause(units = 0): Step<void> {
    work.note(units)
    return work.isDue ? super.pause() : nothing
  }
}

export class ReadRuns {
  readonly links: Links
  private readonly groups: ReadGroups
  private readonly points: PointReads
  /** Of reads that fit into one order with the writes. */
  private readonly orderedGroups: ReadGroups
  private readonly orderedPoints: PointReads
  private readonly snapshotLinks: Links
  private readonly heldLinks: Links
  private running = 0
  private drained: (() => void)[] = []
  private readonly away = new Set<(error: unknown) => void>()
  private readonly held = new Set<HeldState>()
  private readonly olderWrites: Elsewhere

  constructor(
    options: LinkOptions,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly guesses: Guesses,
  ) {
    this.links = new Links(options, 'sigil reads', readLinksMax)
    this.groups = new ReadGroups(this.links, clock, beginReading, false)
    const load = new LoopLoad(clock)
    this.points = new PointReads(this.links, clock, load)
    const ordered = { ...options, isolation: 'serializable' } as const
    this.snapshotLinks = new Links(ordered, 'sigil snapshots', snapshotsKeptMax)
    this.orderedPoints = new PointReads(this.snapshotLinks, clock, load)
    this.orderedGroups = new ReadGroups(this.snapshotLinks, clock, beginSerializable, true)
    this.heldLinks = new Links(options, 'sigil transactions', heldLinksMax)
    this.olderWrites = { refusal: undefined, begin: () => awaitOlderWrites(this.links) }
  }

  async run<T>(make: (tx: ReadTx) => Program<T>, options: ReadOptions): Promise<T> {
    const runsMax = options.serializable === true ? programRunsMax : 1
    let mayGuess = true
    for (let run = 1; ; run++) {
      try {
        return await this.runOnce(make, options, mayGuess)
      } catch (thrown) {
        if (mayGuess && thrown instanceof Outdated) {
          this.guesses.forget(thrown.keys)
          mayGuess = false
          run--
        } else if (run === runsMax || !hasKind(thrown, 'WriteConflict')) throw thrown
      }
    }
  }

  private async runOnce<T>(
    make: (tx: ReadTx) => Program<T>,
    options: ReadOptions,
    mayGuess: boolean,
  ): Promise<T> {
    const isSnapshot = options.snapshot === true
    const place = this.place(options, mayGuess)
    const startedMs = this.clock.elapsed()
    const look = () => {
      options.onPause?.()
      if (isSnapshot && this.clock.elapsed() - startedMs > snapshotKeptMsMax) {
        throw fail('SnapshotTooOld', 'the snapshot of this operation is too old')
      }
    }
    try {
      return await this.drive(make, options, place, look, isSnapshot)
    } finally {
      place.leave()
    }
  }

  /** One committed state on a connection of its own. Throws WriteConflict if none comes free. */
  async hold(options: HoldOptions = {}): Promise<HeldState> {
    const link = await this.takeHeld()
    try {
      await Promise.all([link.run(beginOf(options)), link.run(look)])
    } catch (error) {
      endReading(link, this.heldLinks)
      throw clientError(error)
    }
    let isOver = false
    const place: Place = {
      answer: (ask) => answer(link, ask),
      pause: nothingToDo,
      leave: nothingToDo,
    }
    const held: HeldState = {
      read: (make, options = {}) => {
        if (isOver) throw fail('ShutdownInProgress', 'the store is closed')
        return this.drive(make, options, place, () => options.onPause?.(), true)
      },
      heldBytes: 0,
      release: () => {
        if (isOver) return
        isOver = true
        this.held.delete(held)
        endReading(link, this.heldLinks)
      },
    }
    this.held.add(held)
    return held
  }

  /** Resolves when no program runs; ends the work that programs wait for. */
  async idle(): Promise<void> {
    for (const end of this.away) end(fail('ShutdownInProgress', 'the server is shutting down'))
    if (this.running === 0) return
    await new Promise<void>((resolve) => {
      this.drained.push(resolve)
    })
  }

  async close(): Promise<void> {
    for (const held of this.held) held.release()
    const all = [this.links, this.snapshotLinks, this.heldLinks]
    await Promise.all(all.map((links) => links.close()))
  }

  private place({ snapshot, serializable, runsAgain }: ReadOptions, mayGuess: boolean): Place {
    const { guesses } = this
    if (snapshot !== true) {
      if (runsAgain !== true || !mayGuess) return this.groups.place()
      return new StartingPlace(guesses, this.points, this.groups, false)
    }
    if (serializable !== true) return this.snapshot()
    if (!mayGuess) return this.orderedGroups.place()
    return new StartingPlace(guesses, this.orderedPoints, this.orderedGroups, true)
  }

  private snapshot(): Place {
    const links = this.snapshotLinks
    let taken: Promise<Link> | undefined
    return {
      answer: async (ask) => {
        taken ??= links.take().then((link) => {
          // Its failure is that of the question behind it.
          link.run(beginReading).catch(() => undefined)
          return link
        })
        return answer(await taken, ask)
      },
      pause: nothingToDo,
      leave: () => {
        taken?.then(
          (link) => endReading(link, links),
          () => undefined,
        )
        taken = undefined
      },
    }
  }

  private async takeHeld(): Promise<Link> {
    let timer: NodeJS.Timeout | undefined
    const taken = this.heldLinks.take()
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), heldWaitMsMax)
    })
    try {
      const link = await Promise.race([taken, late])
      if (link !== undefined) return link
    } catch (error) {
      throw clientError(error)
    } finally {
      clearTimeout(timer)
    }
    taken.then(
      (link) => this.heldLinks.give(link),
      () => undefined,
    )
    throw fail('WriteConflict', 'too many transactions are open on this gateway, try it again')
  }

  /** Runs the program to its end, with a step at each answer. */
  private async drive<T>(
    make: (tx: ReadTx) => Program<T>,
    options: ReadOptions,
    place: Place,
    look: () => void,
    isHeld: boolean,
  ): Promise<T> {
    this.running++
    try {
      const slice = <R>(act: () => R): R => this.slice(act, options)
      const program = slice(() => make(new Reading(this.olderWrites, isHeld)))
      let next = slice(() => program.next())
      while (next.done !== true) {
        const ask = next.value
        let told: unknown
        try {
          look()
          told = await this.answerTo(ask, place, look, options)
          look()
        } catch (thrown) {
          if (thrown instanceof Outdated) {
            slice(() => program.return(undefined as never))
            throw thrown
          }
          next = slice(() => program.throw(thrown))
          continue
        }
        next = slice(() => program.next(told))
      }
      await confirm(place)
      return next.value
    } catch (thrown) {
      // An error may rest on a guess as well.
      if (!(thrown instanceof Outdated)) await confirm(place)
      throw thrown
    } finally {
      if (--this.running === 0) for (const resolve of this.drained.splice(0)) resolve()
    }
  }

  private async answerTo(
    ask: Ask,
    place: Place,
    look: () => void,
    options: ReadOptions,
  ): Promise<unknown> {
    if (ask.kind === 'pause') {
      await confirm(place)
      place.pause()
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      return undefined
    }
    if (ask.kind === 'elsewhere') {
      await confirm(place)
      place.pause()
      await this.elsewhere(ask.begin, look, options)
      return undefined
    }
    try {
      return await place.answer(ask)
    } catch (thrown) {
      throw thrown instanceof Outdated ? thrown : clientError(thrown)
    }
  }

  /** Waits for work elsewhere, unless the program is ended before. */
  private elsewhere(
    begin: Elsewhere['begin'],
    look: () => void,
    options: ReadOptions,
  ): Promise<void> {
    const account = options.account ?? this.scheduler.of(backgroundOwner)
    const begun = begin(account.owner)
    return new Promise((resolve, reject) => {
      const over = () => {
        clearInterval(looking)
        this.away.delete(end)
      }
      const end = (error: unknown) => {
        over()
        begun.end()
        reject(error)
      }
      const looking = setInterval(() => {
        try {
          look()
        } catch (error) {
          end(error)
        }
      }, awayLookMs)
      this.away.add(end)
      begun.done.then(
        () => {
          over()
          resolve()
        },
        (error) => {
          over()
          reject(error)
        },
      )
    })
  }

  private slice<R>(act: () => R, { account }: ReadOptions): R {
    const interrupted = work.interrupt()
    const beganMs = this.clock.elapsed()
    work.begin(turnUnits, stretchUnits, apartUnits)
    try {
      return act()
    } finally {
      work.resume(interrupted)
      const ms = this.clock.elapsed() - beganMs
      this.scheduler.charge(account ?? this.scheduler.of(backgroundOwner), ms)
    }
  }
}

async function confirm(place: Place): Promise<void> {
  try {
    await place.confirm?.()
  } catch (thrown) {
    throw thrown instanceof Outdated ? thrown : clientError(thrown)
  }
}

function beginOf({ serializable }: HoldOptions): Statement {
  return serializable === true ? beginSerializable : beginReading
}

function nothingToDo(): void {}
