// LISTEN and NOTIFY of one session. The channels are those of publish and subscribe in the
// database of the connection. What a transaction does to them takes effect at its end, and a
// session that listens is told while it is idle. (docs/sql.md, "LISTEN and NOTIFY")

import { Slice } from '../../base/bytes/slice.js'
import { fail, hasKind } from '../../base/errors.js'
import type { ByteShare } from '../../base/heap/byte-shares.js'
import { pgChannelBytesMax, pgNoticesMax, pgPayloadBytesMax } from '../../base/limits/sql.js'
import { type Channels, type Message, Subscriber } from '../../bus/keyvalue/clients/channels.js'
import { eventChannel } from '../../bus/keyvalue/clients/notifications.js'
import type { OutputBounds } from '../../bus/keyvalue/settings.js'
import type { Session, SessionChannels } from '../../bus/session.js'
import type { Space } from '../../engine/keyspace/spaces.js'
import type { Identity } from '../../identity/identity.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { Awaitable } from '../../store/store.js'

/** The channels of all spaces. */
export interface ChannelHost {
  readonly channels: Channels
  /** The space of a database. Throws InvalidNamespace. */
  spaceOf(identity: Identity, db: string): Space
  /** Throws, or rejects with, the refusal of who may not listen (`read`) or notify (`write`). */
  requireChannels(identity: Identity, space: Space, privilege: 'read' | 'write'): Awaitable<void>
  /** How far a session may fall behind. */
  bounds(): OutputBounds
}

interface Notice {
  readonly channel: string
  readonly payload: string
  /** The statement whose run made it; undefined for NOTIFY, which never runs again. */
  readonly run: number | undefined
  /** Savepoints that were open before it. */
  depth: number
}

/** A change of what the session listens to. Without a channel: to none. */
interface Change {
  readonly kind: 'listen' | 'unlisten'
  readonly channel: string | undefined
}

/** A savepoint: how many changes came before it. */
interface Mark {
  readonly name: string
  readonly changes: number
}

interface Options {
  readonly host: ChannelHost
  readonly session: Session
  readonly db: string
  readonly room: ByteShare
  /** Tells the connection that something has arrived. */
  readonly arrived: () => void
}

/** Estimated memory of a notice beside its text, bytes. */
const noticeBytes = 200

export class SessionNotifications implements SessionChannels {
  /** While the columns of a statement are asked for, it must not notify. */
  isMuted = false
  /** Of the open transaction. A notice that it has already sent is not sent again. */
  private readonly notices = new Map<string, Notice>()
  private readonly changes: Change[] = []
  /** The statement that runs. */
  private running: number | undefined
  /** Savepoints that were open before the first run of a statement. */
  private readonly depths = new Map<number, number>()
  private readonly marks: Mark[] = []
  /** Channels that `prepare` has joined: after a failed commit the session leaves them. */
  private readonly joined: Slice[] = []
  /** Notices whose right was checked when they were made. */
  private allowed = 0
  /** `prepare` has succeeded for the open transaction. */
  private isPrepared = false
  private subscriber: Subscriber | undefined
  private readonly arrivals: Message[] = []
  private arrivalBytes = 0
  private pendingBytes = 0

  constructor(private readonly options: Options) {}

  /** Names of channels to which the session listens. */
  get listening(): readonly string[] {
    return [...(this.subscriber?.channels.values() ?? [])].map((name) => Slice.of(name).text())
  }

  get usage(): number {
    const { bytesMax } = this.options.host.bounds()
    return bytesMax === 0 ? 0 : Math.min(1, this.arrivalBytes / bytesMax)
  }

  /** Bytes of arrived notifications that were not written yet. */
  get bytesWaiting(): number {
    return this.arrivalBytes
  }

  /** Whether the open transaction has something to do at its end. */
  get isPending(): boolean {
    return this.changes.length > 0 || this.notices.size > 0
  }

  /** LISTEN. Throws, or rejects with, 42501. */
  listen(channel: string): Awaitable<void> {
    const keep = (): void => {
      this.changes.push({ kind: 'listen', channel })
    }
    const checked = this.require('read')
    return checked instanceof Promise ? checked.then(keep) : keep()
  }

  /** UNLISTEN; of all channels without a name. */
  unlisten(channel: string | undefined): void {
    const isListening = this.subscriber !== undefined || this.changes.length > 0
    if (isListening) this.changes.push({ kind: 'unlisten', channel })
  }

