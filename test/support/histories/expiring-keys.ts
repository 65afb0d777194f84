// Keys that expire at once, watched by a change stream over all gateways: the job that deletes them
// runs on one of them at a time, so each key is inserted once and deleted once.

import type { ChangeStream, MongoClient, ResumeToken } from 'mongodb'
import { RespClient } from '../resp-client.js'

interface Seen {
  inserted: number
  deleted: number
}

export class ExpiringKeys {
  readonly problems: string[] = []
  /** Keys whose SET was acknowledged. */
  readonly acknowledged: string[] = []
  private readonly seen = new Map<string, Seen>()
  private token: ResumeToken
  private stream: ChangeStream | undefined
  private isOver = false
  private made = 0
  private watching = Promise.resolve()

  constructor(
    private readonly client: MongoClient,
    /** Of the key-value protocol, of each gateway. */
    private readonly ports: readonly number[],
    private readonly key: string,
  ) {}

  /** Resolves when changes are recorded. */
  async start(): Promise<void> {
    const stream = this.open()
    await stream.tryNext()
    this.token = stream.resumeToken
    this.watching = this.watch(stream)
  }

  async setOne(): Promise<void> {
    const name = `expiring${this.made++}`
    try {
      const port = this.ports[this.made % this.ports.length] ?? 0
      const connection = await RespClient.open(port)
      const timer = setTimeout(() => connection.close(), answerMsMax)
      try {
        await connection.call('auth', this.key)
        await connection.call('select', '1')
        const reply = await connection.call('set', name, 'v', 'px', '1')
        if (reply === '+OK') this.acknowledged.push(name)
      } finally {
        clearTimeout(timer)
        connection.close()
      }
    } catch {
      // Its gateway is killed or paused: it may be there or not.
      await pause()
    }
  }

  /** Resolves when each has been deleted, with all problems. */
  async end(): Promise<readonly string[]> {
    const isGone = (name: string) => (this.seen.get(name)?.deleted ?? 0) > 0
    while (!this.acknowledged.every(isGone)) await pause()
    this.isOver = true
    await this.stream?.close()
    await this.watching
    return this.problems
  }

  private open(): ChangeStream {
    const resumed = this.token === undefined ? {} : { resumeAfter: this.token }
    const keys = this.client.db('main').collection('kv1')
    this.stream = keys.watch([], { maxAwaitTimeMS: 500, ...resumed })
    return this.stream
  }

  /** As applications do: the driver resumes once, they open it again. */
  private async watch(first: ChangeStream): Promise<void> {
    for (let stream = first; !this.isOver; stream = this.open()) {
      try {
        for await (const event of stream) {
          this.token = event._id
          this.note(event as Parameters<ExpiringKeys['note']>[0])
        }
      } catch {
        await stream.close().catch(() => undefined)
        await pause()
      }
    }
  }

  private note(event: { operationType: string; documentKey?: { _id: unknown } }): void {
    const name = String(event.documentKey?._id)
    const seen = this.seen.get(name) ?? { inserted: 0, deleted: 0 }
    this.seen.set(name, seen)
    if (event.operationType === 'insert') seen.inserted++
    else if (event.operationType === 'delete') seen.deleted++
    if (seen.inserted === 1 && seen.deleted <= 1) return
    this.problems.push(`${event.operationType} of ${name}: ${JSON.stringify(seen)}`)
  }
}

const answerMsMax = 5_000

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}
