// Messages between gateways over LISTEN and NOTIFY, on a connection of their own. A commit never
// notifies: that would hold a lock over all commits. What was sent within some milliseconds is one
// notification. A large one is a row that the notification names.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import {
  exchangeBytesMax,
  exchangeGatherMs,
  exchangeHereMs,
  exchangeSilentMs,
} from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import {
  decodeFrames,
  type Exchange,
  encodeFrames,
  type Frame,
  frameBytes,
  type Topic,
  topic,
} from '../exchange.js'
import { failureOf } from './failures.js'
import { Link, type LinkOptions } from './link.js'
import { packOne } from './packed.js'
import type { Row, Statement } from './statement.js'

const notify: Statement = { name: 'notify', text: 'SELECT pg_notify($1, $2)' }
const notifyOfRow: Statement = {
  name: 'notify_row',
  text: `WITH kept AS (INSERT INTO messages (body) VALUES ($2::bytea) RETURNING id)
    SELECT pg_notify($1, $3 || id) FROM kept`,
}
const readRow: Statement = {
  name: 'message',
  text: 'SELECT body FROM messages WHERE id = $1::bigint',
}
const removeRows: Statement = {
  name: 'old_messages',
  text: "DELETE FROM messages WHERE at < clock_timestamp() - interval '1 minute'",
}

/** Bytes of a notification's content: PostgreSQL's bound is 8,000 characters for all of it. */
const inlineBytesMax = 5_700
/** Bytes of a row; a single message may be larger. */
const rowBytesMax = 8 * 1_048_576
/** How long the first notification may take to come back, milliseconds. */
const firstMs = 5_000
const againMs = 100

interface Sent extends Frame {
  readonly heard: (() => void) | undefined
}

interface NoticesOptions {
  readonly links: LinkOptions
  /** Of this gateway among all of the store. */
  readonly name: string
  /** Of the notifications: the gateways of one schema share it. */
  readonly channel: string
  readonly clock: Clock
  readonly log: Log
}

export class Notices implements Exchange {
  /** The other gateways, with the time of their last message by `clock.elapsed`. */
  private readonly peers = new Map<string, number>()
  private readonly receivers = new Map<number, (body: Bytes, sender: string) => void>()
  private readonly joined: (() => void)[] = []
  private readonly left: ((name: string) => void)[] = []
  private readonly lost: (() => void)[] = []
  private waiting: Sent[] = []
  private waitingBytes = 0
  /** What to call when the notification of that number has come back. */
  private readonly unheard = new Map<number, (() => void)[]>()
  private number = 0
  private sentMs = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private isSending = false
  /** Notifications are taken in order, also those whose row has to be read. */
  private taking: Promise<void> = Promise.resolve()
  private link: Link | undefined
  private heardMs = 0
  private hasRows = false
  private isClosed = false
  private readonly beating: NodeJS.Timeout

  private constructor(private readonly options: NoticesOptions) {
    this.beating = setInterval(() => this.beat(), exchangeHereMs)
    this.beating.unref()
  }

  /** Rejects with InvalidOptions if notifications do not arrive, as behind some poolers. */
  static async open(options: NoticesOptions): Promise<Notices> {
    const notices = new Notices(options)
    try {
      await notices.connect()
      await notices.requireArrival()
      return notices
    } catch (error) {
      await notices.close()
      throw error
    }
  }

  get name(): string {
    return this.options.name
  }

  isThere(name: string): boolean {
    return name === this.name || this.peers.has(name)
  }

  get hasPeers(): boolean {
    return this.peers.size > 0
  }

  send(what: Topic, body: Bytes, heard?: () => void): void {
    if (this.isClosed || this.link === undefined) return
    const frame = { what, body, heard }
    this.waitingBytes += frameBytes(frame)
    if (this.waitingBytes > exchangeBytesMax) {
      // PostgreSQL is far behind. The others look again for what they miss.
      this.drop()
      return
    }
    this.waiting.push(frame)
    this.schedule()
  }

  receive(what: Topic, told: (body: Bytes, sender: string) => void): void {
    this.receivers.set(what, told)
  }

  join(): void {
    this.send(topic.here, Uint8Array.of(1))
  }

  whenJoined(tell: () => void): void {
    this.joined.push(tell)
  }

  whenLeft(tell: (name: string) => void): void {
    this.left.push(tell)
  }

  whenLost(tell: () => void): void {
    this.lost.push(tell)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    clearInterval(this.beating)
    clearTimeout(this.timer)
    const { link } = this
    if (link?.broken === undefined) {
      this.waiting.push({ what: topic.gone, body: new Uint8Array(), heard: undefined })
      const sent = this.dispatch()
      this.isClosed = true
      await sent.catch(() => undefined)
    }
    this.isClosed = true
    await link?.close()
  }

  private async connect(): Promise<void> {
    const { links, channel } = this.options
    const link = await Link.open({ ...links, synchronousCommit: 'off' }, 'sigil notices')
    try {
      link.whenTold((text) => this.told(link, text))
      await link.command(`LISTEN "${channel}"`)
    } catch (error) {
      await link.close()
      throw error
    }
    if (this.isClosed) {
      await link.close()
      return
    }
    this.link = link
    this.heardMs = this.options.clock.elapsed()
    link.whenEnded(() => this.ended(link))
    this.join()
  }

