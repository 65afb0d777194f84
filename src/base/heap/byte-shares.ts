// Bytes held for clients, counted by owner and in total. Bytes kept between requests are refused
// beyond the bounds; unsent replies are counted, and their sockets paused. A holder of bytes opens
// a share; closing the share releases all of them.

import type { ByteBudget } from './byte-budget.js'

interface ShareBounds {
  /** Bytes of one owner, in all of its shares. */
  readonly ofOwner: number
  /** Bytes of all owners together. */
  readonly ofAll: number
}

interface Owner {
  readonly name: string
  bytes: number
  /** Of these, bytes of unsent replies. */
  unsent: number
  /** Open shares. */
  shares: number
}

/** Keeps things between requests, and can close idle ones. */
export interface Keeper {
  readonly owner: string
  /** Bytes of what it may close now. */
  readonly idleBytes: number
  /** When the oldest of it was last used, elapsed milliseconds; undefined if there is none. */
  readonly oldestMs: number | undefined
  closeOldest(): void
}

export class ByteShares {
  /** Connections whose portals may be closed. */
  readonly keepers = new Set<Keeper>()
  private readonly owners = new Map<string, Owner>()
  /**
   * Closes one kept thing: of this owner or, without a name, of the owner that keeps most. Returns
   * false if there is nothing to close.
   */
  reclaim: ((name: string | undefined) => boolean) | undefined
  private held = 0

  /** `budget` counts the same bytes and has the final decision on room. */
  constructor(
    public bounds: ShareBounds,
    private readonly budget?: ByteBudget,
  ) {}

  get bytesHeld(): number {
    return this.held
  }

  /** Owners with an open share. */
  get ownersKnown(): number {
    return this.owners.size
  }

  open(name: string): ByteShare {
    const owner = this.owners.get(name) ?? { name, bytes: 0, unsent: 0, shares: 0 }
    this.owners.set(name, owner)
    owner.shares++
    return new ByteShare(this, owner)
  }

  /** What the owner holds in all of its shares, and how much of it is unsent replies. */
  heldBy(name: string): Readonly<Pick<Owner, 'bytes' | 'unsent'>> {
    return this.owners.get(name) ?? nothing
  }

  /** Bytes that a share of this owner would still accept. */
  leftOf(name: string): number {
    return this.leftFor(this.owners.get(name))
  }

  leftFor({ bytes }: Pick<Owner, 'bytes'> = { bytes: 0 }): number {
    const { ofOwner, ofAll } = this.bounds
    const free = this.budget?.bytesLeft ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(ofOwner - bytes, ofAll - this.held, free))
  }

  /** Whether the owner may keep more; closes kept things to make room. */
  makeRoom(owner: Owner, bytes: number): boolean {
    const { ofOwner, ofAll } = this.bounds
    while (bytes > this.leftFor(owner)) {
      if (this.reclaim === undefined || bytes > Math.min(ofOwner, ofAll)) return false
      const isOwn = owner.bytes + bytes > ofOwner
      if (!this.reclaim(isOwn ? owner.name : undefined)) return false
    }
    return true
  }

  /** Counts these bytes, even without room for them. */
  count(owner: Owner, bytes: number): void {
    owner.bytes += bytes
    this.held += bytes
    this.budget?.keep(bytes)
  }

  /** Counts bytes of unsent replies; a negative number when the client has read them. */
  countUnsent(owner: Owner, bytes: number): void {
    owner.bytes += bytes
    owner.unsent += bytes
    if (bytes > 0) this.budget?.charge(bytes)
    else this.budget?.release(-bytes)
  }

  closed(owner: Owner): void {
    if (--owner.shares === 0) this.owners.delete(owner.name)
  }
}

const nothing = { bytes: 0, unsent: 0 }

/** The bytes of one connection or statement, released together. */
export class ByteShare {
  private held = 0
  private unsent = 0
  private isClosed = false

  constructor(
    private readonly shares: ByteShares,
    private readonly owner: Owner,
  ) {}

  get bytesHeld(): number {
    return this.held
  }

  /** Bytes that `take` would still accept. */
  get bytesLeft(): number {
    return this.isClosed ? 0 : this.shares.leftFor(this.owner)
  }

  /** Takes bytes. Returns false, and takes nothing, if there is no room or the share is closed. */
  take(bytes: number): boolean {
    if (this.isClosed || !this.shares.makeRoom(this.owner, bytes)) return false
    this.held += bytes
    this.shares.count(this.owner, bytes)
    return true
  }

  /** Sets the bytes held. Above the bounds, other kept things are closed. */
  settle(bytes: number): void {
    const more = bytes - this.held
    if (more <= 0) this.release(-more)
    else if (!this.take(more)) this.force(more)
  }

  /** Takes bytes that already exist, with or without room for them. */
  force(bytes: number): void {
    if (this.isClosed) return
    this.held += bytes
    this.shares.count(this.owner, bytes)
  }

  /** Sets the bytes of unsent replies. */
  sends(bytes: number): void {
    if (this.isClosed) return
    const more = bytes - this.unsent
    this.unsent = bytes
    if (more !== 0) this.shares.countUnsent(this.owner, more)
  }

  /** Releases taken bytes; does nothing if the share is closed. */
  release(bytes: number): void {
    if (this.isClosed) return
    this.held -= bytes
    this.shares.count(this.owner, -bytes)
  }

  /** Releases all bytes. */
  close(): void {
    if (this.isClosed) return
    this.release(this.held)
    this.sends(0)
    this.isClosed = true
    this.shares.closed(this.owner)
  }
}
