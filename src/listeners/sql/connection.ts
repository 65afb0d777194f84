// One socket of the PostgreSQL protocol. Messages are answered in order, one at a time. Pipelined
// ones wait unread in the kernel, as do all messages of a client that does not read its replies.
// TLS starts inside the protocol, at the client's request.

import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../../base/clock.js'
import type { ByteShares } from '../../base/heap/byte-shares.js'
import type { Backlog, MemoryAccount } from '../../base/heap/memory-account.js'
import {
  anonymousIdleMs,
  messageStallMs,
  pressedStallMs,
  replyStallMs,
  smallMessageBytesMax,
  socketBacklogBytesMax,
  tcpKeepAliveMs,
} from '../../base/limits/connections.js'
import { pgAnswerBytes, pgLongMessageBytes, pgStatementsAtOnce } from '../../base/limits/sql.js'
import type { Log } from '../../base/log.js'
import { memoryOwner } from '../../bus/memory-owner.js'
import type { Session } from '../../bus/session.js'
import type { ErrorFields } from '../../protocol/pgwire/error-fields.js'
import { type Frame, MessageSplitter } from '../../protocol/pgwire/message-splitter.js'
import { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import type { Awaitable } from '../../store/store.js'
import type { EdgeTime } from '../edge-time.js'
import { onData } from '../other-protocol.js'
import { OutputLimit } from '../output-limit.js'
import { stoppingFields } from './answers.js'
import { Dialogue } from './dialogue.js'
import { Entry, type EntryOptions, isOurs } from './entry.js'
import type { ChannelHost } from './notifications.js'
import type { RunnerHost } from './runner.js'

/** Shared by the connections of one listener. */
export interface SqlHost extends RunnerHost {
  readonly memory: MemoryAccount
  readonly kept: ByteShares
  readonly log: Log
  readonly clock: Clock
  readonly channels: ChannelHost
  readonly edge: EdgeTime
  readonly onLogin: (isIn: boolean, connection: SqlConnection) => void
  /** Certificate and key for TLS; undefined if there is none. */
  readonly tls: () => { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly interrupt: (session: Session) => void
}

const syncType = 0x53

export class SqlConnection {
  /** The key that a CancelRequest must have. */
  readonly secret: Uint8Array
  private readonly splitter = new MessageSplitter()
  private readonly writer = new MessageWriter()
  private readonly entry: Entry
  private dialogue: Dialogue | undefined
  /** The current socket: the TLS socket once there is one. */
  socket: Socket
  private isBusy = false
  /** Data came while it was busy. */
  private hasMore = false
  /** A large message waits for room. */
  private isWaiting = false
  /** The final error: no further message is accepted. */
  private last: ErrorFields | undefined
  private isOver = false
  private isSignedIn = false
  private drained: (() => void) | undefined
  private requestCharge = 0
  private readonly output = new OutputLimit()
  private readonly unsent: Backlog
  /** Leaves the queue for memory and continues; undefined if it is not queued. */
  private leaveLine: (() => void) | undefined

  constructor(
    socket: Socket,
    readonly session: Session,
    private readonly host: SqlHost,
    options: Omit<EntryOptions, 'session' | 'writer'> & { readonly secret: Uint8Array },
  ) {
    this.secret = options.secret
    this.entry = new Entry({ ...options, session, writer: this.writer })
    this.socket = socket
    socket.setNoDelay(true)
    socket.setKeepAlive(true, tcpKeepAliveMs)
    socket.on('close', () => this.closed())
    this.unsent = host.memory.backlog({ press: () => this.socket.setTimeout(pressedStallMs) })
    this.listenTo(socket)
    session.hangUp = () => this.destroy()
  }

  /** Accepts no further message; sends the reason and closes after the running one. */
  end(why: ErrorFields = stoppingFields): void {
    this.last ??= why
    if (!this.isBusy) this.finish()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** Cancels the running statement. */
  cancel(): void {
    this.dialogue?.cancel()
  }

  private listenTo(socket: Socket): void {
    this.socket = socket
    socket.setTimeout(this.isSignedIn ? 0 : anonymousIdleMs)
    onData(socket, 'PostgreSQL protocol', this.receive)
    socket.on('drain', this.tookAll)
    socket.on('timeout', () => {
      if (!this.isBusy && !this.isWaiting) socket.destroy()
      else if (this.drained !== undefined) socket.destroy()
    })
    socket.on('error', (error) => {
      this.host.log.debug(
        { err: error, remoteAddress: this.session.remoteAddress },
        'PostgreSQL socket',
      )
    })
  }

  private readonly receive = (chunk: Buffer): void => {
    this.splitter.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length))
    if (!this.isHeld) {
      this.proceed()
      return
    }
    this.hasMore = true
    this.socket.pause()
  }

  private get isHeld(): boolean {
    return this.isBusy || this.isWaiting || this.last !== undefined || this.isOver
  }

  private proceed(): void {
    if (this.isHeld || this.socket.destroyed) return
    this.isBusy = true
    this.hasMore = false
    this.work().then(
      () => {
        this.isBusy = false
        if (this.last !== undefined) this.finish()
        else if (this.hasMore) this.proceed()
        else {
          if (!this.isHeld) this.socket.resume()
          this.arrived()
        }
      },
      (error) => this.broken(error),
    )
  }

  /** Answers the received messages. */
  private async work(): Promise<void> {
    for (let served = 1; !this.isOver && this.last === undefined; served++) {
      if (this.socket.destroyed) break
      // Many small messages came at once, and a cancel may be waiting on another socket.
      if (served % pgStatementsAtOnce === 0) await nextTurn()
      let frame: Frame | undefined
      try {
        frame = this.splitter.next()
      } catch (error) {
        // Message bounds are lost: this is the last reply.
        this.refuse(error)
        break
      }
      if (frame === undefined) {
        this.gather()
        break
      }
      if (!this.host.memory.isQuiet) {
        await this.room()
        if (this.isOver) break
      }
      const answered = this.serve(frame)
      if (answered instanceof Promise) await answered
      // Each step of a long parameter, such as Bind and Execute, copies it.
      if (frame.body.length > pgLongMessageBytes) await nextTurn()
      if (this.writer.length > pgAnswerBytes) await this.send()
    }
    this.dialogue?.rest()
    const sent = this.send()
    if (sent instanceof Promise) await sent
  }

  /** Waits for memory for a message's reply. */
  private room(): Awaitable<void> {
    const { memory } = this.host
    const owner = memoryOwner(this.session.identity, this.socket.remoteAddress)
    if (memory.hasRoom(owner) || this.socket.destroyed) return
    return new Promise((resolve) => {
      const leave = memory.whenRoom(owner, () => {
        this.leaveLine = undefined
        resolve()
      })
      this.leaveLine = () => {
        leave()
        resolve()
      }
    })
  }

  private serve(frame: Frame): Awaitable<void> {
    this.charge(frame.body.length)
    if (this.dialogue === undefined) return this.enter(frame).finally(() => this.settle())
    const { edge } = this.host
    const isTimed = edge.begin(frame.body.length)
    let handled: Awaitable<boolean>
    try {
      handled = this.dialogue.handle(frame)
    } finally {
      if (isTimed) edge.end(this.session)
    }
    return handled instanceof Promise
      ? handled.then((isOver) => this.served(isOver))
      : this.served(handled)
  }

  /** `isOver`: the client disconnects. */
  private served(isOver: boolean): void {
    this.settle()
    if (isOver) this.leave()
  }

  private async enter(frame: Frame): Promise<void> {
    try {
      const step = await this.entry.take(frame)
      // A client that disconnected during its login starts nothing.
      if (this.isOver) return
      if (step === 'tls') this.secure()
      else if (step === 'end') this.leave()
      else if (step === 'login') this.splitter.phase = 'login'
      else if (step === 'session') this.begin()
    } catch (error) {
      this.refuse(error)
    }
  }

  private begin(): void {
    const { session, host, entry, writer } = this
    const { settings, database } = entry
    if (settings === undefined) return
    this.splitter.phase = 'session'
    writer.backendKeyData(session.id, this.secret)
    this.dialogue = new Dialogue({
      host,
      session,
      db: database,
      settings,
      writer,
      flush: () => this.send(),
      isSyncNext: () => this.splitter.nextType === syncType,
      interrupt: () => host.interrupt(session),
      arrived: () => this.arrived(),
    })
    this.dialogue.begin()
    this.isSignedIn = true
    host.onLogin(true, this)
    this.socket.setTimeout(0)
  }

  /** The TLS handshake follows; no unencrypted bytes may precede it. */
  private secure(): void {
    const { socket, host } = this
    const tls = host.tls()
    if (tls === undefined || this.splitter.hasRest) {
      this.leave()
      return
    }
    this.sendNow()
    socket.off('data', this.receive)
    socket.off('drain', this.tookAll)
    socket.setTimeout(0)
    const secureContext = createSecureContext(tls)
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    this.entry.secured()
    this.listenTo(secure)
  }

  /** Sends an error after which the connection closes. */
  private refuse(thrown: unknown): void {
    if (isOurs(thrown)) {
      this.host.log.error(
        { err: thrown, remoteAddress: this.session.remoteAddress },
        'PostgreSQL connection failed',
      )
    }
    this.writer.errorResponse(this.entry.fields(thrown))
    this.leave()
  }

  /** Sends unsent data, then closes. */
  private leave(): void {
    if (this.isOver) return
    this.isOver = true
    this.sendNow()
    this.socket.setTimeout(messageStallMs)
    this.socket.destroySoon()
  }

  private finish(): void {
    if (this.isOver || this.socket.destroyed) return
    // Before the login the protocol has not started.
    if (this.last !== undefined && this.dialogue !== undefined) this.writer.errorResponse(this.last)
    this.leave()
  }

  private sendNow(): void {
    const { socket, writer } = this
    if (writer.length === 0) return
    const bytes = writer.take()
    if (!socket.destroyed) socket.write(bytes)
  }

  /** Sends the gathered replies; a promise if the client must first read some. */
  private send(): Awaitable<void> {
    this.sendNow()
    const { socket } = this
    const unsent = socket.writableLength
    if (unsent === 0) return
    this.unsent.set(unsent, memoryOwner(this.session.identity, socket.remoteAddress))
    if (unsent <= socketBacklogBytesMax || socket.destroyed) return
    socket.setTimeout(replyStallMs)
    this.dialogue?.rest()
    return new Promise((resolve) => {
      this.drained = resolve
    })
  }

  /** Notifications are not delayed for a slow client: above the bounds its connection is closed. */
  private arrived(): void {
    const { dialogue, host, socket } = this
    if (dialogue === undefined || this.isOver || socket.destroyed) return
    if (!this.isBusy && dialogue.deliver()) {
      this.sendNow()
      this.unsent.set(
        socket.writableLength,
        memoryOwner(this.session.identity, socket.remoteAddress),
      )
    }
    const unsent = dialogue.bytesWaiting + socket.writableLength
    if (unsent === 0) return
    if (!this.output.isPassed(unsent, host.clock.elapsed(), host.channels.bounds())) return
    host.log.warn(
      { unsent },
      'a PostgreSQL session that reads its notifications too slowly was cut',
    )
    socket.destroy()
  }

  private readonly tookAll = (): void => {
    this.unsent.set(0, '')
    const { drained } = this
    if (drained === undefined) return
    this.drained = undefined
    this.socket.setTimeout(this.isSignedIn ? 0 : anonymousIdleMs)
    drained()
  }

  /** A large message needs room in the budget before the rest is read. */
  private gather(): void {
    const length = this.splitter.gathering
    if (length <= smallMessageBytesMax || this.requestCharge > 0) return
    this.requestCharge = length
    if (this.host.memory.budget.take(length, this.admit)) {
      this.socket.setTimeout(messageStallMs)
      return
    }
    this.isWaiting = true
    this.socket.pause()
  }

  private readonly admit = (): void => {
    this.isWaiting = false
    this.socket.setTimeout(messageStallMs)
    this.socket.resume()
    this.proceed()
  }

  private charge(bytes: number): void {
    if (this.requestCharge > 0) {
      this.socket.setTimeout(this.isSignedIn ? 0 : anonymousIdleMs)
      return
    }
    this.requestCharge = bytes
    this.host.memory.budget.charge(bytes)
  }

  private settle(): void {
    const bytes = this.requestCharge
    this.requestCharge = 0
    this.host.memory.budget.release(bytes)
    this.session.replied()
  }

  private broken(error: unknown): void {
    this.isBusy = false
    this.host.log.error(
      { err: error, remoteAddress: this.session.remoteAddress },
      'PostgreSQL connection failed',
    )
    this.socket.destroy()
  }

  private closed(): void {
    const { session, host } = this
    session.closed = true
    this.isOver = true
    this.dialogue?.close()
    this.drained?.()
    this.drained = undefined
    if (this.isWaiting) {
      this.isWaiting = false
      this.requestCharge = 0
      host.memory.budget.cancel(this.admit)
    }
    if (!this.isBusy) this.settle()
    this.unsent.close()
    this.leaveLine?.()
    this.leaveLine = undefined
    if (this.isSignedIn) host.onLogin(false, this)
  }
}
