// Bytes that are held for a client, counted by owner and in all. What is kept between requests is
// refused beyond the bounds; unsent replies are counted, and their sockets paused. What holds bytes
// opens a share, and gives all of them back by closing it.

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
  /** Of these, unsent replies. */
  unsent: number
  /** That are open. */
  shares: number
}

export class ByteShares {
  private readonly owners = new Map<string, Owner>()
  /**
   * Asked to close something that is kept: of this owner, or, without a name, of the owner that
   * keeps most. False where there is nothing to close.
   */
  reclaim: ((name: string | undefined) => boolean) | undefined
  private held = 0

  /** `budget` counts the same bytes, and has the last word on what there is room for. */
  constructor(
    public bounds: ShareBounds,
    private readonly budget?: ByteBudget,
  ) {}

  get bytesHeld(): number {
    return this.held
  }

  /** Who has a share open. */
  get ownersKnown(): number {
    return this.owners.size
  }

  open(name: string): ByteShare {
    const owner = this.owners.get(name) ?? { name, bytes: 0, unsent: 0, shares: 0 }
    this.owners.set(name, owner)
    owner.shares++
    return new ByteShare(this, owner)
  }

  /** What that owner holds in all of its shares, and how much of it is unsent replies. */
  heldBy(name: string): Readonly<Pick<Owner, 'bytes' | 'unsent'>> {
    return this.owners.get(name) ?? nothing
  }

  /** Bytes that a share of that owner would take. */
  leftOf(name: string): number {
    return this.leftFor(this.owners.get(name))
  }

  leftFor({ bytes }: Pick<Owner, 'bytes'> = { bytes: 0 }): number {
    const { ofOwner, ofAll } = this.bounds
    const free = this.budget?.bytesLeft ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(ofOwner - bytes, ofAll - this.held, free))
  }

  /** Whether that owner may keep more; closes what can be closed to make room. */
  makeRoom(owner: Owner, bytes: number): boolean {
    const { ofOwner, ofAll } = this.bounds
    while (bytes > this.leftFor(owner)) {
      if (this.reclaim === undefined || bytes > Math.min(ofOwner, ofAll)) return false
      const isOwn = owner.bytes + bytes > ofOwner
      if (!this.reclaim(isOwn ? owner.name : undefined)) return false
    }
    return true
  }

  /** As many as these, also where there is no room for them. */
  count(owner: Owner, bytes: number): void {
    owner.bytes += bytes
    this.held += bytes
    this.budget?.keep(bytes)
  }

  /** Bytes of replies that wait for their client, or that it has taken. */
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

/** Of one connection, one statement: whatever ends as a whole. */
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

  /** Bytes that `take` would still take. */
  get bytesLeft(): number {
    return this.isClosed ? 0 : this.shares.leftFor(this.owner)
  }

  /** Takes bytes; false, and nothing is taken, where there is no room or the share is closed. */
  take(bytes: number): boolean {
    if (this.isClosed || !this.shares.makeRoom(this.owner, bytes)) return false
    this.held += bytes
    this.shares.count(this.owner, bytes)
    return true
  }

  /** Holds so many bytes from now on: beyond the bounds, other things that are kept are closed. */
  settle(bytes: number): void {
    const more = bytes - this.held
    if (more <= 0) this.release(-more)
    else if (!this.take(more)) this.force(more)
  }

  /** Takes bytes that are there already, whether or not there is room for them. */
  force(bytes: number): void {
    if (this.isClosed) return
    this.held += bytes
    this.shares.count(this.owner, bytes)
  }

  /** Counts `bytes` as unsent replies, in place of those before. */
  sends(bytes: number): void {
    if (this.isClosed) return
    const more = bytes - this.unsent
    this.unsent = bytes
    if (more !== 0) this.shares.countUnsent(this.owner, more)
  }

  /** Gives back bytes that were taken; nothing where the share is closed. */
  release(bytes: number): void {
    if (this.isClosed) return
    this.held -= bytes
    this.shares.count(this.owner, -bytes)
  }

  /** Gives back all. */
  close(): void {
    if (this.isClosed) return
    this.release(this.held)
    this.sends(0)
    this.isClosed = true
    this.shares.closed(this.owner)
  }
}
