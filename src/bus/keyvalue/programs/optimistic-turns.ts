// The order of optimistic writes. Each keeps its reads and changes in memory until it is written,
// so few run at a time. An owner runs one at a time, and the owner with the least used time is
// next. A long command of one owner therefore delays no other owner.

import type { Account } from '../../../base/work/accounts.js'

/** Optimistic commands that run at a time; their number bounds their memory. */
export const optimisticAtOnceMax = 4

export class OptimisticTurns {
  /** Waiting commands of each owner. */
  private readonly waiting = new Map<Account, (() => void)[]>()
  private readonly busy = new Set<Account>()

  /** Runs `act` at its owner's turn. Commands of one owner keep their order. */
  async run<T>(account: Account, act: () => Promise<T>): Promise<T> {
    const { busy } = this
    if (busy.size >= optimisticAtOnceMax || busy.has(account)) await this.turn(account)
    else busy.add(account)
    try {
      return await act()
    } finally {
      this.ended(account)
    }
  }

  private turn(account: Account): Promise<void> {
    return new Promise((resolve) => {
      const line = this.waiting.get(account)
      if (line === undefined) this.waiting.set(account, [resolve])
      else line.push(resolve)
    })
  }

  private ended(account: Account): void {
    this.busy.delete(account)
    const next = this.next()
    const line = next === undefined ? undefined : this.waiting.get(next)
    if (next === undefined || line === undefined) return
    const begin = line.shift()
    this.waiting.delete(next)
    if (line.length > 0) this.waiting.set(next, line)
    this.busy.add(next)
    begin?.()
  }

  private next(): Account | undefined {
    let found: Account | undefined
    for (const account of this.waiting.keys()) {
      if (this.busy.has(account)) continue
      if (found === undefined || account.virtualMs < found.virtualMs) found = account
    }
    return found
  }
}
