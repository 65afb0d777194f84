// One socket of the MongoDB protocol. Requests are answered in order, one at a time. Pipelined
// requests wait unread in the kernel, and so do all requests of a client that does not read its
// replies. The socket is paused for three reasons (see `isHeld`) and read otherwise.

import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes } from '../../base/bytes/bytes.js'
import { codeRow, type GatewayError, toGatewayError } from '../../base/errors.js'
import type { Backlog, MemoryAccount } from '../../base/heap/memory-account.js'
import {
  authFailuresPerConnectionMax,
  messageStallMs,
  pressedStallMs,
  replyStallMs,
  smallMessageBytesMax,
  socketBacklogBytesMax,
} from '../../base/limits/connections.js'
import { anonymousMessageBytesMax, messageBytesMax } from '../../base/limits/documents.js'
import type { Log } from '../../base/log.js'
import type { ClusterTime } from '../../bus/document/cluster-time.js'
import { commandName } from '../../bus/document/command-name.js'
import { errorReply } from '../../bus/document/reply.js'
import type { Request } from '../../bus/document/request.js'
import { memoryOwner } from '../../bus/memory-owner.js'
import type { Session } from '../../bus/session.js'
import { FrameSplitter } from '../../protocol/wire/frame-splitter.js'
import { opcode, readHeader } from '../../protocol/wire/header.js'
import {
  deflateMessage,
  inflatedLength,
  inflateMessage,
} from '../../protocol/wire/op-compressed.js'
import type { Awaitable } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { EdgeTime } from '../edge-time.js'
import { onData } from '../other-protocol.js'
import { SignInState } from '../sign-in-state.js'
import type { Turn } from '../turn.js'
import { type Envelope, encodeAnswer, envelopeOf, isServed, requestOf } from './exchange.js'
import type { HelloOnly, Visit } from './hello-only.js'

/** Shared by the connections of one listener. */
export interface ConnectionHost {
  readonly run: (request: Request, session: Session) => Awaitable<Document>
  /** Undefined for a standalone server. */
  readonly clusterTime: Pick<ClusterTime, 'addTo'> | undefined
  readonly helloOnly: HelloOnly
  readonly memory: MemoryAccount
  readonly log: Log
  readonly edge: EdgeTime
  readonly turn: Turn
  /** The session has logged in (true) or out (false). */
  readonly onLogin: (isIn: boolean, connection: WireConnection) => void
}

/** A message that runs again, because its client accepts several replies. */
interface Following {
  readonly request: Request
  readonly envelope: Envelope
}

/** Larger replies are written after their head without a copy, bytes. */
const copiedReplyBytesMax = smallMessageBytesMax

export class WireConnection {
  private readonly splitter = new FrameSplitter(anonymousMessageBytesMax)
  private readonly signIn: SignInState
  /** Three reasons to pause: a running command, unread replies, no room for a message. */
  private isBusy = false
  private isBacklogged = false
  private isWaiting = false
  /** Continues with the received messages in the next turn. */
  private isYielding = false
  /** The next message is the first one of a packet. */
  private isFirst = false
  /** No further request is accepted; the socket closes after the running one. */
  private isEnding = false
  private replyId = 0
  /** Bytes of the last chunk. */
  private arrived = 0
  /** Budget bytes of the current message. */
  private requestCharge = 0
  private readonly unsent: Backlog
  /** Runs before the next message. */
  private following: Following | undefined
  /** Leaves the queue for memory; undefined if it is not queued. */
  private leaveLine: (() => void) | undefined
  /** Until the first command that is no hello. */
  private visit: Visit | undefined

  constructor(
    readonly socket: Socket,
    readonly session: Session,
    private readonly host: ConnectionHost,
  ) {
    this.visit = host.helloOnly.begin(session)
    this.signIn = new SignInState(socket, (isIn) => host.onLogin(isIn, this))
    this.unsent = host.memory.backlog({ press: () => socket.setTimeout(pressedStallMs) })
    onData(socket, 'document wire', (chunk) => this.receive(chunk))
    socket.on('drain', () => this.drained())
    socket.on('timeout', () => this.timedOut())
    socket.on('error', (error) =>
      host.log.debug({ err: error, remoteAddress: session.remoteAddress }, 'socket'),
    )
    socket.on('close', () => this.closed())
    session.hangUp = () => this.destroy()
    this.noteIdentity()
  }

