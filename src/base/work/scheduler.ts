// Fair scheduling: new commands, paused reads and waiting write programs wait in queues of one
// kind, with one account for each owner. A command starts at once while little work was done since
// the last poll of the sockets; otherwise it waits for the turn of its owner.
// (docs/design/fairness.md)

import { tickMsMax } from '../limits.js'
import { type Account, Accounts } from './accounts.js'
import { FairQueue } from './fair-queue.js'

/** What a listener does for a client beside commands counts for a round from here, milliseconds. */
export const edgeSliceMsMin = 0.25

/** Whose work it is that no client asked for. */
export const backgroundOwner = 'background'

export class Scheduler {
  readonly accounts = new Accounts()
  private readonly entries = new FairQueue<() => void>(this.accounts)
  /** Work since sockets could last be looked at, as far as it was counted. */
  private workedMs = 0
  private isPumping = false
  private isEnding = false

  queue<T>(): FairQueue<T> {
    return new FairQueue<T>(this.accounts)
  }

  of(owner: string): Account {
    return this.accounts.of(owner)
  }

  /** Whether a command that comes now has to wait for its owner's turn. */
  get isBusy(): boolean {
    return this.workedMs >= tickMsMax || this.entries.length > 0
  }

  /** Calls `begin`, which must not throw, when it is its owner's turn. */
  wait(account: Account, begin: () => void): void {
    this.entries.push(account, begin)
    if (!this.isPumping) this.pump()
  }

  /** A slice of work has ended: what nothing interrupted. */
  charge(account: Account, ms: number): void {
    this.workedMs += ms
    this.accounts.charge(account, ms)
    if (this.workedMs >= tickMsMax / 2 && !this.isEnding) this.endRound()
  }

  /**
   * What a listener has done beside slices. Little of it stands for so many `times` as much, and
   * makes no command wait, else many small requests would wait for nothing.
   */
  chargeEdge(account: Account, ms: number, times: number): void {
    if (ms >= edgeSliceMsMin) this.charge(account, ms)
    else if (ms > 0) this.accounts.charge(account, ms * times)
  }

  /** A command has been answered: what other owners had since they had had `othersMs`. */
  served(account: Account, othersMs: number): number {
    const ms = this.accounts.othersMs(account) - othersMs
    account.onServed?.(ms)
    return ms
  }

  /** Sockets are looked at behind it: asked for only where a round has had some work. */
  private endRound(): void {
    this.isEnding = true
    setImmediate(() => {
      this.isEnding = false
      if (!this.isPumping) this.workedMs = 0
    })
  }

  /** Begins what has waited, in turns, until the slices of a round are used up. */
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
