// Keys that are held for the next try of a session that has lost on them again and again. Without
// this, a transaction beside many plain writes of the same document would never commit. Until the
// try ends, and for at most 100 ms, other writers of these keys in this process wait.
// (docs/design/transactions.md, rule 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import {
  heldKeysAgainMs,
  heldKeysMax,
  heldKeysMs,
  heldKeysOfTryMax,
  lossesKeptMs,
} from '../../base/limits/store.js'
import { keyClass } from '../layout.js'

/** Conflicts in a row after which keys are held. */
const lossesBefore = 2

/** The keys of one try. */
export interface Hold {
  /** This writer does not wait for the keys. */
  admit(writer: object): void
  /** Lets all writers go on. */
  end(): void
}

interface Holding extends Hold {
  /** In mapKey form. */
  readonly names: readonly string[]
  /** In the clock's elapsed milliseconds. */
  readonly endsMs: number
  /** Resolves when it ends. */
  readonly over: Promise<void>
}

/** The tries of one session, and what it has lost on since its last commit. */
export class Tries {
  private losses = 0
  private lastMs = 0
  /** Made when it is needed: most sessions never lose. */
  private lost: Set<string> | undefined

  /** Notes a conflict on keys in mapKey form, which its owner may hold. */
  noteLoss(names: Iterable<string>, nowMs: number): void {
    this.losses++
    this.lastMs = nowMs
    this.lost ??= new Set()
    for (const name of names) {
      if (this.lost.size >= heldKeysOfTryMax) return
      this.lost.add(name)
    }
  }

  noteCommit(): void {
    this.losses = 0
    this.lost = undefined
  }

  /** The keys that the next try should find held. */
  wanted(nowMs: number): ReadonlySet<string> {
    if (nowMs - this.lastMs > lossesKeptMs) this.noteCommit()
    return (this.losses < lossesBefore ? undefined : this.lost) ?? none
  }
}

const none: ReadonlySet<string> = new Set()

export class HeldKeys {
  /** By key in mapKey form. */
  private readonly holdings = new Map<string, Holding>()
  /** When an owner last held a key; oldest first. */
  private readonly lastHeld = new Map<string, number>()
  /** Writers of transactions that hold keys: one that waited for another could wait in a circle. */
  private readonly admitted = new WeakSet<object>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Whether any key is held: then every write is checked. */
  get isOn(): boolean {
    return this.holdings.size > 0
  }

  /**
   * Holds those of the keys that are free and that this owner has not held within the last second.
   * Undefined if none is left.
   */
  hold(owner: string, wanted: ReadonlySet<string>): Hold | undefined {
    if (wanted.size === 0) return undefined
    const nowMs = this.clock.elapsed()
    this.forgetOld(nowMs)
    const names: string[] = []
    for (const name of wanted) {
      if (this.lastHeld.size >= heldKeysMax) break
      const ownName = `${owner} ${name}`
      if (this.holdings.has(name) || this.lastHeld.has(ownName)) continue
      this.lastHeld.set(ownName, nowMs)
      names.push(name)
    }
    if (names.length === 0) return undefined
    const holding = this.holding(names, nowMs + heldKeysMs)
    for (const name of names) this.holdings.set(name, holding)
    this.schedule()
    return holding
  }

  /** What a writer of these keys has to wait for; undefined if it may go on. */
  blocking(writer: object, keys: Iterable<Bytes>): Promise<void> | undefined {
    if (this.admitted.has(writer)) return undefined
    for (const key of keys) {
      const found = isHoldable(key) ? this.holdings.get(mapKey(key)) : undefined
      if (found !== undefined) return found.over
    }
    return undefined
  }

  /** Ends what was held for its time. */
  expire(): void {
    const nowMs = this.clock.elapsed()
    for (const holding of new Set(this.holdings.values())) {
      if (holding.endsMs <= nowMs) holding.end()
    }
  }

  private holding(names: readonly string[], endsMs: number): Holding {
    let resolve = (): void => undefined
    const over = new Promise<void>((resolved) => {
      resolve = resolved
    })
    const holding: Holding = {
      names,
      endsMs,
      over,
      admit: (writer) => this.admitted.add(writer),
      end: () => {
        for (const name of names) {
          if (this.holdings.get(name) === holding) this.holdings.delete(name)
        }
        resolve()
        if (this.holdings.size > 0) return
        clearTimeout(this.timer)
        this.timer = undefined
      },
    }
    return holding
  }

  private forgetOld(nowMs: number): void {
    for (const [name, ms] of this.lastHeld) {
      if (nowMs - ms < heldKeysAgainMs) return
      this.lastHeld.delete(name)
    }
  }

  /** The clock decides what is over; the timer only looks. */
  private schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.expire()
      if (this.isOn) this.schedule()
    }, heldKeysMs / lookingsOfHold).unref()
  }
}

/** How often the clock is asked within the time of a hold. */
const lookingsOfHold = 4

/** Only documents, keys of key-value databases and index entries: the server needs all others. */
export function isHoldable(key: Bytes): boolean {
  return key[0] === keyClass.record || key[0] === keyClass.entry
}
