// One socket of the Redis protocol. Commands go to the connection's lane, which keeps their order;
// the replies of a pipeline leave in one write. The socket is not read while the lane waits, while
// the client does not read its replies, or when it is closing.

import type { Socket } from 'node:net'
import { GatewayError } from '../../base/errors.js'
import type { Backlog, MemoryAccount } from '../../base/heap/memory-account.js'
import {
  authFailuresPerConnectionMax,
  messageStallMs,
  pressedStallMs,
  replyStallMs,
  smallMessageBytesMax,
  socketBacklogBytesMax,
} from '../../base/limits/connections.js'
import type { Log } from '../../base/log.js'
import { KiB } from '../../base/units.js'
import type { KeyValueBus } from '../../bus/keyvalue/bus.js'
import { Lane, type LaneOwner } from '../../bus/keyvalue/clients/lane.js'
import type { ClientSocket, KeyValueSession } from '../../bus/keyvalue/clients/session.js'
import type { Command } from '../../bus/keyvalue/command.js'
import { bytesOfReply, type Reply } from '../../bus/keyvalue/reply.js'
import { knownReplyBytes } from '../../bus/keyvalue/reply-bytes.js'
import type { RunningCall } from '../../bus/keyvalue/running-call.js'
import { memoryOwner } from '../../bus/memory-owner.js'
import type { NameTable } from '../../protocol/resp/name-table.js'
import { ReplyWriter } from '../../protocol/resp/reply-writer.js'
import { isCrossProtocol, type RespRequest } from '../../protocol/resp/request.js'
import { RequestParser } from '../../protocol/resp/request-parser.js'
import type { EdgeTime } from '../edge-time.js'
import { onData } from '../other-protocol.js'
import { OutputLimit } from '../output-limit.js'
import { SignInState } from '../sign-in-state.js'
import type { Turn } from '../turn.js'
import { LongReplies, type LongRepliesOwner } from './long-replies.js'
import { writeReply } from './write-reply.js'

/** Pushed bytes that are gathered before a write. */
const pushedBytesMin = 64 * KiB

/** Shared by the connections of one listener. */
export interface RespHost {
  readonly bus: KeyValueBus
  readonly names: NameTable<Command>
  readonly memory: MemoryAccount
  readonly log: Log
  readonly turn: Turn
  readonly edge: EdgeTime
  /** The session has logged in (true) or out (false). */
  readonly onLogin: (isIn: boolean, connection: RespConnection) => void
}

export class RespConnection implements ClientSocket, LaneOwner, LongRepliesOwner {
  readonly session: KeyValueSession
  private readonly parser = new RequestParser()
  private readonly writer = new ReplyWriter()
  private readonly output = new OutputLimit()
  private readonly lane: Lane
  private readonly long: LongReplies
  private isBacklogged = false
  private isFinished = false
  /** The client has ended its side. */
  private hasEnded = false
  private isWorking = false
  /** Continues with the received bytes in the next turn. */
  private isYielding = false
  /** A flush of pushed data is scheduled. */
  private isFlushing = false
  private readonly signIn: SignInState
  /** Pushed while a command that made it listen is not answered. */
  private early: Reply[] = []
  private earlyBytes = 0
  /** Budget bytes of unparsed requests. */
  private charged = 0
  /** Of these, bytes of a large command, from the length of its argument to its reply. */
  private admitted = 0
  /** An admitted command is not complete yet. */
  private isReceiving = false
  /** There is no room for a large command. */
  private isWaiting = false
  private readonly unsent: Backlog
  /** Leaves the queue for memory; undefined if it is not queued. */
  private leaveLine: (() => void) | undefined

  constructor(
    readonly socket: Socket,
    open: (socket: ClientSocket) => KeyValueSession,
    private readonly host: RespHost,
  ) {
    this.session = open(this)
    this.unsent = host.memory.backlog({ press: () => socket.setTimeout(pressedStallMs) })
    this.lane = new Lane(host.bus, this.session, this)
    this.long = new LongReplies(this.writer, this)
    this.signIn = new SignInState(socket, (isIn) => host.onLogin(isIn, this))
    onData(socket, 'key-value protocol', (chunk) => this.receive(chunk))
    socket.on('end', () => this.ended())
    socket.on('drain', () => this.drained())
    socket.on('timeout', () => this.timedOut())
    socket.on('error', (error) => host.log.debug({ err: error }, 'key-value socket'))
    socket.on('close', () => this.closed())
    this.signIn.note(this.session.isAnonymous)
  }