  /** NOTIFY and pg_notify. Throws 22023, 42501, 53200 and 54000; see requireNotices. */
  notify(channel: string, payload: string): void {
    if (this.isMuted) return
    if (channel === '') throw pgError(pgState.badParameter, 'channel name cannot be empty')
    if (Buffer.byteLength(channel) > pgChannelBytesMax) {
      throw pgError(pgState.badParameter, 'channel name too long')
    }
    const length = Buffer.byteLength(payload)
    if (length > pgPayloadBytesMax) {
      throw pgError(pgState.badParameter, 'payload string too long')
    }
    if (eventChannel.test(channel)) throw refused('only the server notifies of key events')
    const key = `${channel}\0${payload}`
    if (this.notices.has(key)) return
    if (this.notices.size >= pgNoticesMax) {
      throw pgError(pgState.limitExceeded, 'too many notifications in the NOTIFY queue')
    }
    const bytes = noticeBytes + 2 * length
    if (!this.options.room.take(bytes)) {
      throw pgError(pgState.outOfMemory, 'the notifications of this transaction need more memory')
    }
    this.pendingBytes += bytes
    const { running: run, marks } = this
    const depth = this.depths.get(run ?? 0) ?? marks.length
    this.notices.set(key, { channel, payload, run, depth })
  }

  /**
   * A statement of the open transaction runs, perhaps again: the notices of its last run are taken
   * back. Its number is above 0; undefined when it is over.
   */
  runs(statement: number | undefined): void {
    this.running = statement
    if (statement === undefined) return
    if (!this.depths.has(statement)) this.depths.set(statement, this.marks.length)
    for (const [key, { run }] of this.notices) if (run === statement) this.notices.delete(key)
    this.allowed = Math.min(this.allowed, this.notices.size)
  }

  /** Checks the right of the notices of the last statement. Throws, or rejects with, 42501. */
  requireNotices(): Awaitable<void> {
    if (this.notices.size <= this.allowed) return
    const { size } = this.notices
    const keep = (): void => {
      this.allowed = size
    }
    const checked = this.require('write')
    return checked instanceof Promise ? checked.then(keep) : keep()
  }

  savepoint(name: string): void {
    this.marks.push({ name, changes: this.changes.length })
  }

  release(name: string): void {
    const at = Math.max(0, this.markOf(name))
    this.marks.length = at
    for (const notice of this.notices.values()) notice.depth = Math.min(notice.depth, at)
    for (const [run, depth] of this.depths) if (depth > at) this.depths.set(run, at)
  }

  /** ROLLBACK TO: what came after the savepoint is not done. */
  goBack(name: string): void {
    const at = this.markOf(name)
    const mark = this.marks[at]
    if (mark === undefined) return
    this.marks.length = at + 1
    this.changes.length = Math.min(this.changes.length, mark.changes)
    for (const [key, { depth }] of this.notices) if (depth > at) this.notices.delete(key)
    this.allowed = Math.min(this.allowed, this.notices.size)
  }

  private markOf(name: string): number {
    return this.marks.findLastIndex((mark) => mark.name === name)
  }

  /** The transaction ends. Throws, or rejects with, the error of a `prepare` that did not run. */
  settle(isCommitted: boolean): Awaitable<void> {
    if (!isCommitted) return this.rollback()
    if (!this.isPending) return
    if (this.isPrepared) return this.commit()
    try {
      const prepared = this.prepare()
      if (!(prepared instanceof Promise)) return this.commit()
      return prepared.then(
        () => this.commit(),
        (thrown) => this.fail(thrown),
      )
    } catch (thrown) {
      return this.fail(thrown)
    }
  }

  private fail(thrown: unknown): never {
    this.rollback()
    throw thrown
  }

  /**
   * Before the commit of the data: checks the rights again, and listens. Throws, or rejects with,
   * 42501 and the error of a quota; then the transaction fails.
   */
  prepare(): Awaitable<void> {
    const checks: Promise<void>[] = []
    const isListening = this.changes.some(({ kind }) => kind === 'listen')
    for (const privilege of ['read', 'write'] as const) {
      const isAsked = privilege === 'read' ? isListening : this.notices.size > 0
      const checked = isAsked ? this.require(privilege) : undefined
      if (checked instanceof Promise) checks.push(checked)
    }
    if (checks.length > 0) return Promise.all(checks).then(() => this.join())
    return this.join()
  }

