// Read programs that begin together are a group with one read-only transaction, and so one state:
// that of its first statement, behind which none may join. Its programs go on in rounds, and what
// they ask for by key is one statement a round. (docs/design/many-gateways.md, "The store")

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Clock } from '../../../base/clock.js'
import { Unwinding } from '../../../base/heap/unwinding.js'
import type { Ask } from '../../store.js'
import { answer, readPoints, readVersions } from '../asks.js'
import type { Link } from '../link.js'
import type { Links } from '../links.js'
import type { Statement } from '../statement.js'
import type { Seen } from './seen.js'
import { distinct, handOut, keysOf, resume, toldOf } from './sharing.js'

/** Where a program reads, from its first question on. */
export interface Place {
  /** Rejects with Outdated if what the program was told before is not so any more. */
  answer(ask: Ask): Promise<unknown>
  /**
   * Before the program ends, or does anything but read: rejects with Outdated as above. Absent
   * where each answer holds.
   */
  confirm?(): Promise<void> | undefined
  /** The program pauses: it may read again later, and a place that keeps its state keeps it. */
  pause(): void
  /** The program ends. */
  leave(): void
}

/** The program has to run again: these keys are not any more what it was told. */
export class Outdated extends Unwinding {
  constructor(readonly keys: readonly Bytes[]) {
    super('what was read before has changed')
  }
}

/** A place in the group that forms when the program asks first. */
export interface GroupPlace extends Place {
  /** As `answer`, if the program has seen the same there. Call it for the first question. */
  answerIfSeen(ask: Ask, seen: Seen): Promise<unknown>
}

export const beginReading: Statement = {
  name: 'begin_r',
  text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
}
/**
 * PostgreSQL refuses a writer or a read where what is read would fit into no order with the writes:
 * with a later one, and without an earlier one that was under way.
 */
export const beginSerializable: Statement = {
  name: 'begin_s',
  text: 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY',
}
const commit: Statement = { name: 'commit', text: 'COMMIT' }

const membersMax = 64
/** While so many groups read, another one waits for the end of one, so that more may join it. */
const readingMax = 2
/** It waits at most so long, milliseconds: groups may read for long. */
const formingMsMax = 2

interface Waiting {
  readonly ask: Ask
  resolve(told: unknown): void
  reject(error: unknown): void
}

interface Check {
  readonly seen: Seen
  resolve(changed: readonly Bytes[]): void
  reject(error: unknown): void
}

export class ReadGroups {
  private forming: ReadGroup | undefined
  private timer: NodeJS.Timeout | undefined
  private reading = 0

  constructor(
    private readonly links: Links,
    private readonly clock: Clock,
    /** Begins the transaction of a group. */
    private readonly beginning: Statement,
    /** A program keeps its state over pauses. */
    private readonly isKept: boolean,
  ) {}

  /** In the group that forms when the program asks first, or asks again after it has left one. */
  place(): GroupPlace {
    let group: ReadGroup | undefined
    let isResting = false
    const goOn = () => {
      if (isResting) group?.goOn()
      isResting = false
    }
    const rest = () => {
      if (group === undefined || isResting) return
      isResting = true
      group.rest()
    }
    const leave = () => {
      goOn()
      group?.leave()
      group = undefined
    }
    const answer = (ask: Ask) => {
      goOn()
      group ??= this.join()
      return group.answer(ask)
    }
    return {
      answer,
      answerIfSeen: async (ask, seen) => {
        group ??= this.join()
        const [changed, told] = await Promise.all([group.changed(seen), answer(ask)])
        if (changed.length > 0) throw new Outdated(changed)
        return told
      },
      pause: this.isKept ? rest : leave,
      leave,
    }
  }

  private join(): ReadGroup {
    if (this.forming?.isOpen !== true) this.form()
    const group = this.forming as ReadGroup
    group.enter()
    return group
  }

  private form(): void {
    this.begin()
    this.forming = new ReadGroup(this.links, this.clock, this.beginning, () => {
      this.reading--
      this.begin()
    })
    if (this.reading < readingMax) this.begin()
    else this.timer = setTimeout(() => this.begin(), formingMsMax)
  }

  /** The group that forms takes a connection; programs may join it until that has come. */
  private begin(): void {
    clearTimeout(this.timer)
    if (this.forming?.begin() === true) this.reading++
  }
}

