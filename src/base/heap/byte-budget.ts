// All bytes that the server holds for its clients (setting MEMORY_BUDGET): requests and replies in
// flight, and what is kept between requests. A large request queues for room. Its socket is paused
// meanwhile, so the data stays in the client's memory.

interface Waiting {
  readonly bytes: number
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

  constructor(readonly bytesMax: number) {}

  /** Bytes in use; `charged` bytes may exceed the maximum. */
  get bytesUsed(): number {
    return this.used
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
   * whole budget is admitted while no other request or reply is in flight.
   */
  take(bytes: number, admit: () => void): boolean {
    if (this.takeNow(bytes)) return true
    this.onShort?.()
    if (this.takeNow(bytes)) return true
    this.queue.push({ bytes, admit })
    return false
  }

  /** Takes room for `bytes` if there is some without waiting. */
  takeNow(bytes: number): boolean {
    if (this.queue.length > 0 || !this.fits(bytes)) return false
    this.charge(bytes)
    return true
  }

  /** Leaves the queue. */
  cancel(admit: () => void): void {
    const index = this.queue.findIndex((waiting) => waiting.admit === admit)
    if (index >= 0) this.queue.splice(index, 1)
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
      this.charge(next.bytes)
      next.admit()
    }
  }

  private fits(bytes: number): boolean {
    // Waiting does not free kept bytes, so a request without others in flight must not wait for
    // them.
    return this.used === this.kept || this.used + bytes <= this.bytesMax
  }
}