  /** Listens to the new channels: a quota may refuse one, and then none is new. */
  private join(): void {
    const { channels } = this.options.host
    for (const { kind, channel } of this.changes) {
      if (kind !== 'listen' || channel === undefined) continue
      const name = Slice.ofText(channel)
      const subscriber = this.subscribed()
      if (subscriber.channels.has(name.mapKey())) continue
      channels.subscribe(subscriber, name)
      this.joined.push(name)
    }
    this.isPrepared = true
  }

  private commit(): Awaitable<void> {
    this.applyChanges()
    const notices = [...this.notices.values()]
    this.forget()
    return notices.length === 0 ? undefined : this.publish(notices)
  }

  /** In their order: the last word on a channel counts. */
  private applyChanges(): void {
    const after = new Set(this.subscriber?.channels.keys() ?? [])
    for (const { kind, channel } of this.changes) {
      const key = channel === undefined ? undefined : Slice.ofText(channel).mapKey()
      if (key === undefined) after.clear()
      else if (kind === 'listen') after.add(key)
      else after.delete(key)
    }
    for (const [key, name] of [...(this.subscriber?.channels ?? [])]) {
      if (!after.has(key)) this.leave(Slice.of(name))
    }
  }

  private async publish(notices: readonly Notice[]): Promise<void> {
    const { host, session } = this.options
    const space = this.spaceOf()
    for (const { channel, payload } of notices) {
      const [name, text] = [Slice.ofText(channel), Slice.ofText(payload)]
      const sent = host.channels.publish(space, name, text, undefined, session.id)
      if (sent instanceof Promise) await sent
    }
  }

  private rollback(): void {
    for (const name of this.joined) this.leave(name)
    this.forget()
  }

  /** The connection is closed. */
  close(): void {
    this.forget()
    this.arrivals.length = 0
    if (this.subscriber !== undefined) this.options.host.channels.leave(this.subscriber)
  }

  /** Writes what has arrived; returns whether there was something. */
  deliver(writer: MessageWriter): boolean {
    const { arrivals } = this
    if (arrivals.length === 0) return false
    for (const { sender, channel, payload } of arrivals) {
      writer.notificationResponse(sender, Slice.of(channel).text(), Slice.of(payload).text())
    }
    arrivals.length = 0
    this.options.room.release(this.arrivalBytes)
    this.arrivalBytes = 0
    return true
  }

  private receive(message: Message): void {
    const bytes = noticeBytes + message.payload.length
    this.arrivals.push(message)
    this.arrivalBytes += bytes
    this.options.room.force(bytes)
    this.options.arrived()
  }

  private subscribed(): Subscriber {
    const { session } = this.options
    this.subscriber ??= new Subscriber(session, this.spaceOf(), (message) => this.receive(message))
    return this.subscriber
  }

  private leave(name: Slice): void {
    const { subscriber } = this
    if (subscriber !== undefined) {
      this.options.host.channels.unsubscribe(subscriber, 'channels', name)
    }
  }

  private spaceOf(): Space {
    const { host, session, db } = this.options
    return this.subscriber?.space ?? host.spaceOf(session.identity, db)
  }

  private require(privilege: 'read' | 'write'): Awaitable<void> {
    const { host, session, db } = this.options
    const refuse = (thrown: unknown): never => {
      if (!hasKind(thrown, 'Unauthorized')) throw thrown
      throw refused(`permission denied for the channels of database "${db}"`)
    }
    try {
      const checked = host.requireChannels(session.identity, this.spaceOf(), privilege)
      return checked instanceof Promise ? checked.catch(refuse) : checked
    } catch (thrown) {
      return refuse(thrown)
    }
  }

  private forget(): void {
    this.notices.clear()
    this.depths.clear()
    this.running = undefined
    this.changes.length = 0
    this.joined.length = 0
    this.marks.length = 0
    this.allowed = 0
    this.isPrepared = false
    this.options.room.release(this.pendingBytes)
    this.pendingBytes = 0
  }
}

/** A name as PostgreSQL cuts it: whole characters within its bytes. */
export function channelName(written: string): string {
  if (Buffer.byteLength(written) <= pgChannelBytesMax) return written
  let [cut, bytes] = ['', 0]
  for (const character of written) {
    bytes += Buffer.byteLength(character)
    if (bytes > pgChannelBytesMax) break
    cut += character
  }
  return cut
}

function refused(message: string): Error {
  return fail('Unauthorized', message, { sqlState: '42501' })
}