  push(message: Reply): void {
    const { socket, writer } = this
    if (this.isFinished || socket.destroyed) return
    if (this.session.isJoining) {
      this.early.push(message)
      this.earlyBytes += bytesOfReply(message)
      this.isTooSlow()
      return
    }
    this.write(message)
    if (writer.length >= pushedBytesMin) this.send()
    if (this.isTooSlow()) return
    if (this.isWorking || this.isFlushing) return
    this.isFlushing = true
    setImmediate(() => {
      this.isFlushing = false
      this.send()
      this.charge()
    })
  }

  /** Whether the client has too many unsent bytes for its class. */
  private isTooSlow(): boolean {
    const { host, output, session, socket, writer } = this
    const { clock, settings } = host.bus.services
    const isListening = session.subscriptions > 0 || session.isMonitor
    const bounds = settings.outputBounds[isListening ? 'pubsub' : 'normal']
    const unsent = writer.length + socket.writableLength + this.earlyBytes
    if (output.isPassed(unsent, clock.elapsed(), bounds)) return this.cut(unsent)
    // Published messages are not delayed: with memory short, a lagging client is closed.
    const isShort = !host.memory.isQuiet && unsent > socketBacklogBytesMax
    if (isListening && isShort && !host.memory.hasRoom(this.owner)) return this.cut(unsent)
    // Without further writes, an idle time of this length closes it too.
    const isBehind = bounds.backlogBytesMax > 0 && unsent > bounds.backlogBytesMax
    if (isBehind) socket.setTimeout(bounds.backlogMs)
    return false
  }

  private cut(unsent: number): true {
    const { host, session, socket } = this
    host.log.warn(
      { remoteAddress: session.remoteAddress, unsent },
      'a client that is too slow was cut',
    )
    this.isFinished = true
    socket.destroy()
    return true
  }

  private get owner(): string {
    return memoryOwner(this.session.identity, this.socket.remoteAddress)
  }

