// One thing at a time: each user of a state of the chain waits for its turn. Sigil's own questions
// go before those of others, so that a flood of calls delays them by no more than the one that is
// running. Between turns the event loop goes round: messages are read, blocks go on, and the
// collector gets at what is done with.

/** Whose question it is. */
export type Rank = 'own' | 'other'

export class Turns {
  private readonly queues: Record<Rank, (() => void)[]> = { own: [], other: [] }
  private busy = false
  private looking = false

  /** Runs `work` when its turn has come. */
  async take<T>(rank: Rank, work: () => Promise<T>): Promise<T> {
    // Others are let in only when what has come is read: it may be Sigil's own.
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

  /** Even if none waits: many messages are handed over at once, and each may want a turn. */
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
