// All bytes that the server holds for its clients (setting MEMORY_BUDGET): requests and replies in
// flight, and what is kept between requests. A large request queues for room. Its socket is paused
// meanwhile, so the data stays in the client's memory.

interface Waiting {
  readonly bytes: number
  /** Bytes that the request holds already. */
  readonly holds: number
  readonly admit: () => void
}

export class ByteBudget {
  /** Called before a request has to wait: closes what can be closed. */
  onShort: (() => void) | undefined
  /** Called after bytes were released. */
  onFreed: (() => void) | undefined
  private used = 0
  private peak = 0
  /** Of these, bytes kept between requests. */
  private kept = 0
  private readonly queue: Waiting[] = []
  /** Bytes of requests that wait for memory, here or to run: they do not wait for each other's. */
  private waiting = 0

  constructor(readonly bytesMax: number) {}

  /** Bytes in use; `charged` bytes may exceed the maximum. */
  get bytesUsed(): number {
    return this.used
  }

  /** Bytes in use, without those of requests that wait and of the one that asks. */
  usedByOthers(holds: number): number {
    return this.used - this.waiting - holds
  }

  /** A request that holds so many bytes waits; a negative number when it does no more. */
  waits(holds: number): void {
    this.waiting += holds
    // Another one may now be the only one that does not wait.
    if (holds > 0) setImmediate(() => this.freed())
  }

  /** Counts bytes that exist already and cannot wait. */
  charge(bytes: number): void {
    this.used += bytes
    if (this.used > this.peak) this.peak = this.used
  }

  /** How far usage has fallen from its peak since `forgetPeak`. */
  get fallenBytes(): number {
    return this.peak - this.used
  }

  forgetPeak(): void {
    this.peak = this.used
  }

  /** Bytes that are free. */
  get bytesLeft(): number {
    return Math.max(0, this.bytesMax - this.used)
  }

  /** Counts bytes that outlive their request; a negative number releases them. */
  keep(bytes: number): void {
    this.charge(bytes)
    this.kept += bytes
    if (bytes < 0) this.freed()
  }

  /**
   * Takes room for `bytes`, now (true) or later, when `admit` is called. A request larger than the
   * whole budget is admitted while no other request or reply is in flight. `holds`: bytes that it
   * holds already.
   */
  take(bytes: number, admit: () => void, holds = 0): boolean {
    if (this.takeNow(bytes, holds)) return true
    this.onShort?.()
    if (this.takeNow(bytes, holds)) return true
    // One that holds much goes first: the room of others that begin would be held as long.
    const before = this.queue.findIndex((waiting) => waiting.holds < holds)
    this.queue.splice(before < 0 ? this.queue.length : before, 0, { bytes, holds, admit })
    this.waits(holds)
    return false
  }

  /** Takes room for `bytes` if there is some without waiting. */
  takeNow(bytes: number, holds = 0): boolean {
    if (this.queue.length > 0 || !this.fits(bytes, holds)) return false
    this.charge(bytes)
    return true
  }

  /** Leaves the queue. */
  cancel(admit: () => void): void {
    const index = this.queue.findIndex((waiting) => waiting.admit === admit)
    const [left] = index < 0 ? [] : this.queue.splice(index, 1)
    this.waiting -= left?.holds ?? 0
    this.serve()
  }

  release(bytes: number): void {
    this.used -= bytes
    this.freed()
  }

  private freed(): void {
    this.serve()
    this.onFreed?.()
  }

  private serve(): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      if (!this.fits(next.bytes)) return
      this.queue.shift()
      this.waiting -= next.holds
      this.charge(next.bytes)
      next.admit()
    }
  }

  private fits(bytes: number, holds = 0): boolean {
    // Waiting does not free kept bytes, so a request without others in flight must not wait for
    // them.
    const isAlone = this.usedByOthers(holds) === this.kept
    return isAlone || this.used + bytes <= this.bytesMax
  }
}
