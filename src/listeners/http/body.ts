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
    const begin = () => {
      let taken = bytes
      held.release = () => budget.release(taken)
      const done = (body: Buffer) => {
        try {
          resolve(read(body))
        } catch (thrown) {
          reject(thrown)
        }
      }
      const grown = (length: number) => {
        if (length <= taken) return
        budget.charge(length - taken)
        taken = length
      }
      collect(incoming, { bytesMax, grown, done, reject })
    }
    if (budget.take(bytes, begin)) begin()
    else {
      held.release = () => {
        budget.cancel(begin)
        reject(interrupted())
      }
    }
  })
}

interface Collecting {
  readonly bytesMax: number
  /** Told the length after each chunk. */
  readonly grown: (length: number) => void
  readonly done: (body: Buffer) => void
  readonly reject: (error: Error) => void
}

function collect(incoming: IncomingMessage, collecting: Collecting): void {
  const { bytesMax, grown, done, reject } = collecting
  const chunks: Buffer[] = []
  let length = 0
  incoming.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > bytesMax) {
      incoming.removeAllListeners('data')
      incoming.resume()
      reject(tooLarge(bytesMax))
      return
    }
    grown(length)
    chunks.push(chunk)
  })
  incoming.on('end', () => {
    const [first] = chunks
    done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length))
  })
  incoming.on('error', () => reject(interrupted()))
}

function interrupted(): Error {
  return fail('Interrupted', 'the client closed the connection')
}

function tooLarge(bytesMax: number): Error {
  return fail('BSONObjectTooLarge', `request body larger than ${bytesMax} bytes`)
}
