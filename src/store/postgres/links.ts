// A bounded set of connections to PostgreSQL, opened when they are needed. Who finds none free
// waits, first come, first served.

import { fail } from '../../base/errors.js'
import { failureOf } from './failures.js'
import { Link, type LinkOptions } from './link.js'

interface Waiter {
  readonly resolve: (link: Link) => void
  readonly reject: (error: unknown) => void
}

export class Links {
  private readonly idle: Link[] = []
  private readonly all = new Set<Link>()
  private readonly waiting: Waiter[] = []
  private opening = 0
  private isClosed = false

  constructor(
    private readonly options: LinkOptions,
    private readonly name: string,
    private readonly most: number,
  ) {}

  /** Whether `take` would have to wait for another user. */
  get isFull(): boolean {
    return this.idle.length === 0 && this.all.size + this.opening >= this.most
  }

  /** Rejects with Away, or ShutdownInProgress. */
  take(): Promise<Link> {
    if (this.isClosed) return Promise.reject(closed())
    const link = this.idle.pop()
    if (link !== undefined && link.broken === undefined) return Promise.resolve(link)
    if (link !== undefined) this.drop(link)
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.serve()
    })
  }

  /** The user has ended its transaction. */
  give(link: Link): void {
    if (this.isClosed || link.broken !== undefined) this.drop(link)
    else this.idle.push(link)
    this.serve()
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const { reject } of this.waiting.splice(0)) reject(closed())
    await Promise.all([...this.all].map((link) => link.close()))
  }

  private serve(): void {
    while (this.waiting.length > 0) {
      const link = this.idle.pop()
      if (link === undefined) break
      if (link.broken === undefined) this.waiting.shift()?.resolve(link)
      else this.drop(link)
    }
    const wanted = Math.min(this.waiting.length, this.most - this.all.size)
    while (this.opening < wanted) this.open()
  }

  private open(): void {
    this.opening++
    Link.open(this.options, this.name).then(
      (link) => {
        this.opening--
        this.all.add(link)
        this.give(link)
      },
      (error: unknown) => {
        this.opening--
        this.waiting.shift()?.reject(failureOf(error))
        this.serve()
      },
    )
  }

  private drop(link: Link): void {
    this.all.delete(link)
    void link.close()
  }
}

function closed(): Error {
  return fail('ShutdownInProgress', 'the store is closed')
}
