// The driver waits for ever if a connection ends at the moment in which it writes a command: it waits
// for the 'drain' of a destroyed socket. Such a command is told from one that Sigil does not answer:
// its connection is closed, and the pool still has it as in use.

import { type MongoClient, MongoNetworkError } from 'mongodb'

/** What is looked at of a client, below its types. */
interface Inside {
  readonly topology?: {
    readonly s: { readonly servers: ReadonlyMap<string, { readonly pool: Pool }> }
  }
}

interface Pool {
  readonly checkedOut: ReadonlySet<{ readonly closed: boolean }>
}

/** A driver that has noticed the end needs far less. */
const silentMsMax = 20_000
const lookMs = 1_000

export class DriverHangs {
  /** Since when a connection that is in use is known to be closed, milliseconds. */
  private readonly closedMs = new Map<object, number>()
  private readonly waiting = new Set<(error: Error) => void>()

  constructor(private readonly client: MongoClient) {}

  /** As `work`; if the driver hangs, throws MongoNetworkError, as it should. */
  async ended<T>(work: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => this.look(), lookMs)
    let waiter: ((error: Error) => void) | undefined
    const hangs = new Promise<never>((_, reject) => {
      waiter = reject
      this.waiting.add(reject)
    })
    try {
      return await Promise.race([work(), hangs])
    } finally {
      clearInterval(timer)
      if (waiter !== undefined) this.waiting.delete(waiter)
    }
  }

  /** Ends all that wait: which of them has the connection is not known. */
  private look(): void {
    const { topology } = this.client as unknown as Inside
    for (const { pool } of topology?.s.servers.values() ?? []) {
      for (const connection of pool.checkedOut) {
        if (!connection.closed) continue
        const since = this.closedMs.get(connection) ?? performance.now()
        this.closedMs.set(connection, since)
        if (performance.now() - since < silentMsMax) continue
        this.closedMs.set(connection, Number.POSITIVE_INFINITY)
        for (const reject of this.waiting) {
          reject(new MongoNetworkError('the driver waits for a connection that is closed'))
        }
      }
    }
  }
}