  /** Accepts no further request; closes after the running one. */
  end(): void {
    this.isEnding = true
    if (!this.isBusy) this.finish()
  }

  destroy(): void {
    this.socket.destroy()
  }

  private get isHeld(): boolean {
    const isWaiting = this.isWaiting || this.isYielding || this.leaveLine !== undefined
    return this.isBusy || this.isBacklogged || isWaiting || this.isEnding
  }

  private receive(chunk: Buffer): void {
    this.arrived = chunk.length
    this.isFirst = true
    this.splitter.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length))
    if (this.isHeld) this.socket.pause()
    else this.work()
  }

  /** Answers the received messages until one has to wait. */
  private work(): void {
    const { edge } = this.host
    const isTimed = edge.begin(this.arrived)
    try {
      this.takeMessages()
    } finally {
      if (isTimed) edge.end(this.session)
    }
  }

  private takeMessages(): void {
    let isCorked = false
    while (!this.isHeld && !this.socket.destroyed) {
      if (this.mustGiveWay()) break
      if (!this.host.memory.isQuiet && !this.hasRoom()) break
      if (this.following !== undefined) {
        this.follow(this.following)
        break
      }
      const message = this.nextMessage()
      if (message === undefined) break
      // Replies to pipelined requests leave together: the write is most of the cost of a ping.
      if (!isCorked && this.splitter.hasRest) {
        isCorked = true
        this.socket.cork()
      }
      this.answer(message)
    }
    if (isCorked) this.socket.uncork()
  }

  /** Many commands end in the turn that they begin in: other clients come between them. */
  private mustGiveWay(): boolean {
    const isFirst = this.isFirst
    this.isFirst = false
    if (isFirst || !this.host.turn.isOver()) return false
    this.isYielding = true
    setImmediate(() => {
      this.isYielding = false
      this.proceed()
    })
    return true
  }

  private get owner(): string {
    return memoryOwner(this.session.identity, this.socket.remoteAddress)
  }

  /** Whether a request may run; otherwise it waits until replies are read. */
  private hasRoom(): boolean {
    const { memory } = this.host
    const { owner } = this
    if (memory.hasRoom(owner)) return true
    this.leaveLine = memory.whenRoom(owner, () => {
      this.leaveLine = undefined
      this.proceed()
    })
    return false
  }

  /** The next complete message; undefined if more bytes are needed, or none can follow. */
  private nextMessage(): Bytes | undefined {
    this.splitter.lengthMax = this.signIn.isAnonymous ? anonymousMessageBytesMax : messageBytesMax
    try {
      const message = this.splitter.next()
      if (message === undefined) this.gather()
      return message
    } catch (error) {
      // Message bounds are lost: the client would not understand a reply.
      this.host.log.debug(
        { err: error, remoteAddress: this.session.remoteAddress },
        'bad message length',
      )
      this.socket.destroy()
      return undefined
    }
  }

  /** A large message needs room in the budget before the rest is read. */
  private gather(): void {
    const length = this.splitter.gathering
    if (length > smallMessageBytesMax && this.requestCharge === 0) {
      this.requestCharge = length
      if (!this.host.memory.budget.take(length, this.admit)) {
        this.isWaiting = true
        this.socket.pause()
        return
      }
      this.socket.setTimeout(messageStallMs)
    }
    this.socket.resume()
  }

  private readonly admit = (): void => {
    this.isWaiting = false
    this.socket.setTimeout(messageStallMs)
    this.proceed()
  }

  private answer(message: Bytes): void {
    if (this.requestCharge === 0) {
      this.requestCharge = message.length
      this.host.memory.budget.charge(message.length)
    } else {
      this.signIn.setIdleTimeout()
    }
    let pending: Awaitable<void>
    try {
      pending = this.process(message)
    } catch (error) {
      this.broken(error)
      return
    }
    if (!(pending instanceof Promise)) {
      this.settle()
      return
    }
    this.settleAfter(pending)
  }

  /** Another reply to a message, in a turn of its own: other clients' messages run in between. */
  private follow({ request, envelope }: Following): void {
    this.following = undefined
    this.settleAfter(nextTurn().then(() => this.execute(request, envelope)))
  }

  private settleAfter(pending: Promise<void>): void {
    this.isBusy = true
    pending.then(
      () => {
        this.isBusy = false
        this.settle()
        this.proceed()
      },
      (error) => this.broken(error),
    )
  }

  private process(message: Bytes): Awaitable<void> {
    const code = readHeader(message).opcode
    if (code === opcode.compressed) return this.processCompressed(message)
    return this.serve(message, envelopeOf(message, false))
  }

  private async processCompressed(packed: Bytes): Promise<void> {
    // Only compression agreed in hello.
    if (this.session.compression.length === 0) {
      this.socket.destroy()
      return
    }
    let message: Bytes
    try {
      // A driver's monitor never logs in, and compresses its hello.
      const length = inflatedLength(packed, this.splitter.lengthMax)
      this.host.memory.budget.charge(length)
      this.requestCharge += length
      message = await inflateMessage(packed)
    } catch (error) {
      const { requestId } = readHeader(packed)
      const sent = { wantsReply: true, allowsMore: false, isCompressed: false }
      const envelope = { requestId, opcode: opcode.message, ...sent }
      await this.refuse(envelope, toGatewayError(error))
      return
    }
    await this.serve(message, envelopeOf(message, true))
  }

  private serve(message: Bytes, envelope: Envelope): Awaitable<void> {
    if (!isServed(envelope.opcode)) {
      this.socket.destroy()
      return
    }
    let request: Awaitable<Request>
    try {
      request = requestOf(message, envelope.opcode)
    } catch (error) {
      return this.refuse(envelope, toGatewayError(error))
    }
    if (!(request instanceof Promise)) {
      return this.execute(envelope.allowsMore ? streamed(request, message) : request, envelope)
    }
    return request.then(
      (whole) => this.execute(whole, envelope),
      (error) => this.refuse(envelope, toGatewayError(error)),
    )
  }

  private execute(request: Request, envelope: Envelope): Awaitable<void> {
    let reply: Awaitable<Document>
    if (request.stream !== undefined) request.stream.continues = false
    if (this.visit?.goesOn(commandName(request.body)) === false) this.visit = undefined
    try {
      reply = this.host.run(request, this.session)
    } catch (error) {
      return this.reply(envelope, this.errorDocument(error, envelope))
    }
    if (!(reply instanceof Promise)) return this.replyTo(request, envelope, reply)
    return reply.then(
      (document) => this.replyTo(request, envelope, document),
      (error) => this.reply(envelope, this.errorDocument(error, envelope)),
    )
  }

  /** Replies, and notes whether the message runs again. */
  private replyTo(request: Request, envelope: Envelope, document: Document): Awaitable<void> {
    const { stream } = request
    if (stream?.continues !== true) return this.reply(envelope, document)
    if (this.socket.destroyed) {
      stream.abandon?.()
      return
    }
    stream.replies++
    const pending = this.reply(envelope, document, true)
    this.following = { request, envelope: { ...envelope, requestId: this.replyId } }
    return pending
  }

  /** Answers a malformed message if possible; it may be the last one. */
  private refuse(envelope: Envelope, error: GatewayError): Awaitable<void> {
    if (codeRow(error.kind)?.closes === true) this.isEnding = true
    return this.reply(envelope, this.errorDocument(error, envelope))
  }

  private errorDocument(thrown: unknown, envelope: Envelope): Document {
    const error = toGatewayError(thrown)
    if (!envelope.wantsReply) {
      this.host.log.debug(
        { err: error, remoteAddress: this.session.remoteAddress },
        'unacknowledged command failed',
      )
    }
    const { clusterTime } = this.host
    return clusterTime === undefined ? errorReply(error) : clusterTime.addTo(errorReply(error))
  }

  private reply(envelope: Envelope, document: Document, moreToCome = false): Awaitable<void> {
    this.noteIdentity()
    if (this.session.authFailures >= authFailuresPerConnectionMax) this.isEnding = true
    // With moreToCome the client would take this reply for that of its next command.
    if (!envelope.wantsReply || this.socket.destroyed) return
    this.replyId = (this.replyId + 1) & 0x7fffffff
    const isLarge = document.length > copiedReplyBytesMax
    const headOnly = isLarge && envelope.opcode === opcode.message
    const message = encodeAnswer(envelope, this.replyId, document, { headOnly, moreToCome })
    const rest = headOnly ? document : undefined
    if (!envelope.isCompressed) {
      this.send(message, rest)
      return
    }
    const packed = deflateMessage(message, rest)
    if (packed instanceof Promise) return packed.then((pieces) => this.sendAll(pieces))
    this.sendAll(packed)
  }

  private sendAll(pieces: readonly Bytes[]): void {
    const { socket } = this
    socket.cork()
    for (const piece of pieces) this.send(piece)
    socket.uncork()
  }

  private send(message: Bytes, rest?: Bytes): void {
    const { socket } = this
    if (socket.destroyed) return
    if (rest !== undefined) {
      socket.cork()
      socket.write(message)
      socket.write(rest)
      socket.uncork()
    } else {
      socket.write(message)
    }
    if (!socket.writableNeedDrain) return
    const unsent = socket.writableLength
    this.unsent.set(unsent, this.owner)
    if (unsent > socketBacklogBytesMax) {
      this.isBacklogged = true
      this.socket.setTimeout(replyStallMs)
    }
  }

  private drained(): void {
    this.unsent.set(0, this.owner)
    if (!this.isBacklogged) return
    this.isBacklogged = false
    this.signIn.setIdleTimeout()
    this.proceed()
  }

  /** The current message is done: releases its bytes. */
  private settle(): void {
    const bytes = this.requestCharge
    this.requestCharge = 0
    this.host.memory.budget.release(bytes)
    this.session.replied()
    if (this.isEnding) this.finish()
  }

  /** One reason to pause has ended: continues with pipelined requests, then reads again. */
  private proceed(): void {
    if (this.isHeld || this.socket.destroyed) return
    this.work()
  }

  /** Sends unsent data, then closes. */
  private finish(): void {
    if (this.socket.destroyed) return
    this.socket.setTimeout(messageStallMs)
    this.socket.destroySoon()
  }

  private broken(error: unknown): void {
    this.isBusy = false
    this.host.log.error(
      { err: error, remoteAddress: this.session.remoteAddress },
      'wire connection failed',
    )
    this.socket.destroy()
  }

  private noteIdentity(): void {
    this.signIn.note(this.session.identity.kind === 'anonymous')
  }

  /** With unsent replies, the cause is a client that does not read. */
  private timedOut(): void {
    if (this.isBacklogged || (!this.isBusy && !this.isWaiting)) this.socket.destroy()
  }

  private closed(): void {
    this.session.closed = true
    this.visit?.end()
    this.following?.request.stream?.abandon?.()
    this.following = undefined
    if (this.isWaiting) {
      this.isWaiting = false
      this.requestCharge = 0
      this.host.memory.budget.cancel(this.admit)
    }
    // A running command still holds its message; `settle` releases it when the command ends.
    if (!this.isBusy) {
      this.host.memory.budget.release(this.requestCharge)
      this.requestCharge = 0
    }
    this.unsent.close()
    this.leaveLine?.()
    this.leaveLine = undefined
    this.signIn.closed()
  }
}

/** A message that runs again stays in memory, so a large one gets a single reply. */
function streamed(request: Request, message: Bytes): Request {
  if (message.length > smallMessageBytesMax) return request
  return { ...request, stream: { replies: 0, continues: false, abandon: undefined } }
}
