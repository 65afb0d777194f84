// Inline commands: a typed line, split into words as in a shell. `telnet` and `redis-cli --pipe`
// send them. Source: the reference server's protocol documentation, inline commands.

import type { Bytes } from '../../base/bytes/bytes.js'
import { RespRequest } from './request.js'

const quote = 0x22
const apostrophe = 0x27
const backslash = 0x5c

/** Escapes between double quotes; any other byte after a backslash is itself. */
const escapes: ReadonlyMap<number, number> = new Map(
  [...'nrtba'].map((letter, index) => [
    letter.charCodeAt(0),
    [0x0a, 0x0d, 0x09, 0x08, 0x07][index] ?? 0,
  ]),
)

/**
 * The words of a line from `start` to `end` (no line feed, no zero bytes) as a separate command,
 * `count` 0 for a blank line. Undefined if a quote stays open or closes inside a word.
 */
export function splitInline(bytes: Bytes, start: number, end: number): RespRequest | undefined {
  return new LineSplitter(bytes, start, end).split()
}

class LineSplitter {
  private at: number
  /** Words without their quotes: never longer than the line. */
  private readonly out: Bytes
  private length = 0

  constructor(
    private readonly line: Bytes,
    start: number,
    private readonly end: number,
  ) {
    this.at = start
    this.out = new Uint8Array(end - start)
  }

  split(): RespRequest | undefined {
    const offsets: number[] = []
    for (;;) {
      while (this.at < this.end && isSpace(this.byte(0))) this.at++
      if (this.at === this.end) break
      offsets.push(this.length)
      if (!this.word()) return undefined
      offsets.push(this.length)
    }
    return new RespRequest(this.out, Int32Array.from(offsets), 0, offsets.length / 2)
  }

  /** One word; a quote may open inside it, and the closing quote ends it. */
  private word(): boolean {
    while (this.at < this.end) {
      const byte = this.byte(0)
      if (byte === quote) return this.quoted()
      if (byte === apostrophe) return this.literal()
      // Narrower than `isSpace`: Redis keeps vertical tab and form feed inside a word.
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d) return true
      this.put(byte)
      this.at++
    }
    return true
  }

  /** Between double quotes, with escapes. */
  private quoted(): boolean {
    for (this.at++; this.at < this.end; this.at++) {
      const byte = this.byte(0)
      if (byte === quote) return this.closes()
      if (byte !== backslash || this.at + 1 === this.end) {
        this.put(byte)
        continue
      }
      const code = this.hexadecimal()
      if (code !== undefined) {
        this.put(code)
        this.at += 3
      } else {
        const escaped = this.byte(1)
        this.put(escapes.get(escaped) ?? escaped)
        this.at++
      }
    }
    return false
  }

  /** Between apostrophes, where only an apostrophe can be escaped. */
  private literal(): boolean {
    for (this.at++; this.at < this.end; this.at++) {
      const byte = this.byte(0)
      if (byte === apostrophe) return this.closes()
      if (byte === backslash && this.byte(1) === apostrophe) {
        this.put(apostrophe)
        this.at++
      } else {
        this.put(byte)
      }
    }
    return false
  }

  /** A space or the end must follow a closing quote. */
  private closes(): boolean {
    this.at++
    return this.at === this.end || isSpace(this.byte(0))
  }

  /** The byte that `\xHH` stands for. */
  private hexadecimal(): number | undefined {
    if (this.byte(1) !== 0x78) return undefined
    const high = digitOf(this.byte(2))
    const low = digitOf(this.byte(3))
    return high < 0 || low < 0 ? undefined : high * 16 + low
  }

  private put(byte: number): void {
    this.out[this.length++] = byte
  }

  /** Zero after the end of the line. */
  private byte(ahead: number): number {
    return this.at + ahead < this.end ? (this.line[this.at + ahead] ?? 0) : 0
  }
}

/** The C locale's white space. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}
