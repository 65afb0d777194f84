// Unread replies of one HTTP socket. Pipelined requests wait until the replies before them are
// mostly read, and unsent bytes count for their owner. Single requests with small replies skip all
// this.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fail } from '../../../base/errors.js'
import type { Backlog, MemoryAccount } from '../../../base/heap/memory-account.js'
import {
  pipelineReplyBytes,
  pressedStallMs,
  replyStallMs,
  smallMessageBytesMax,
  socketBacklogBytesMax,
} from '../../../base/limits/connections.js'
import { memoryWaitMsMax, pipelinedRequestsMax } from '../../../base/limits/http.js'
import { memoryOwner } from '../../../bus/memory-owner.js'
import type { Identity } from '../../../identity/identity.js'
import type { Awaitable } from '../../../store/store.js'

/** Pipelined requests of one socket between two turns of the event loop, 1 ms. */
const startsAtOnce = 8

const known = new WeakMap<Socket, SocketReplies>()

/** For a socket that a listener has admitted. */
export function repliesOf({ socket }: Pick<IncomingMessage, 'socket'>): SocketReplies | undefined {
  return known.get(socket)
}

/** Counts the unsent bytes of a response; call it after each large write. */
export function noteUnsent(outgoing: ServerResponse): void {
  repliesOf(outgoing.req)?.note(outgoing)
}

/** Whether memory is short, so that a lagging event stream must end. */
export function isCrowded(outgoing: ServerResponse): boolean {
  return repliesOf(outgoing.req)?.isCrowded(outgoing) === true
}

interface Pipelined {
  readonly outgoing: ServerResponse
  readonly start: () => void
}

export class SocketReplies {
  /** Whether credentials have come over the socket. */
  isKnown = false
  private readonly unsent: Backlog
  /** Responses that were large, or came after others, until they close. */
  private readonly responses = new Map<ServerResponse, number>()
  private bytes = 0
  /** Requests that wait for the replies before them. */
  private waiting: Pipelined[] = []
  /** The pipelined request that is running. */
  private running: ServerResponse | undefined
  /** The first of `waiting` follows a request that runs outside of this queue. */
  private isBehind = false
  private isStarting = false
  /** Since the last turn that was given to others. */
  private starts = 0
  private isPaused = false
  private isClosed = false
  private identity: Identity | undefined
  private address = ''

  constructor(
    private readonly socket: Socket,
    private readonly memory: MemoryAccount,
  ) {
    known.set(socket, this)
    this.unsent = memory.backlog({ press: () => socket.setTimeout(pressedStallMs) })
    socket.once('close', () => this.closed())
  }

  /** Sets the owner of this socket's requests. */
  speaksFor(identity: Identity, address: string): void {
    this.identity = identity
    this.address = address
  }

  /** Runs a pipelined request, now or in its turn; `done` must follow. */
  run(outgoing: ServerResponse, start: () => void): void {
    if (this.isClosed) return
    if (this.running === undefined && this.waiting.length === 0) this.waitFor(outgoing)
    this.waiting.push({ outgoing, start })
    this.next()
    if (this.waiting.length > pipelinedRequestsMax && !this.isPaused) {
      this.isPaused = true
      this.socket.pause()
    }
  }

  /**
   * The request before the first pipelined one may be a write: what follows sees its effect. Node
   * gives a response the socket once the one before it is sent. (RFC 9112, section 9.3.2)
   */
  private waitFor(outgoing: ServerResponse): void {
    if (outgoing.socket !== null) return
    this.isBehind = true
    outgoing.once('socket', () => {
      this.isBehind = false
      this.next()
    })
  }

  /** The request started by `run` is answered. */
  done(): void {
    this.running = undefined
    this.next()
  }

  /** Counts the unsent bytes of a response. */
  note(outgoing: ServerResponse): void {
    if (this.isClosed || outgoing.closed) return
    const bytes = outgoing.writableLength
    const before = this.responses.get(outgoing)
    if (before === undefined) {
      if (bytes <= smallMessageBytesMax && outgoing.socket !== null) return
      outgoing.on('drain', () => this.note(outgoing))
      outgoing.once('close', () => {
        this.set(outgoing, 0)
        this.responses.delete(outgoing)
      })
    }
    this.set(outgoing, bytes)
    if (bytes > socketBacklogBytesMax) this.socket.setTimeout(replyStallMs)
  }

  isCrowded({ writableLength }: ServerResponse): boolean {
    if (this.memory.isQuiet || writableLength <= socketBacklogBytesMax) return false
    return !this.memory.hasRoom(this.owner)
  }

  /** Nothing, or a promise if memory is short. Rejects with ExceededTimeLimit (503). */
  room(): Awaitable<void> {
    const { memory, owner } = this
    if (memory.hasRoom(owner)) return
    return new Promise((resolve, reject) => {
      const end = (how: () => void) => {
        clearTimeout(timer)
        leave()
        this.socket.off('close', gone)
        how()
      }
      const gone = () => end(() => reject(fail('Interrupted', 'the client is gone')))
      const leave = memory.whenRoom(owner, () => end(resolve))
      const text = 'no memory for the reply: other replies wait for their clients'
      const timer = setTimeout(
        () => end(() => reject(fail('ExceededTimeLimit', text, { retryAfter: 1 }))),
        memoryWaitMsMax,
      )
      this.socket.once('close', gone)
    })
  }

  private get owner(): string {
    return memoryOwner(this.identity ?? { kind: 'anonymous' }, this.address)
  }

  private set(outgoing: ServerResponse, bytes: number): void {
    if (this.isClosed) return
    this.bytes += bytes - (this.responses.get(outgoing) ?? 0)
    this.responses.set(outgoing, bytes)
    this.unsent.set(this.bytes > smallMessageBytesMax ? this.bytes : 0, this.owner)
    this.next()
  }

  private next(): void {
    if (this.isStarting || this.isBehind) return
    this.isStarting = true
    while (this.running === undefined && this.bytes < pipelineReplyBytes) {
      if (this.starts === startsAtOnce) break
      const next = this.waiting.shift()
      if (next === undefined) break
      this.running = next.outgoing
      if (++this.starts === startsAtOnce) setImmediate(this.inNextTurn)
      next.start()
    }
    this.isStarting = false
    if (this.isPaused && this.waiting.length === 0) {
      this.isPaused = false
      this.socket.resume()
    }
  }

  private readonly inNextTurn = (): void => {
    this.starts = 0
    this.next()
  }

  private closed(): void {
    const { running } = this
    this.isClosed = true
    this.waiting = []
    this.responses.clear()
    this.bytes = 0
    this.unsent.close()
    // Node tells only the response that has the socket.
    if (running?.socket === null) {
      running.destroy()
      running.emit('close')
    }
  }
}
