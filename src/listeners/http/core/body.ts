// Reads a request body with a bound, directly from the incoming stream: the framework's reader and
// limit cost two to eight times as much. A body counts for the budget of bytes in flight; without
// room the request waits unread.

import type { IncomingMessage } from 'node:http'
import { fail } from '../../../base/errors.js'
import type { ByteBudget } from '../../../base/heap/byte-budget.js'
import { messageBytesMax } from '../../../base/limits/documents.js'
import { chunkBytesMin, requestMsMax, shortChunksMax } from '../../../base/limits/http.js'
import { KiB } from '../../../base/units.js'
import type { Awaitable } from '../../../store/store.js'

/** Interval of the check for slow bodies. */
export const slowBodyCheckMs = 5_000
/** Bytes charged for a body of unknown length until it has arrived. */
const unannouncedBodyBytes = 64 * KiB

/** Shorter pieces of a body are copied together. */
const shortChunkBytes = 4 * KiB
const pieceBytesMax = 64 * KiB

/** Budget bytes of a request: released after the response, or when the client disconnects. */
export interface Held {
  release: (() => void) | undefined
  /** The whole body has been read. */
  isRead: boolean
}

/** Shared by the readers of bodies. */
interface BodyServices {
  readonly budget: ByteBudget
  readonly slowBodies: SlowBodies
}

/**
 * The result of `read` on the whole body, synchronous if all of it has arrived. Throws or rejects
 * with its errors, and with BSONObjectTooLarge as soon as the bound is passed.
 */
export function readBody<T>(
  incoming: IncomingMessage,
  { budget, slowBodies }: BodyServices,
  held: Held,
  read: (body: Buffer) => Awaitable<T>,
  bytesMax = messageBytesMax,
): Awaitable<T> {
  const announced = incoming.headers['content-length']
  const bytes = announced === undefined ? unannouncedBodyBytes : Number(announced)
  if (bytes > bytesMax) throw tooLarge(bytesMax)
  // A body that has arrived is taken at once, unless others wait for room.
  const isHere = announced !== undefined && bytes > 0 && incoming.readableLength === bytes
  if (isHere && budget.takeNow(bytes)) {
    held.release = () => budget.release(bytes)
    const whole = incoming.read()
    if (whole === null) throw interrupted()
    held.isRead = true
    return read(whole)
  }
  // A client may disconnect during the key check: then no `end` event follows.
  if (incoming.destroyed && !isHere) throw interrupted()
  return new Promise((resolve, reject) => {
    const done = (body: Buffer) => {
      held.isRead = true
      try {
        resolve(read(body))
      } catch (thrown) {
        reject(thrown)
      }
    }
    const begin = () => {
      held.release = () => budget.release(bytes)
      // A body that came with the head is available once the parser has continued.
      process.nextTick(() => {
        const whole = announced === undefined ? null : wholeOf(incoming, bytes)
        if (whole !== null) return done(whole)
        const reading = new BodyReading(incoming, { budget, slowBodies }, bytes, bytesMax)
        held.release = () => reading.release()
        reading.begin(done, reject)
      })
    }
    if (budget.take(bytes, begin)) begin()
    else {
      incoming.once('close', () => {
        budget.cancel(begin)
        reject(interrupted())
      })
    }
  })
}

/** The body if all of it has arrived: this needs no listeners and no timer. */
function wholeOf(incoming: IncomingMessage, bytes: number): Buffer | null {
  return bytes > 0 && incoming.readableLength === bytes ? incoming.read() : null
}

/** Room for a body that is not kept whole; rejects with Interrupted if the client disconnects. */
export function reserve(
  incoming: IncomingMessage,
  budget: ByteBudget,
  held: Held,
  bytes: number,
): Promise<{ readonly charge: (bytes: number) => void }> {
  return new Promise((resolve, reject) => {
    let taken = bytes
    const charge = (more: number) => {
      budget.charge(more)
      taken += more
    }
    const begin = () => {
      held.release = () => budget.release(taken)
      resolve({ charge })
    }
    if (budget.take(bytes, begin)) begin()
    else {
      incoming.once('close', () => {
        budget.cancel(begin)
        reject(interrupted())
      })
    }
  })
}

