// Work that waits, in one queue an owner: the owner who has had the least time is served next, and
// of equals the one who was served longest ago. So a queue of thousands delays its own owner alone.
// (docs/design/fairness.md)

import type { Account, Accounts } from './accounts.js'

/** The waiting work of one owner, first come, first served. */
interface OwnQueue<T> {
  readonly account: Account
  readonly items: T[]
  /** Where the first one is: those before it have gone. */
  head: number
}

export class FairQueue<T> {
  /** What waits in all. */
  length = 0
  /** In the order of their turns. */
  private readonly queues = new Map<Account, OwnQueue<T>>()

  constructor(private readonly accounts: Accounts) {}

  push(account: Account, item: T): void {
    this.length++
    this.accounts.waiting++
    const known = this.queues.get(account)
    if (known !== undefined) {
      known.items.push(item)
      return
    }
    this.accounts.begin(account)
    this.queues.set(account, { account, items: [item], head: 0 })
  }

  /** The next one; undefined where nothing waits. */
  take(): T | undefined {
    const queue = this.next()
    if (queue === undefined) return undefined
    const { account, items } = queue
    const item = items[queue.head] as T
    this.length--
    this.accounts.waiting--
    this.accounts.serve(account)
    this.queues.delete(account)
    if (++queue.head < items.length) {
      this.trim(queue)
      this.queues.set(account, queue)
    }
    return item
  }

  private next(): OwnQueue<T> | undefined {
    let found: OwnQueue<T> | undefined
    for (const queue of this.queues.values()) {
      if (found === undefined || queue.account.virtualMs < found.account.virtualMs) found = queue
    }
    return found
  }

  private trim(queue: OwnQueue<T>): void {
    if (queue.head < trimAfter) return
    queue.items.splice(0, queue.head)
    queue.head = 0
  }
}

/** So many items that have gone are dropped together. */
const trimAfter = 256
