// One budget of bytes for requests and replies in flight (setting MEMORY_BUDGET). What is large
// waits in line for room; a socket that waits is paused, so the memory stays the client's.

interface Waiting {
  readonly bytes: number
  readonly admit: () => void
}

export class ByteBudget {
  private used = 0
  private readonly queue: Waiting[] = []

  constructor(readonly bytesMax: number) {}

  /** Bytes in use; may pass the maximum by what was `charged`. */
  get bytesUsed(): number {
    return this.used
  }

  /** Counts bytes that exist already and cannot wait. */
  charge(bytes: number): void {
    this.used += bytes
  }

  /**
   * Takes room for `bytes`, now (true) or when its turn comes: then `admit` is called. What is
   * larger than the whole budget is let in alone.
   */
  take(bytes: number, admit: () => void): boolean {
    if (this.takeNow(bytes)) return true
    this.queue.push({ bytes, admit })
    return false
  }

  /** Takes room for `bytes` if there is some for who comes last. */
  takeNow(bytes: number): boolean {
    if (this.queue.length > 0 || !this.fits(bytes)) return false
    this.used += bytes
    return true
  }

  /** Leaves the line. */
  cancel(admit: () => void): void {
    const index = this.queue.findIndex((waiting) => waiting.admit === admit)
    if (index >= 0) this.queue.splice(index, 1)
    this.serve()
  }

  release(bytes: number): void {
    this.used -= bytes
    this.serve()
  }

  private serve(): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      if (!this.fits(next.bytes)) return
      this.queue.shift()
      this.used += next.bytes
      next.admit()
    }
  }

  private fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.bytesMax
  }
}