/** A body in pieces; its budget bytes grow with it. */
class BodyReading {
  private readonly chunks: Buffer[] = []
  private length = 0
  private count = 0
  /** Where short chunks are gathered, and how many bytes of it are. */
  private piece: Buffer = Buffer.alloc(0)
  private used = 0

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly services: BodyServices,
    private taken: number,
    private readonly bytesMax: number,
  ) {}

  begin(done: (body: Buffer) => void, reject: (error: Error) => void): void {
    const { incoming, chunks } = this
    const { slowBodies } = this.services
    const tooSlow = () => {
      this.leave()
      reject(fail('MaxTimeMSExpired', `the body took longer than ${requestMsMax} ms`))
    }
    slowBodies.begin(tooSlow)
    incoming.on('data', (chunk: Buffer) => {
      const refusal = this.refusalOf(chunk)
      if (refusal === undefined) return
      this.leave()
      reject(refusal)
    })
    incoming.on('end', () => {
      slowBodies.end(tooSlow)
      this.endPiece()
      const [first] = chunks
      done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, this.length))
    })
    incoming.on('error', () => {
      slowBodies.end(tooSlow)
      reject(interrupted())
    })
  }

  release(): void {
    this.services.budget.release(this.taken)
  }

  /** Keeps nothing more of the body. */
  private leave(): void {
    this.incoming.removeAllListeners('data')
    this.incoming.resume()
  }

  /** Takes a piece; returns the error of a body that goes beyond its bounds. */
  private refusalOf(chunk: Buffer): Error | undefined {
    const { services, bytesMax } = this
    this.length += chunk.length
    this.count++
    if (this.length > bytesMax) return tooLarge(bytesMax)
    if (this.count > shortChunksMax && this.length < this.count * chunkBytesMin) return inPieces()
    if (this.length > this.taken) {
      services.budget.charge(this.length - this.taken)
      this.taken = this.length
    }
    if (chunk.length >= shortChunkBytes) {
      this.endPiece()
      this.chunks.push(chunk)
    } else this.gather(chunk)
    return undefined
  }

  /** Short chunks are copied: an object for each byte would take a hundred times the body. */
  private gather(chunk: Buffer): void {
    if (this.used + chunk.length > this.piece.length) {
      this.endPiece()
      this.piece = Buffer.allocUnsafe(Math.min(this.length + shortChunkBytes, pieceBytesMax))
    }
    this.used += chunk.copy(this.piece, this.used)
  }

  private endPiece(): void {
    if (this.used > 0) this.chunks.push(this.piece.subarray(0, this.used))
    this.piece = this.piece.subarray(this.used)
    this.used = 0
  }
}

/**
 * Watches running bodies with one timer: one for each would cost as much as reading it. Calls back
 * for a body that takes longer than requestMsMax, at most slowBodyCheckMs later.
 */
export class SlowBodies {
  /** By callback, the round in which they started. */
  private readonly bodies = new Map<() => void, number>()
  private round = 0
  private isWatching = false

  begin(tooSlow: () => void): void {
    this.bodies.set(tooSlow, this.round)
    if (this.isWatching) return
    this.isWatching = true
    setTimeout(() => this.look(), slowBodyCheckMs).unref()
  }

  end(tooSlow: () => void): void {
    this.bodies.delete(tooSlow)
  }

  private look(): void {
    this.round++
    this.isWatching = this.bodies.size > 0
    for (const [tooSlow, begun] of this.bodies) {
      if ((this.round - begun - 1) * slowBodyCheckMs < requestMsMax) break
      this.bodies.delete(tooSlow)
      tooSlow()
    }
    if (this.isWatching) setTimeout(() => this.look(), slowBodyCheckMs).unref()
  }
}

export function interrupted(): Error {
  return fail('Interrupted', 'the client closed the connection')
}

function inPieces(): Error {
  const bounds = `${shortChunksMax} chunks of fewer than ${chunkBytesMin} bytes`
  return fail('BadValue', `the body has more than ${bounds}`)
}

function tooLarge(bytesMax: number): Error {
  return fail('BSONObjectTooLarge', `request body larger than ${bytesMax} bytes`)
}
