// Runs one task at a time on a state of the chain. Sigil's own requests go before those of clients,
// so a flood of calls delays them by at most the running one. Between turns the event loop runs:
// messages are read, blocks are made, and garbage can be collected.

/** The source of a request. */
export type Rank = 'own' | 'other'

export class Turns {
  private readonly queues: Record<Rank, (() => void)[]> = { own: [], other: [] }
  private busy = false
  private looking = false

  /** Runs `work` at its turn. */
  async take<T>(rank: Rank, work: () => Promise<T>): Promise<T> {
    // Clients' requests start only after pending messages are read, which may be Sigil's own.
    if (this.busy || this.looking || rank === 'other') await this.place(rank)
    this.busy = true
    try {
      return await work()
    } finally {
      this.busy = false
      this.lookSoon()
    }
  }

  private place(rank: Rank): Promise<void> {
    return new Promise((resolve) => {
      this.queues[rank].push(resolve)
      if (!this.busy) this.lookSoon()
    })
  }

  /** Runs even if none waits: many messages arrive at once, and each may need a turn. */
  private lookSoon(): void {
    if (this.looking) return
    this.looking = true
    setImmediate(() => {
      this.looking = false
      const next = this.queues.own.shift() ?? this.queues.other.shift()
      if (next === undefined) return
      this.busy = true
      next()
    })
  }
}
