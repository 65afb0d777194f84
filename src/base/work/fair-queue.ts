// Waiting work, in one queue for each owner. The owner with the least used time is served next;
// equal owners alternate. A queue of thousands therefore delays only its own owner.
// (docs/design/fairness.md)

import type { Account, Accounts } from './accounts.js'

/** The waiting work of one owner, first come, first served. */
class OwnQueue<T> {
  private readonly items: (T | undefined)[] = []
  /** Index of the first waiting item; the places before it are empty. */
  private head = 0

  constructor(readonly account: Account) {}

  get isEmpty(): boolean {
    return this.items.length === 0
  }

  push(item: T): void {
    this.items.push(item)
  }

  take(): T {
    const { items } = this
    const item = items[this.head] as T
    // A served program would keep its reply alive.
    items[this.head++] = undefined
    if (this.head === items.length) {
      items.length = 0
      this.head = 0
    } else if (this.head >= trimAfter) {
      items.splice(0, this.head)
      this.head = 0
    }
    return item
  }
}

/** Served items are dropped from the array in groups of this size. */
const trimAfter = 256

export class FairQueue<T> {
  /** Waiting items of all owners. */
  length = 0
  /** In the order of their turns, once several owners wait. */
  private readonly queues = new Map<Account, OwnQueue<T>>()
  /** The queue when only one owner has work, the usual case; it is kept when empty. */
  private sole: OwnQueue<T> | undefined

  constructor(private readonly accounts: Accounts) {}

  push(account: Account, item: T): void {
    this.length++
    this.accounts.waiting++
    this.queueOf(account).push(item)
  }

  /** The next item; undefined if none waits. */
  take(): T | undefined {
    if (this.length === 0) return undefined
    this.length--
    this.accounts.waiting--
    const { sole } = this
    if (sole !== undefined) {
      this.accounts.serve(sole.account)
      return sole.take()
    }
    const queue = this.next()
    const { account } = queue
    this.accounts.serve(account)
    const item = queue.take()
    this.queues.delete(account)
    if (!queue.isEmpty) this.queues.set(account, queue)
    else if (this.queues.size === 0) this.sole = queue
    return item
  }

  private queueOf(account: Account): OwnQueue<T> {
    const { sole, queues } = this
    if (sole?.account === account) {
      if (sole.isEmpty) this.accounts.begin(account)
      return sole
    }
    const known = queues.get(account)
    if (known !== undefined) return known
    this.accounts.begin(account)
    const made = new OwnQueue<T>(account)
    if (queues.size === 0 && (sole === undefined || sole.isEmpty)) {
      this.sole = made
      return made
    }
    if (sole !== undefined) queues.set(sole.account, sole)
    this.sole = undefined
    queues.set(account, made)
    return made
  }

  private next(): OwnQueue<T> {
    let found: OwnQueue<T> | undefined
    for (const queue of this.queues.values()) {
      if (found === undefined || queue.account.virtualMs < found.account.virtualMs) found = queue
    }
    return found as OwnQueue<T>
  }
}