  private requireArrival(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const text =
          'setting STORE: notifications of PostgreSQL do not arrive. Connect to PostgreSQL ' +
          'itself, or to a pooler in session mode'
        reject(fail('InvalidOptions', text))
      }, firstMs)
      this.send(topic.here, Uint8Array.of(0), () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** The connection is lost: what was on its way is lost too. */
  private ended(link: Link): void {
    if (this.link !== link || this.isClosed) return
    this.link = undefined
    this.isSending = false
    this.drop()
    void this.reconnect()
  }

  private async reconnect(): Promise<void> {
    while (!this.isClosed && this.link === undefined) {
      try {
        await this.connect()
      } catch {
        await new Promise((resolve) => {
          setTimeout(resolve, againMs).unref()
        })
      }
    }
    if (this.isClosed) return
    this.options.log.info({}, 'notifications of PostgreSQL arrive again')
    for (const tell of this.lost) tell()
  }

  private drop(): void {
    this.waiting = []
    this.waitingBytes = 0
    this.unheard.clear()
  }

  private schedule(): void {
    if (this.timer !== undefined || this.isSending) return
    const ms = Math.max(0, this.sentMs + exchangeGatherMs - this.options.clock.elapsed())
    this.timer = setTimeout(() => {
      this.timer = undefined
      void this.dispatch()
    }, ms)
  }

  private async dispatch(): Promise<void> {
    const { link } = this
    if (link === undefined || this.waiting.length === 0) return
    this.isSending = true
    this.sentMs = this.options.clock.elapsed()
    try {
      await this.notify(link, this.take())
    } catch (thrown) {
      this.options.log.warn({ error: failureOf(thrown).message }, 'a notification was not sent')
    }
    if (this.link !== link) return
    this.isSending = false
    if (this.waiting.length > 0) this.schedule()
  }

  /** What one notification carries. */
  private take(): Sent[] {
    let bytes = 0
    let count = 0
    for (const frame of this.waiting) {
      bytes += frameBytes(frame)
      if (count > 0 && bytes > rowBytesMax) break
      count++
    }
    const taken = this.waiting.splice(0, count)
    for (const frame of taken) this.waitingBytes -= frameBytes(frame)
    return taken
  }

  private async notify(link: Link, frames: readonly Sent[]): Promise<void> {
    const { channel, name } = this.options
    const number = ++this.number
    const heard = frames.flatMap((frame) => frame.heard ?? [])
    if (heard.length > 0) this.unheard.set(number, heard)
    const content = encodeFrames(frames)
    const head = `${name} ${number}`
    if (content.length <= inlineBytesMax) {
      const text = Buffer.from(content).toString('base64')
      await link.run(notify, [channel, `${head} ${text}`])
      return
    }
    this.hasRows = true
    await link.run(notifyOfRow, [channel, packOne(content), `${head} @`])
  }

  private told(link: Link, text: string): void {
    const [name = '', number = '', content = ''] = text.split(' ')
    if (name === this.options.name) {
      this.heardMs = this.options.clock.elapsed()
      const heard = this.unheard.get(Number(number)) ?? []
      this.unheard.delete(Number(number))
      for (const tell of heard) tell()
      return
    }
    if (!content.startsWith('@')) {
      const bytes = Buffer.from(content, 'base64')
      this.taking = this.taking.then(() => this.takeFrames(bytes, name))
      return
    }
    const read = link.run(readRow, [content.slice(1)])
    const known = read.catch((): readonly Row[] => [])
    this.taking = this.taking.then(async () => {
      const [row] = await known
      if (row !== undefined) this.takeFrames(row[0] as Bytes, name)
      else for (const tell of this.lost) tell()
    })
  }

  private takeFrames(bytes: Bytes, sender: string): void {
    if (this.isClosed) return
    for (const { what, body } of decodeFrames(bytes)) {
      if (what === topic.gone) this.forget(sender)
      else if (what === topic.here) this.meet(sender, body[0] === 1)
      else this.receivers.get(what)?.(body, sender)
    }
  }

  private meet(sender: string, isNew: boolean): void {
    const isKnown = this.peers.has(sender)
    this.peers.set(sender, this.options.clock.elapsed())
    if (isKnown && !isNew) return
    // It learns of this gateway, and what this gateway has told before it came.
    this.send(topic.here, Uint8Array.of(0))
    for (const tell of this.joined) tell()
  }

  private forget(sender: string): void {
    if (!this.peers.delete(sender)) return
    for (const tell of this.left) tell(sender)
  }

  private beat(): void {
    const { link, options } = this
    const now = options.clock.elapsed()
    for (const [name, atMs] of this.peers) if (now - atMs > exchangeSilentMs) this.forget(name)
    if (link === undefined) return
    if (now - this.heardMs > exchangeSilentMs) {
      // The connection may be gone without a word.
      void link.close()
      return
    }
    this.send(topic.here, Uint8Array.of(0))
    if (!this.hasRows) return
    this.hasRows = false
    link.run(removeRows).catch(() => undefined)
  }
}