  end(): void {
    this.session.isEnding = true
    if (this.isDone && !this.isWorking) this.finish()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The client may have ended its side while the command was running. */
  blocked(): void {
    if (this.hasEnded && !this.isAnswering) this.finish()
  }

  deliver(call: RunningCall): void {
    const { session } = this
    const { replies } = session
    if (replies === 'skip') session.replies = 'on'
    else if (replies === 'skipNext') session.replies = 'skip'
    if (replies === 'on' || isPush(call.reply)) {
      this.write(call.reply, knownReplyBytes(call))
    }
    this.signIn.note(this.session.isAnonymous)
    if (session.authFailures >= authFailuresPerConnectionMax) session.isEnding = true
  }

  joined(): void {
    const { early } = this
    this.early = []
    this.earlyBytes = 0
    for (const message of early) this.write(message)
  }

  resumed(): void {
    this.work()
  }

  written(): boolean {
    if (this.isFinished || this.socket.destroyed) return false
    this.send()
    this.charge()
    return true
  }

  get isFull(): boolean {
    return this.isBacklogged
  }

  allWritten(): void {
    this.work()
  }

  private get isHeld(): boolean {
    const isWaiting = this.isYielding || this.isBacklogged || this.isQueued
    return !this.isDone || isWaiting || this.isOver
  }

  /** Whether every accepted command has its reply. */
  private get isDone(): boolean {
    return !this.lane.isBusy && !this.long.isWriting
  }

  private get isAnswering(): boolean {
    const isRunning = this.lane.isBusy && !this.session.isBlocked
    const isWaiting = this.isYielding || this.isBacklogged || this.isQueued
    return isRunning || isWaiting || this.long.isWriting
  }

  /** Whether it waits for memory. */
  private get isQueued(): boolean {
    return this.isWaiting || this.leaveLine !== undefined
  }

  private get isOver(): boolean {
    return this.session.isEnding || this.isFinished
  }

  private receive(chunk: Buffer): void {
    this.parser.push(chunk)
    if (this.isHeld) {
      this.socket.pause()
      this.charge()
    } else this.work()
  }

  /** Runs the received commands until one has to wait. */
  private work(): void {
    if (this.isWorking) return
    const { edge } = this.host
    this.isWorking = true
    const isTimed = edge.begin(this.parser.heldBytes)
    try {
      if (this.lane.hasDeferred && this.mayGoOn()) this.lane.goOn()
      this.takeArrived()
      this.takeRequests()
    } catch (error) {
      this.broken(error)
    }
    this.isWorking = false
    this.send()
    this.charge()
    if (isTimed) edge.end(this.session)
    if (this.lane.hasDeferred && !this.isYielding && this.mayGoOn()) this.yield()
    if (this.session.isEnding && this.isDone) this.finish()
    else if (this.hasEnded && !this.isAnswering) this.finish()
    else if (!this.isHeld && this.socket.isPaused()) this.socket.resume()
  }

  /** Commands of a client that ended its side are still answered; blocked ones are not. */
  private ended(): void {
    this.hasEnded = true
    this.work()
    if (!this.isFinished) this.socket.setTimeout(messageStallMs)
  }

  /**
   * What has come while the lane was waiting, so that it shares a program: the socket has it in
   * many pieces, and would hand on one at a time.
   */
  private takeArrived(): void {
    const { socket } = this
    if (!this.isHeld && socket.isPaused() && socket.readableLength > 0) socket.read()
  }

  private takeRequests(): void {
    const { memory } = this.host
    while (!this.isHeld) {
      if (this.host.turn.isOver()) {
        this.giveWay()
        return
      }
      const mayWait = !this.isReceiving && !this.lane.isGathering
      if (mayWait && !memory.isQuiet && !this.mayGoOn()) return
      // While a command blocks, the rest of a long pipeline stays unparsed, and so counted.
      if (this.lane.mayBlock && this.parser.heldBytes > smallMessageBytesMax) {
        this.lane.flush()
        return
      }
      const request = this.nextRequest()
      if (request === undefined) {
        this.lane.flush()
        if (!this.isHeld) this.admit()
        return
      }
      this.received()
      this.submit(request)
    }
  }

  /**
   * A large command needs room in the budget before it is read, as its lengths tell: commands that
   * were read in part would hold the memory that they wait for.
   */
  private admit(): void {
    const { budget } = this.host.memory
    const wanted = this.parser.awaitedBytes
    if (wanted <= smallMessageBytesMax || wanted <= this.admitted) return
    const due = wanted - this.charged
    this.admitted = wanted
    this.isReceiving = true
    if (due <= 0 || budget.take(due, this.enter, this.charged)) {
      this.charged = Math.max(this.charged, wanted)
      this.socket.setTimeout(messageStallMs)
    } else {
      this.isWaiting = true
      // One that holds much may be what the others wait for.
      if (this.charged > smallMessageBytesMax) this.socket.setTimeout(messageStallMs)
      else this.signIn.setIdleTimeout()
      this.socket.pause()
    }
  }

  private readonly enter = (): void => {
    this.isWaiting = false
    this.charged = this.admitted
    this.socket.setTimeout(messageStallMs)
    this.work()
  }

  private received(): void {
    if (!this.isReceiving) return
    this.isReceiving = false
    // It keeps the room that it was gathered in, and the offsets of its arguments.
    this.admitted = Math.max(this.admitted, this.charged)
    this.signIn.setIdleTimeout()
  }

  private giveWay(): void {
    this.lane.flush()
    this.yield()
  }

  /** Whether postponed commands may run: the client has read most of what was sent. */
  private mayGoOn(): boolean {
    if (this.isBacklogged || this.leaveLine !== undefined) return false
    if (!this.host.memory.isQuiet) this.waitForRoom()
    return this.leaveLine === undefined
  }

  private waitForRoom(): void {
    const { memory } = this.host
    const { owner } = this
    this.charge()
    if (memory.hasRoom(owner, this.charged)) return
    const admit = () => {
      this.leaveLine = undefined
      this.work()
    }
    this.leaveLine = memory.whenRoom(owner, admit, this.charged)
  }

  private yield(): void {
    this.isYielding = true
    setImmediate(() => {
      this.isYielding = false
      this.work()
    })
  }

  private submit(request: RespRequest): void {
    if (isCrossProtocol(request)) {
      this.socket.destroy()
      this.isFinished = true
      return
    }
    this.lane.submit(request.read(0, this.host.names.find), request)
  }

  /** The next complete command; undefined if more bytes are needed, or none can follow. */
  private nextRequest(): RespRequest | undefined {
    this.parser.authenticated = !this.session.isAnonymous
    try {
      return this.parser.next()
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.lane.flush()
      if (!this.isDone) return undefined
      this.writer.protocolError(error)
      this.session.isEnding = true
      return undefined
    }
  }

  /** `known`: bytes of the reply, if they were counted. */
  private write(reply: Reply, known = 0): void {
    const { writer, session, long } = this
    if (long.takes(reply, session.respVersion, known)) return
    writer.protocol = session.respVersion
    writeReply(writer, reply)
  }

  private send(): void {
    const { socket, writer } = this
    if (writer.length === 0 || socket.destroyed) return
    if (writer.length + socket.writableLength > socketBacklogBytesMax && this.isTooSlow()) return
    const pieces = writer.take()
    const [first] = pieces
    if (pieces.length === 1 && first !== undefined) socket.write(first)
    else {
      socket.cork()
      for (const piece of pieces) socket.write(piece)
      socket.uncork()
    }
    if (socket.writableLength > socketBacklogBytesMax && !this.isBacklogged) {
      this.isBacklogged = true
      socket.setTimeout(replyStallMs)
    }
  }

  private drained(): void {
    if (this.isBacklogged) {
      this.isBacklogged = false
      this.signIn.setIdleTimeout()
      this.long.goOn()
    }
    this.work()
  }

  /**
   * Counts the memory of this connection; small requests and replies in transit are not counted.
   */
  private charge(): void {
    // Its memory was released for good, or changes when it is admitted.
    if (this.session.closed || this.isWaiting) return
    const { heldBytes } = this.parser
    const unsent = this.writer.length + this.socket.writableLength + this.long.bytesWaiting
    const owed = unsent > smallMessageBytesMax ? unsent : 0
    if (owed !== this.unsent.bytes) this.unsent.set(owed, this.owner)
    if (!this.isReceiving && this.isDone) this.admitted = 0
    const due = Math.max(heldBytes > smallMessageBytesMax ? heldBytes : 0, this.admitted)
    const more = due - this.charged
    if (more === 0) return
    this.charged = due
    const { budget } = this.host.memory
    if (more > 0) budget.charge(more)
    else budget.release(-more)
  }

  /** Sends unsent data, then closes. */
  private finish(): void {
    if (this.isFinished) return
    this.send()
    this.isFinished = true
    this.socket.setTimeout(messageStallMs)
    this.socket.destroySoon()
  }

  private broken(error: unknown): void {
    this.host.log.error(
      { err: error, remoteAddress: this.session.remoteAddress },
      'key-value connection failed',
    )
    this.isFinished = true
    this.socket.destroy()
  }

  /** With unsent replies, the cause is a client that does not read. */
  private timedOut(): void {
    if (this.isDone || this.isBacklogged || this.hasEnded) this.socket.destroy()
  }

  private closed(): void {
    this.session.closed = true
    this.host.bus.closed(this.session)
    this.isFinished = true
    const { budget } = this.host.memory
    if (this.isWaiting) budget.cancel(this.enter)
    if (this.charged > 0) budget.release(this.charged)
    this.charged = 0
    this.unsent.close()
    this.leaveLine?.()
    this.leaveLine = undefined
    this.signIn.closed()
  }
}

/** Subscription messages reach a client that suppresses replies too. */
function isPush(reply: Reply): boolean {
  if (reply === null || typeof reply !== 'object' || !('kind' in reply)) return false
  return reply.kind === 'push' || reply.kind === 'several'
}
