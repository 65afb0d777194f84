// What the tests of the request parser share: frames made, and commands collected from a stream
// however it is cut.

import type { GatewayError } from '../../../src/base/errors.js'
import { RequestParser } from '../../../src/protocol/resp/request-parser.js'

/** A command as an array of bulk strings; a string is one character a byte. */
export function request(...words: readonly (string | Uint8Array)[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`*${words.length}\r\n`)]
  for (const word of words) {
    const bytes = typeof word === 'string' ? Buffer.from(word, 'latin1') : word
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(parts)
}

export interface Heard {
  /** Arguments, one character a byte. */
  readonly commands: readonly (readonly string[])[]
  /** Text of the protocol error that ended it. */
  readonly error?: string
}

interface Hearing {
  readonly authenticated?: boolean
  readonly bulkBytesMax?: number
}

/** Commands that lie in the chunks; looked for after each of them. */
export function hear(chunks: Iterable<Uint8Array>, options: Hearing = {}): Heard {
  const parser = new RequestParser()
  parser.authenticated = options.authenticated ?? true
  if (options.bulkBytesMax !== undefined) parser.bulkBytesMax = options.bulkBytesMax
  const commands: string[][] = []
  try {
    for (const chunk of chunks) {
      // A copy of its own, as sockets give them: what is kept must not be a neighbour's.
      parser.push(Uint8Array.from(chunk))
      drain(parser, commands)
    }
  } catch (error) {
    return { commands, error: (error as GatewayError).message }
  }
  return { commands }
}

export function drain(parser: RequestParser, commands: string[][]): void {
  for (let next = parser.next(); next !== undefined; next = parser.next()) {
    commands.push(
      Array.from({ length: next.count }, (_, index) =>
        Buffer.from(next.view(index)).toString('latin1'),
      ),
    )
  }
}

/** One character a byte. */
export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Every byte a chunk of its own. */
export function bytewise(stream: Uint8Array): Uint8Array[] {
  return Array.from(stream, (byte) => Uint8Array.of(byte))
}
