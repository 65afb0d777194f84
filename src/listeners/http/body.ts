// Reading a request body with a bound, straight from the incoming stream: the framework's own
// reader and limit cost two to eight times as much. What a body takes is held against the one
// budget of bytes in flight; without room the request waits unread.

import type { IncomingMessage } from 'node:http'
import { fail } from '../../base/errors.js'
import { messageBytesMax, unannouncedBodyBytes } from '../../base/limits.js'
import type { ByteBudget } from '../budget.js'

export interface Body {
  readonly bytes: Buffer
  /** Gives the bytes back to the budget; called once, when the request is answered. */
  readonly release: () => void
}

/** The whole body; rejects with BSONObjectTooLarge as soon as the bound is passed, never after. */
export async function readBody(incoming: IncomingMessage, budget: ByteBudget): Promise<Body> {
  const announced = incoming.headers['content-length']
  let held = announced === undefined ? unannouncedBodyBytes : Number(announced)
  if (held > messageBytesMax) throw tooLarge()
  await room(incoming, budget, held)
  const release = () => budget.release(held)
  try {
    const bytes = await collect(incoming)
    if (bytes.length > held) {
      budget.charge(bytes.length - held)
      held = bytes.length
    }
    return { bytes, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Waits for room in the budget; a client that leaves gives its place up. */
function room(incoming: IncomingMessage, budget: ByteBudget, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = () => {
      budget.cancel(admit)
      reject(fail('Interrupted', 'the client closed the connection'))
    }
    const admit = () => {
      incoming.off('close', left)
      resolve()
    }
    if (budget.take(bytes, admit)) resolve()
    else incoming.once('close', left)
  })
}

function collect(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > messageBytesMax) {
        incoming.removeAllListeners('data')
        incoming.resume()
        reject(tooLarge())
        return
      }
      chunks.push(chunk)
    })
    incoming.on('end', () => {
      const [first] = chunks
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length))
    })
    incoming.on('error', reject)
    incoming.on('aborted', () => reject(fail('Interrupted', 'the client closed the connection')))
  })
}

function tooLarge(): Error {
  return fail('BSONObjectTooLarge', `request body larger than ${messageBytesMax} bytes`)
}
