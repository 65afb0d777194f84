// Bytes that are kept for somebody from one request to the next: counted by whose they are and in
// all, and refused beyond a bound of each. What keeps them opens a share, and gives all of it back
// by closing it. (A ByteBudget pauses sockets; what is kept would wait for itself.)

export interface ShareBounds {
  /** Bytes of one owner, in all of his shares. */
  readonly ofOwner: number
  /** Bytes of all owners together. */
  readonly ofAll: number
}

interface Owner {
  readonly name: string
  bytes: number
  /** That are open. */
  shares: number
}

export class ByteShares {
  private readonly owners = new Map<string, Owner>()
  private held = 0

  constructor(public bounds: ShareBounds) {}

  get bytesHeld(): number {
    return this.held
  }

  /** Who has a share open. */
  get ownersKnown(): number {
    return this.owners.size
  }

  open(name: string): ByteShare {
    const owner = this.owners.get(name) ?? { name, bytes: 0, shares: 0 }
    this.owners.set(name, owner)
    owner.shares++
    return new ByteShare(this, owner)
  }

  /** Bytes that a share of that owner would take. */
  leftOf(name: string): number {
    return this.leftFor(this.owners.get(name))
  }

  leftFor({ bytes }: Pick<Owner, 'bytes'> = { bytes: 0 }): number {
    const { ofOwner, ofAll } = this.bounds
    return Math.max(0, Math.min(ofOwner - bytes, ofAll - this.held))
  }

  /** As many as these, also where there is no room for them. */
  count(owner: Owner, bytes: number): void {
    owner.bytes += bytes
    this.held += bytes
  }

  closed(owner: Owner): void {
    if (--owner.shares === 0) this.owners.delete(owner.name)
  }
}

/** Of one connection, one statement: whatever ends as a whole. */
export class ByteShare {
  private held = 0
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
    if (this.isClosed || bytes > this.shares.leftFor(this.owner)) return false
    this.held += bytes
    this.shares.count(this.owner, bytes)
    return true
  }

  /** Takes bytes that are there already, whether or not there is room for them. */
  force(bytes: number): void {
    if (this.isClosed) return
    this.held += bytes
    this.shares.count(this.owner, bytes)
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
    this.isClosed = true
    this.shares.closed(this.owner)
  }
}
