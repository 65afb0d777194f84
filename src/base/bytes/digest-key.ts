// Keys of long values for a Map. Of a text above 16,383 characters, V8 hashes only the length, so a
// Map would compare all texts of one length with each other: 1,000 of 64 KB took 5 s.

import { createHash, hash } from 'node:crypto'

/** A character that no key of one character a byte has. */
const digestMark = '\u0100'

/** SHA-256 of the bytes: two values with one digest are the same bytes. */
export function digestKey(bytes: Uint8Array): string {
  return digestMark + hash('sha256', bytes, 'base64')
}

/** The digestKey of bytes that come in pieces. */
export class Digest {
  private readonly digest = createHash('sha256')

  add(piece: string): void {
    this.digest.update(piece)
  }

  key(): string {
    return digestMark + this.digest.digest('base64')
  }
}
