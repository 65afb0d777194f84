// Fair scheduling: new commands, paused reads and waiting write programs wait in queues of the same
// kind, with one account for each owner. A command starts at once while little work was done since
// the last poll of the sockets; otherwise it waits for its owner's turn.
// (docs/design/fairness.md)

import { tickMsMax } from '../limits/engine.js'
import { type Account, Accounts } from './accounts.js'
import { FairQueue } from './fair-queue.js'

/** Work of a listener outside commands counts for a round from this value on, milliseconds. */
export const edgeSliceMsMin = 0.25

/** The owner of work that no client requested. */
export const backgroundOwner = 'background'

export class Scheduler {
  readonly accounts = new Accounts()
  private readonly entries = new FairQueue<() => void>(this.accounts)
  /** Counted work since sockets were last polled. */
  private workedMs = 0
  private isPumping = false
  private isEnding = false

  queue<T>(): FairQueue<T> {
    return new FairQueue<T>(this.accounts)
  }

  of(owner: string): Account {
    return this.accounts.of(owner)
  }

  /** Whether a new command has to wait for its owner's turn. */
  get isBusy(): boolean {
    return this.workedMs >= tickMsMax || this.entries.length > 0
  }

  /** Calls `begin`, which must not throw, at its owner's turn. */
  wait(account: Account, begin: () => void): void {
    this.entries.push(account, begin)
    if (!this.isPumping) this.pump()
  }

  /** Counts a finished slice of work. */
  charge(account: Account, ms: number): void {
    this.workedMs += ms
    this.accounts.charge(account, ms)
    if (this.workedMs >= tickMsMax / 2 && !this.isEnding) this.endRound()
  }

  /**
   * Counts a listener's work outside slices. Short work counts `times` as much. It makes no command
   * wait; otherwise many small requests would wait for nothing.
   */
  chargeEdge(account: Account, ms: number, times: number): void {
    if (ms >= edgeSliceMsMin) this.charge(account, ms)
    else if (ms > 0) this.accounts.charge(account, ms * times)
  }

  /** Reports an answered command: returns the time of other owners since `othersMs`. */
  served(account: Account, othersMs: number): number {
    const ms = this.accounts.othersMs(account) - othersMs
    account.onServed?.(ms)
    return ms
  }

  /** Lets sockets be polled after the round; only needed after a round with work. */
  private endRound(): void {
    this.isEnding = true
    setImmediate(() => {
      this.isEnding = false
      if (!this.isPumping) this.workedMs = 0
    })
  }

  /** Starts waiting work, in turns, until the slices of a round are used up. */
  private pump(): void {
    this.isPumping = true
    setImmediate(() => {
      this.workedMs = 0
      const { entries } = this
      do entries.take()?.()
      while (entries.length > 0 && this.workedMs < tickMsMax)
      this.isPumping = false
      if (entries.length > 0) this.pump()
    })
  }
}
