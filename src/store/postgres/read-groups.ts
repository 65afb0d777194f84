// Read programs that begin together are a group with one read-only transaction, and so one state:
// that of its first statement, behind which none may join. Its programs go on in rounds, and what
// they ask for by key is one statement a round. (docs/design/many-gateways.md, "The store")

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import type { Ask, Versioned } from '../store.js'
import { answer, copy, readPoints } from './asks.js'
import type { Link, Statement } from './link.js'
import type { Links } from './links.js'

/** Where a program reads, from its first question on. */
export interface Place {
  answer(ask: Ask): Promise<unknown>
  /** The program pauses: it may read again later, and a place that keeps its state keeps it. */
  pause(): void
  /** The program ends. */
  leave(): void
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
/** A question for more keys has a statement of its own. */
const sharedKeysMax = 16
/** Programs resumed in one turn at first, and the time in which more may follow, milliseconds. */
const resumedAtFirst = 4
const resumedMsMax = 2

interface Waiting {
  readonly ask: Ask
  resolve(told: unknown): void
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
  place(): Place {
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
    return {
      answer: (ask) => {
        goOn()
        group ??= this.join()
        return group.answer(ask)
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
        for (const { reject } of [...this.points, ...this.others]) reject(error)
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
      const waiting = isShared(ask) ? this.points : this.others
      waiting.push({ ask, resolve, reject })
      this.gather()
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

function isShared(ask: Ask): boolean {
  return ask.kind === 'get' || (isMany(ask) && ask.keys.length <= sharedKeysMax)
}

function isMany(ask: Ask): ask is Ask & { readonly kind: 'getMany' | 'ahead' } {
  return ask.kind === 'getMany' || ask.kind === 'ahead'
}

/** The answers to questions by key, in one statement. */
async function answerPoints(link: Link, waiting: readonly Waiting[]): Promise<unknown[]> {
  const [only] = waiting
  if (only !== undefined && waiting.length === 1) return [await answer(link, only.ask)]
  const keys = new Map<string, Bytes>()
  for (const { ask } of waiting) {
    if (ask.kind === 'get') keys.set(mapKey(ask.key), ask.key)
    else if (isMany(ask)) for (const key of ask.keys) keys.set(mapKey(key), key)
  }
  const found = await readPoints(link, [...keys.values()])
  const given = new Set<string>()
  // Each program owns what it gets.
  const pointOf = (key: Bytes): Versioned | undefined => {
    const name = mapKey(key)
    const point = found.get(name)
    if (point === undefined || !given.has(name)) {
      given.add(name)
      return point
    }
    return { value: copy(point.value), version: point.version }
  }
  return waiting.map(({ ask }) => {
    if (ask.kind === 'get') return pointOf(ask.key)
    if (!isMany(ask)) return undefined
    const points = ask.keys.map(pointOf)
    return ask.kind === 'ahead' ? points : points.map((point) => copy(point?.value))
  })
}

/**
 * Resumes programs: more and more in a turn as long as they take little time, because each runs as
 * soon as it is told.
 */
function resume(
  waiting: readonly Waiting[],
  act: (one: Waiting, at: number) => void,
  clock: Clock,
): void {
  let at = 0
  let atOnce = resumedAtFirst
  const some = () => {
    const beganMs = clock.elapsed()
    for (const end = Math.min(at + atOnce, waiting.length); at < end; at++) {
      act(waiting[at] as Waiting, at)
    }
    if (at === waiting.length) return
    setImmediate(() => {
      atOnce = clock.elapsed() - beganMs < resumedMsMax ? 2 * atOnce : 1
      some()
    })
  }
  some()
}
