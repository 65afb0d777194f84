// Reading a request body with a bound, straight from the incoming stream: the framework's own
// reader and limit cost two to eight times as much. What a body takes is held against the one
// budget of bytes in flight; without room the request waits unread.

import type { IncomingMessage } from 'node:http'
import { fail } from '../../base/errors.js'
import { messageBytesMax, unannouncedBodyBytes } from '../../base/limits.js'
import type { ByteBudget } from '../budget.js'

/** What a request has taken of the budget: given back when it is answered, or its client gone. */
export interface Held {
  release: (() => void) | undefined
}

/**
 * What `read` makes of the whole body; rejects with what it throws, and with BSONObjectTooLarge as
 * soon as the bound is passed, never after.
 */
export function readBody<T>(
  incoming: IncomingMessage,
  budget: ByteBudget,
  held: Held,
  read: (body: Buffer) => T,
  bytesMax = messageBytesMax,
): Promise<T> {
  const announced = incoming.headers['content-length']
  const bytes = announced === undefined ? unannouncedBodyBytes : Number(announced)
  if (bytes > bytesMax) return Promise.reject(tooLarge(bytesMax))
  return new Promise((resolve, reject) => {
    const reading = new BodyReading(incoming, budget, bytes, bytesMax)
    const done = (body: Buffer) => {
      try {
        resolve(read(body))
      } catch (thrown) {
        reject(thrown)
      }
    }
    const begin = () => {
      held.release = () => reading.release()
      reading.begin(done, reject)
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
    private readonly budget: ByteBudget,
    private taken: number,
    private readonly bytesMax: number,
  ) {}

  begin(done: (body: Buffer) => void, reject: (error: Error) => void): void {
    const { incoming, chunks } = this
    incoming.on('data', (chunk: Buffer) => {
      if (!this.takes(chunk)) reject(tooLarge(this.bytesMax))
    })
    incoming.on('end', () => {
      const [first] = chunks
      done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, this.length))
    })
    incoming.on('error', () => reject(interrupted()))
  }

  release(): void {
    this.budget.release(this.taken)
  }

  /** False once the bound is passed: then nothing more is kept. */
  private takes(chunk: Buffer): boolean {
    const { incoming, budget, bytesMax } = this
    this.length += chunk.length
    if (this.length > bytesMax) {
      incoming.removeAllListeners('data')
      incoming.resume()
      return false
    }
    if (this.length > this.taken) {
      budget.charge(this.length - this.taken)
      this.taken = this.length
    }
    this.chunks.push(chunk)
    return true
  }
}

function interrupted(): Error {
  return fail('Interrupted', 'the client closed the connection')
}

function tooLarge(bytesMax: number): Error {
  return fail('BSONObjectTooLarge', `request body larger than ${bytesMax} bytes`)
}
