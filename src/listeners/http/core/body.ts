// Reading a request body with a bound, straight from the incoming stream: the framework's own
// reader and limit cost two to eight times as much. What a body takes is held against the one
// budget of bytes in flight; without room the request waits unread.

import type { IncomingMessage } from 'node:http'
import { fail } from '../../../base/errors.js'
import type { ByteBudget } from '../../../base/heap/byte-budget.js'
import { messageBytesMax, requestMsMax } from '../../../base/limits.js'
import { KiB } from '../../../base/units.js'
import type { Awaitable } from '../../../store/store.js'

/** How often requests whose bodies are still coming are looked at. */
export const slowBodyCheckMs = 5_000
/** What a body of unknown length is counted as until it has come, bytes. */
const unannouncedBodyBytes = 64 * KiB

/** What a request has taken of the budget: given back when it is answered, or its client gone. */
export interface Held {
  release: (() => void) | undefined
  /** The whole body has been read. */
  isRead: boolean
}

/** What readers of bodies share. */
interface BodyServices {
  readonly budget: ByteBudget
  readonly slowBodies: SlowBodies
}

/**
 * What `read` makes of the whole body, at once if all of it is there. Throws or rejects with what
 * it throws, and with BSONObjectTooLarge as soon as the bound is passed, never after.
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
  // What is there already is taken at once, unless others wait for room.
  const isHere = announced !== undefined && bytes > 0 && incoming.readableLength === bytes
  if (isHere && budget.takeNow(bytes)) {
    held.release = () => budget.release(bytes)
    const whole = incoming.read()
    if (whole === null) throw interrupted()
    held.isRead = true
    return read(whole)
  }
  // A client that went while its key was looked at: nothing more comes, not even its end.
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
      // What has come with the head is there as soon as the parser has gone on.
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

/** The body if all of it has arrived: then there are no listeners and no timer. */
function wholeOf(incoming: IncomingMessage, bytes: number): Buffer | null {
  return bytes > 0 && incoming.readableLength === bytes ? incoming.read() : null
}

/** Room for a body that is not kept whole; rejects with Interrupted when its client has gone. */
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

/** A body as it comes, in pieces; what it takes of the budget grows with it. */
class BodyReading {
  private readonly chunks: Buffer[] = []
  private length = 0

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
      if (!this.takes(chunk)) reject(tooLarge(this.bytesMax))
    })
    incoming.on('end', () => {
      slowBodies.end(tooSlow)
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

  /** Nothing more of the body is kept. */
  private leave(): void {
    this.incoming.removeAllListeners('data')
    this.incoming.resume()
  }

  /** False once the bound is passed: then nothing more is kept. */
  private takes(chunk: Buffer): boolean {
    const { services, bytesMax } = this
    this.length += chunk.length
    if (this.length > bytesMax) {
      this.leave()
      return false
    }
    if (this.length > this.taken) {
      services.budget.charge(this.length - this.taken)
      this.taken = this.length
    }
    this.chunks.push(chunk)
    return true
  }
}

/**
 * Bodies under way, looked at by one timer: one for each would cost as much as reading it. What is
 * begun is told once it has taken longer than requestMsMax, and at most slowBodyCheckMs more.
 */
export class SlowBodies {
  /** By what tells them, the round in which they began. */
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

function interrupted(): Error {
  return fail('Interrupted', 'the client closed the connection')
}

function tooLarge(bytesMax: number): Error {
  return fail('BSONObjectTooLarge', `request body larger than ${bytesMax} bytes`)
}