class ReadGroup {
  private members = 0
  /** Members that have their answer, and neither ask nor leave yet. */
  private running = 0
  private points: Waiting[] = []
  private checks: Check[] = []
  private readonly others: Waiting[] = []
  private link: Link | undefined
  private isCalled = false
  private hasBegun = false
  private hasFailed = false
  private isGathering = false
  /** One of `others` is under way. They go one by one, as each may have much to tell. */
  private isBusy = false

  constructor(
    private readonly links: Links,
    private readonly clock: Clock,
    private readonly beginning: Statement,
    private readonly ended: () => void,
  ) {}

  /** Takes a connection; false if it has one, or waits for it. */
  begin(): boolean {
    if (this.isCalled) return false
    this.isCalled = true
    this.links.take().then(
      (link) => {
        this.link = link
        this.gather()
      },
      (error: unknown) => {
        this.hasFailed = true
        for (const { reject } of [...this.points, ...this.others, ...this.checks]) reject(error)
      },
    )
    return true
  }

  get isOpen(): boolean {
    return !this.hasBegun && !this.hasFailed && this.members < membersMax
  }

  enter(): void {
    this.members++
    this.running++
  }

  answer(ask: Ask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.running--
      const waiting = keysOf(ask) !== undefined ? this.points : this.others
      waiting.push({ ask, resolve, reject })
      this.gather()
    })
  }

  /** What is not as it was seen, in the state of the group. Call it right before `answer`. */
  changed(seen: Seen): Promise<readonly Bytes[]> {
    return new Promise((resolve, reject) => {
      this.checks.push({ seen, resolve, reject })
    })
  }

  /** A member pauses: the others go on without it. */
  rest(): void {
    this.running--
    this.gather()
  }

  /** It asks or leaves now. */
  goOn(): void {
    this.running++
  }

  leave(): void {
    this.running--
    if (--this.members > 0) this.gather()
    else {
      if (this.link !== undefined) endReading(this.link, this.links)
      this.ended()
    }
  }

  /** Sends when no member runs: each has asked, or is about to be told. */
  private gather(): void {
    if (this.isGathering) return
    this.isGathering = true
    setImmediate(() => {
      this.isGathering = false
      if (this.link !== undefined && this.running === 0) this.send(this.link)
    })
  }

  private send(link: Link): void {
    const { points, others } = this
    if (!this.hasBegun) {
      this.hasBegun = true
      // Its failure is that of the question behind it.
      link.run(this.beginning).catch(() => undefined)
    }
    this.check(link)
    if (points.length > 0) {
      this.points = []
      this.tell(points, answerPoints(link, points))
    }
    const next = this.isBusy ? undefined : others.shift()
    if (next === undefined) return
    this.isBusy = true
    const told = answer(link, next.ask).finally(() => {
      this.isBusy = false
    })
    this.tell(
      [next],
      told.then((one) => [one]),
    )
  }

  private check(link: Link): void {
    const { checks } = this
    if (checks.length === 0) return
    this.checks = []
    const keys = distinct(checks.flatMap(({ seen }) => seen.keys))
    readVersions(link, [...keys.values()]).then(
      (versions) => {
        for (const { seen, resolve } of checks) resolve(seen.changed((name) => versions.get(name)))
      },
      (error: unknown) => {
        for (const { reject } of checks) reject(error)
      },
    )
  }

  private tell(waiting: readonly Waiting[], told: Promise<readonly unknown[]>): void {
    const resumed = (act: (one: Waiting, at: number) => void) => {
      this.running += waiting.length
      resume(waiting, act, this.clock)
    }
    told.then(
      (answers) => resumed(({ resolve }, at) => resolve(answers[at])),
      (error: unknown) => resumed(({ reject }) => reject(error)),
    )
  }
}

/** Ends the transaction; the connection can be used again behind that. */
export function endReading(link: Link, links: Links): void {
  link.run(commit).catch(() => undefined)
  links.give(link)
}

/** The answers to questions by key, in one statement. */
async function answerPoints(link: Link, waiting: readonly Waiting[]): Promise<unknown[]> {
  const [only] = waiting
  if (only !== undefined && waiting.length === 1) return [await answer(link, only.ask)]
  const keys = distinct(waiting.flatMap(({ ask }) => keysOf(ask) ?? []))
  const found = await readPoints(link, [...keys.values()])
  const pointOf = handOut(found)
  return waiting.map(({ ask }) => toldOf(ask, (keysOf(ask) ?? []).map(pointOf)))
}
