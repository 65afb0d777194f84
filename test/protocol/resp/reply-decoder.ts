// Reads replies as a client does, RESP3 with all its types: what the tests of the writer compare
// with. It knows nothing of the writer, keeps what a type says, and refuses what is malformed.

import { strict as assert } from 'node:assert'

/** A reply of a type that has no plain value of its own. */
interface Typed {
  readonly type:
    | 'simple'
    | 'error'
    | 'blobError'
    | 'null bulk'
    | 'null array'
    | 'double'
    | 'big number'
    | 'verbatim'
    | 'map'
    | 'set'
    | 'push'
    | 'attribute'
  readonly value: unknown
}

/** Bulk strings are strings with one character a byte, integers bigints, `_` is null. */
export type Decoded = string | bigint | boolean | null | readonly Decoded[] | Typed

const aggregates: Readonly<Record<string, readonly [type: Typed['type'], each: number]>> = {
  '%': ['map', 2],
  '~': ['set', 1],
  '>': ['push', 1],
  '|': ['attribute', 2],
}

/** All replies of a stream that ends with the last of them. */
export function decodeReplies(stream: Uint8Array): Decoded[] {
  const decoder = new Decoder(Buffer.from(stream).toString('latin1'))
  const replies: Decoded[] = []
  while (!decoder.done) replies.push(decoder.reply())
  return replies
}

class Decoder {
  private at = 0

  constructor(private readonly stream: string) {}

  get done(): boolean {
    return this.at === this.stream.length
  }

  reply(): Decoded {
    const first = this.take(1)
    const line = this.line()
    const aggregate = aggregates[first]
    if (aggregate !== undefined) {
      const [type, each] = aggregate
      return { type, value: this.items(each * Number(line)) }
    }
    switch (first) {
      case '$':
        return line === '-1' ? { type: 'null bulk', value: null } : this.blob(line)
      case '*':
        return line === '-1' ? { type: 'null array', value: null } : this.items(Number(line))
      case ':':
        return BigInt(line)
      case '+':
        return { type: 'simple', value: line }
      case '-':
        return { type: 'error', value: line }
      case '!':
        return { type: 'blobError', value: this.blob(line) }
      case '=':
        return { type: 'verbatim', value: this.blob(line) }
      case ',':
        return { type: 'double', value: line }
      case '(':
        return { type: 'big number', value: BigInt(line) }
      default:
        return this.bare(first, line)
    }
  }

  private bare(first: string, line: string): Decoded {
    if (first === '_') {
      assert.equal(line, '')
      return null
    }
    assert.equal(first, '#', `no reply begins with ${JSON.stringify(first)}`)
    assert.match(line, /^[tf]$/)
    return line === 't'
  }

  private items(count: number): Decoded[] {
    assert.ok(Number.isInteger(count) && count >= 0, `${count} items`)
    const items: Decoded[] = []
    for (let missing = count; missing > 0; ) {
      // An attribute belongs to the item behind it and does not count.
      if (this.stream[this.at] !== '|') missing--
      items.push(this.reply())
    }
    return items
  }

  private blob(line: string): string {
    assert.match(line, /^(?:0|[1-9]\d*)$/)
    const bytes = this.take(Number(line))
    assert.equal(this.take(2), '\r\n')
    return bytes
  }

  private line(): string {
    const end = this.stream.indexOf('\r\n', this.at)
    assert.ok(end >= 0, 'a line has an end')
    const line = this.stream.slice(this.at, end)
    assert.doesNotMatch(line, /[\r\n]/)
    this.at = end + 2
    return line
  }

  private take(count: number): string {
    assert.ok(this.at + count <= this.stream.length, 'the stream goes on')
    this.at += count
    return this.stream.slice(this.at - count, this.at)
  }
}
