// The one account of what the server holds for its clients: MEMORY_BUDGET in all, a part of it for
// each owner. What is kept (cursors, statements, portals) is refused beyond the bounds. Replies
// that clients do not take pause the connections of their owner, and at last close the slowest.

import { socketBacklogBytesMax } from '../limits.js'
import { ByteBudget } from './byte-budget.js'
import { type ByteShare, ByteShares } from './byte-shares.js'

/**
 * Parts of MEMORY_BUDGET. One owner (a wallet by all of its keys, the operator, an address without
 * login) may hold half of it. Cursors, statements and portals of all may keep three quarters: the
 * rest is for requests and replies in flight.
 */
export const memoryOfOwnerShare = 1 / 2
const memoryKeptShare = 3 / 4
/** Above this part, owners with more than the small part unsent wait: the others have the rest. */
const memoryQuietShare = 3 / 4
const memorySmallShare = 1 / 64

/** A connection whose client may leave replies unread. */
interface Sender {
  /** Memory is short: closes it soon unless its client takes some of what is unsent. */
  press(): void
}

interface Waiting {
  readonly owner: string
  readonly admit: () => void
}

export class MemoryAccount {
  readonly budget: ByteBudget
  readonly shares: ByteShares
  /** Below this, no owner can be above its share, nor all above the budget. */
  private readonly quietBytes: number
  private readonly smallBytes: number
  private readonly backlogs = new Set<Backlog>()
  private waiting: Waiting[] = []
  private isServing = false

  constructor(readonly bytesMax: number) {
    const ofOwner = bytesMax * memoryOfOwnerShare
    this.budget = new ByteBudget(bytesMax)
    this.shares = new ByteShares({ ofOwner, ofAll: bytesMax * memoryKeptShare }, this.budget)
    this.budget.onShort = () => this.relieve()
    this.quietBytes = Math.min(bytesMax * memoryQuietShare, ofOwner)
    this.smallBytes = bytesMax * memorySmallShare
  }

  /** Bytes that one owner may hold. */
  get ofOwnerMax(): number {
    return this.shares.bounds.ofOwner
  }

  /** So little is held that no request has to wait. */
  get isQuiet(): boolean {
    return this.budget.bytesUsed < this.quietBytes
  }

  /**
   * Whether a request of that owner may run now, whose reply has an unknown size. One that has
   * replies unsent waits above its share, and sooner than the others where all is nearly used.
   */
  hasRoom(owner: string): boolean {
    const { budget, bytesMax } = this
    if (this.isQuiet) return true
    const { bytes, unsent } = this.shares.heldBy(owner)
    if (unsent > 0 && bytes >= this.ofOwnerMax) {
      this.pressOn(owner)
      return false
    }
    if (budget.bytesUsed < bytesMax * memoryQuietShare) return true
    if (unsent >= this.smallBytes) return false
    if (budget.bytesUsed < bytesMax) return true
    this.relieve()
    return budget.bytesUsed < bytesMax
  }

  /** Calls `admit` once a request of that owner has room; answers how to leave the line. */
  whenRoom(owner: string, admit: () => void): () => void {
    const waiting = { owner, admit }
    this.waiting.push(waiting)
    if (this.budget.bytesUsed >= this.bytesMax) this.relieve()
    return () => {
      this.waiting = this.waiting.filter((other) => other !== waiting)
    }
  }

  /** The account of one connection's unsent replies. */
  backlog(sender: Sender): Backlog {
    return new Backlog(this, sender)
  }

  /** A connection's unsent replies have become more or fewer. */
  changed(backlog: Backlog, isLess: boolean): void {
    if (backlog.bytes > socketBacklogBytesMax) this.backlogs.add(backlog)
    else this.backlogs.delete(backlog)
    if (isLess) this.serve()
  }

  /** Those that wait are asked together: a burst of small gains is one look. */
  private serve(): void {
    if (this.waiting.length === 0 || this.isServing) return
    this.isServing = true
    setImmediate(() => {
      this.isServing = false
      const { waiting } = this
      this.waiting = []
      for (const each of waiting) {
        if (this.hasRoom(each.owner)) each.admit()
        else this.waiting.push(each)
      }
    })
  }

  /** Idle cursors go first; then clients that take nothing have little time left. */
  private relieve(): void {
    const { shares, budget } = this
    while (budget.bytesUsed >= this.bytesMax && shares.reclaim?.(undefined) === true) {}
    if (budget.bytesUsed < this.bytesMax) return
    this.pressOn(undefined)
  }

  /** Clients of that owner, or of all, that take nothing have little time left. */
  private pressOn(owner: string | undefined): void {
    for (const backlog of this.backlogs) {
      if (owner === undefined || backlog.owner === owner) backlog.press()
    }
  }
}

/** The unsent replies of one connection, counted for whom it speaks at the moment. */
export class Backlog {
  bytes = 0
  owner = ''
  private share: ByteShare | undefined
  private isPressed = false
  private isClosed = false

  constructor(
    private readonly account: MemoryAccount,
    private readonly sender: Sender,
  ) {}

  /** So many bytes are unsent now. */
  set(bytes: number, owner: string): void {
    if (bytes === this.bytes || this.isClosed) return
    const isLess = bytes < this.bytes
    this.bytes = bytes
    if (this.share !== undefined && (bytes === 0 || owner !== this.owner)) {
      this.share.close()
      this.share = undefined
    }
    if (bytes > 0) {
      this.share ??= this.account.shares.open(owner)
      this.owner = owner
      this.share.sends(bytes)
    } else this.isPressed = false
    this.account.changed(this, isLess)
  }

  /** The connection is gone. */
  close(): void {
    this.set(0, this.owner)
    this.isClosed = true
  }

  press(): void {
    if (this.isPressed) return
    this.isPressed = true
    this.sender.press()
  }
}
