// The account of all memory that the server holds for its clients: MEMORY_BUDGET, and a part of it
// for each owner. What is kept (cursors, statements, portals) is refused beyond the bounds. Unread
// replies pause the connections of their owner; if memory stays short, the slowest are closed.

import { socketBacklogBytesMax } from '../limits/connections.js'
import { ByteBudget } from './byte-budget.js'
import { type ByteShare, ByteShares } from './byte-shares.js'

/**
 * Parts of MEMORY_BUDGET. One owner (a wallet with all of its keys, the operator, an address before
 * login) may hold half. All cursors, statements and portals may keep three quarters; the rest is
 * for requests and replies in flight.
 */
export const memoryOfOwnerShare = 1 / 2
const memoryKeptShare = 3 / 4
/** Above this part, owners with more unsent than the small part wait, so the others have room. */
const memoryQuietShare = 3 / 4
const memorySmallShare = 1 / 64
/** Programs that wait may hold this part of what is read, even if their owner has no room. */
const memoryWaitingShare = 1 / 8

/** A connection whose client may leave replies unread. */
interface Sender {
  /** Memory is short: closes the connection soon unless its client reads some of its replies. */
  press(): void
}

interface Waiting {
  readonly owner: string
  /** Bytes of the received request that waits. */
  readonly holds: number
  readonly admit: () => void
  /** It was admitted, or has left. */
  isOver: boolean
}

export class MemoryAccount {
  readonly budget: ByteBudget
  readonly shares: ByteShares
  /** Below this, no owner can exceed its share, nor all owners the budget. */
  private readonly quietBytes: number
  private readonly smallBytes: number
  private readonly backlogs = new Set<Backlog>()
  private waiting: Waiting[] = []
  private isServing = false
  /** Held by waiting programs without room for it. */
  private waitingBytes = 0

  constructor(readonly bytesMax: number) {
    const ofOwner = bytesMax * memoryOfOwnerShare
    this.budget = new ByteBudget(bytesMax)
    this.shares = new ByteShares({ ofOwner, ofAll: bytesMax * memoryKeptShare }, this.budget)
    this.budget.onShort = () => this.relieve()
    this.budget.onFreed = () => this.serve()
    this.quietBytes = Math.min(bytesMax * memoryQuietShare, ofOwner)
    this.smallBytes = bytesMax * memorySmallShare
  }

  /** Bytes that one owner may hold. */
  get ofOwnerMax(): number {
    return this.shares.bounds.ofOwner
  }

  /** Usage is so low that no request has to wait. */
  get isQuiet(): boolean {
    return this.budget.bytesUsed < this.quietBytes
  }

  /**
   * Whether a request of this owner may run now; the size of its reply is unknown. An owner with
   * unsent replies waits above its share, and sooner than others when memory is nearly used up.
   * `holds`: bytes of the request.
   */
  hasRoom(owner: string, holds = 0): boolean {
    const { budget, bytesMax } = this
    if (this.isQuiet) return true
    const used = budget.usedByOthers(holds)
    const { bytes, unsent } = this.shares.heldBy(owner)
    if (unsent > 0 && bytes >= this.ofOwnerMax) {
      this.pressOn(owner)
      return false
    }
    if (used < bytesMax * memoryQuietShare) return true
    if (unsent >= this.smallBytes) return false
    if (used < bytesMax) return true
    const before = budget.bytesUsed
    this.relieve()
    return used - before + budget.bytesUsed < bytesMax
  }

  /**
   * Calls `admit` once a request of this owner has room; returns a function that leaves the queue.
   */
  whenRoom(owner: string, admit: () => void, holds = 0): () => void {
    const waiting = { owner, holds, admit, isOver: false }
    this.waiting.push(waiting)
    this.budget.waits(holds)
    if (this.budget.bytesUsed >= this.bytesMax) this.relieve()
    return () => {
      this.endWait(waiting)
      this.waiting = this.waiting.filter((other) => other !== waiting)
    }
  }

  private endWait(waiting: Waiting): void {
    if (waiting.isOver) return
    waiting.isOver = true
    this.budget.waits(-waiting.holds)
  }

  /**
   * Counts bytes that a program holds while it waits for room, until the returned function is
   * called. Undefined if it may not wait with so many.
   */
  waits(owner: string, bytes: number): (() => void) | undefined {
    const share = this.shares.open(owner)
    if (share.take(bytes)) return () => share.close()
    if (this.waitingBytes + bytes > this.bytesMax * memoryWaitingShare) {
      share.close()
      return undefined
    }
    share.force(bytes)
    this.waitingBytes += bytes
    return () => {
      this.waitingBytes -= bytes
      share.close()
    }
  }

  /** The account of one connection's unsent replies. */
  backlog(sender: Sender): Backlog {
    return new Backlog(this, sender)
  }

  /** The unsent replies of a connection have grown or shrunk. */
  changed(backlog: Backlog): void {
    if (backlog.bytes > socketBacklogBytesMax) this.backlogs.add(backlog)
    else this.backlogs.delete(backlog)
  }

  /** Checks all waiting requests together: a burst of small releases needs one check. */
  private serve(): void {
    if (this.waiting.length === 0 || this.isServing) return
    this.isServing = true
    setImmediate(() => {
      this.isServing = false
      const { waiting } = this
      this.waiting = []
      for (const each of waiting) {
        // An admitted one may end others.
        if (each.isOver) continue
        if (this.hasRoom(each.owner)) {
          this.endWait(each)
          each.admit()
        } else this.waiting.push(each)
      }
    })
  }

  /** Idle cursors are closed first; then clients that read nothing get a short deadline. */
  private relieve(): void {
    const { shares, budget } = this
    while (budget.bytesUsed >= this.bytesMax && shares.reclaim?.(undefined) === true) {}
    if (budget.bytesUsed < this.bytesMax) return
    this.pressOn(undefined)
  }

  /** Gives a short deadline to clients of this owner, or of all owners, that read nothing. */
  private pressOn(owner: string | undefined): void {
    for (const backlog of this.backlogs) {
      if (owner === undefined || backlog.owner === owner) backlog.press()
    }
  }
}

/** The unsent replies of one connection, counted for its current owner. */
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

  /** Sets the unsent bytes. */
  set(bytes: number, owner: string): void {
    if (bytes === this.bytes || this.isClosed) return
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
    this.account.changed(this)
  }

  /** The connection is closed. */
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
