// JSON text to BSON in one pass, without objects between: characters become bytes of the document
// as they are read. Extended JSON wrappers are recognised by the first key of an object.

import type { Bytes } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { bsonDepthMax } from '../base/limits.js'
import { JsonScanner } from './json-scanner.js'
import { isWrapper, writeWrapper } from './json-wrapper.js'
import { bsonType, type Document, Value, writeInt32 } from './value.js'

/** From so many fields on an object's names are found through a map, not by comparison. */
const mappedFieldsMin = 24

export class JsonReader extends JsonScanner {
  private depth = 0
  /** Of all open objects: where each element starts, and the hash of its name. */
  private readonly starts: number[] = []
  private readonly hashes: number[] = []

  rootDocument(): Document {
    this.space()
    if (this.peek() !== 0x7b) throw this.bad('expected an object')
    if (this.value() !== bsonType.object)
      throw this.bad('expected an object, not a single value', 0)
    return this.finish()
  }

  rootValue(): Value {
    this.space()
    const type = this.value()
    const bytes = this.finish()
    return new Value(type, bytes, 0, bytes.length)
  }

  /** Writes the payload of the value at hand and returns its type. */
  private value(): number {
    const code = this.peek()
    switch (code) {
      case 0x22:
        this.at++
        this.string()
        return bsonType.string
      case 0x7b:
        return this.object()
      case 0x5b:
        this.array()
        return bsonType.array
      case 0x74:
        this.word('true')
        this.reserve(1)
        this.out[this.end++] = 1
        return bsonType.bool
      case 0x66:
        this.word('false')
        this.reserve(1)
        this.out[this.end++] = 0
        return bsonType.bool
      case 0x6e:
        this.word('null')
        return bsonType.null
      default:
        if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.number()
        throw this.bad(code < 0 ? 'unexpected end' : 'expected a value')
    }
  }

  private object(): number {
    this.at++
    this.enter()
    this.space()
    const wrapper = this.peek() === 0x22 ? this.wrapperName() : undefined
    if (wrapper !== undefined) {
      const type = writeWrapper(this, wrapper)
      this.depth--
      return type
    }
    const start = this.end
    const base = this.starts.length
    this.reserve(5)
    this.end += 4
    let found: Fields | undefined
    if (this.peek() === 0x7d) this.at++
    else {
      do {
        this.space()
        const repeated = this.field(base, found)
        if (repeated >= 0 || this.starts.length - base === mappedFieldsMin) {
          found ??= new Fields(this.out, this.starts, base)
        }
        if (repeated >= 0) found?.repeated(repeated, this.starts.length - base - 1)
      } while (this.more(0x7d))
      if (found?.hasRepeated) this.end = found.compact(this.out, this.starts, base, this.end)
    }
    this.starts.length = base
    this.hashes.length = base
    this.close(start)
    return bsonType.object
  }

  /** Reads `"name": value`; returns which earlier element of the object has that name, else -1. */
  private field(base: number, found: Fields | undefined): number {
    const element = this.end
    this.expect(0x22, 'expected a name')
    this.reserve(2)
    this.out[this.end++] = 0
    const nameStart = this.end
    const hash = this.characters(true)
    const nameEnd = this.end
    this.reserve(1)
    this.out[this.end++] = 0
    if (this.out[nameStart] === 0x24) this.refuseWrapper(nameStart, nameEnd)
    const repeated =
      found === undefined
        ? this.indexOfName(base, hash, nameStart, nameEnd)
        : found.add(nameText(this.out, nameStart), this.starts.length - base)
    this.starts.push(element)
    this.hashes.push(hash)
    this.space()
    this.expect(0x3a, "expected ':'")
    this.space()
    const type = this.value()
    this.out[element] = type
    return repeated
  }

  private indexOfName(base: number, hash: number, nameStart: number, nameEnd: number): number {
    const { hashes, out } = this
    for (let i = base; i < hashes.length; i++) {
      if (hashes[i] !== hash) continue
      let other = (this.starts[i] ?? 0) + 1
      let at = nameStart
      while (at < nameEnd && out[other] === out[at]) {
        at++
        other++
      }
      if (at === nameEnd && out[other] === 0) return i - base
    }
    return -1
  }

  private array(): void {
    this.at++
    this.enter()
    this.space()
    const start = this.end
    this.reserve(5)
    this.end += 4
    if (this.peek() === 0x5d) this.at++
    else {
      let index = 0
      do {
        this.space()
        const element = this.end
        this.reserve(12)
        this.end++
        this.decimalName(index++)
        const type = this.value()
        this.out[element] = type
      } while (this.more(0x5d))
    }
    this.close(start)
  }

  private decimalName(index: number): void {
    const { out } = this
    let end = this.end + 1
    for (let size = 10; size <= index; size *= 10) end++
    this.end = end + 1
    out[end] = 0
    let rest = index
    do {
      const tens = Math.floor(rest / 10)
      out[--end] = 0x30 + rest - tens * 10
      rest = tens
    } while (rest > 0)
  }

  private enter(): void {
    if (++this.depth > bsonDepthMax) {
      throw fail('Overflow', `JSON is nested deeper than ${bsonDepthMax} levels`)
    }
  }

  private close(start: number): void {
    this.reserve(1)
    this.out[this.end++] = 0
    writeInt32(this.out, start, this.end - start)
    this.depth--
  }

  /** After an element: true behind a comma, false behind `closing`. */
  private more(closing: number): boolean {
    this.space()
    const code = this.peek()
    this.at++
    if (code === 0x2c) return true
    if (code === closing) return false
    throw this.bad(`expected ',' or '${String.fromCharCode(closing)}'`, this.at - 1)
  }

  private number(): number {
    const { text } = this
    const start = this.at
    const isNegative = text.charCodeAt(start) === 0x2d
    let at = isNegative ? start + 1 : start
    const first = text.charCodeAt(at)
    let n = 0
    let code = first
    while (code >= 0x30 && code <= 0x39) {
      n = n * 10 + (code - 0x30)
      code = text.charCodeAt(++at)
    }
    const digits = at - (isNegative ? start + 1 : start)
    if (digits === 0) throw this.bad('expected a digit', at)
    if (first === 0x30 && digits > 1) throw this.bad('a number must not start with 0', start)
    this.at = at
    if (code === 0x2e || code === 0x65 || code === 0x45) return this.fraction(start)
    const signed = isNegative ? -n : n
    if (signed === (signed | 0) && !(isNegative && n === 0)) {
      this.int32(signed)
      return bsonType.int32
    }
    return this.largeInteger(start, digits)
  }

  /** A whole number beyond int32, or -0, which only a double can be. */
  private largeInteger(start: number, digits: number): number {
    const text = this.text.slice(start, this.at)
    if (text === '-0' || digits > 19) return this.double(text, start)
    const whole = BigInt(text)
    if (BigInt.asIntN(64, whole) !== whole) return this.double(text, start)
    this.int64(whole)
    return bsonType.int64
  }

  private fraction(start: number): number {
    if (this.peek() === 0x2e) {
      this.at++
      this.digits()
    }
    if (this.peek() === 0x65 || this.peek() === 0x45) {
      this.at++
      if (this.peek() === 0x2b || this.peek() === 0x2d) this.at++
      this.digits()
    }
    return this.double(this.text.slice(start, this.at), start)
  }

  private double(text: string, start: number): number {
    const n = Number(text)
    if (!Number.isFinite(n)) throw this.bad('a number is too large', start)
    this.float(n)
    return bsonType.double
  }

  /** A document that stands alone, as a copy; what was read of it leaves no trace. */
  override subdocument(): Document {
    const start = this.end
    if (this.peek() !== 0x7b) throw this.bad('expected an object')
    if (this.value() !== bsonType.object) throw this.bad('expected an object')
    const copy = this.out.slice(start, this.end)
    this.end = start
    return copy
  }

  /** The wrapper whose name the string at hand is; then the cursor is on its value. */
  private wrapperName(): string | undefined {
    if (this.text.charCodeAt(this.at + 1) !== 0x24) return undefined
    const close = this.text.indexOf('"', this.at + 1)
    const name = this.text.slice(this.at + 1, close)
    if (!isWrapper(name)) return undefined
    this.at = close + 1
    this.space()
    this.expect(0x3a, "expected ':'")
    this.space()
    return name
  }

  /** A wrapper's key behind another key is never an ordinary field. */
  private refuseWrapper(nameStart: number, nameEnd: number): void {
    const name = Buffer.from(this.out.buffer, nameStart, nameEnd - nameStart).toString()
    if (isWrapper(name)) throw this.bad(`${name} must stand alone in its object`)
  }

  private word(word: string): void {
    if (!this.text.startsWith(word, this.at)) throw this.bad('expected a value')
    this.at += word.length
  }
}

/** The names of one large object, or of one that repeats a name. */
class Fields {
  private readonly firsts = new Map<string, number>()
  private readonly latest = new Map<number, number>()

  constructor(out: Bytes, starts: readonly number[], base: number) {
    for (let i = base; i < starts.length; i++) {
      const name = nameText(out, (starts[i] ?? 0) + 1)
      if (!this.firsts.has(name)) this.firsts.set(name, i - base)
    }
  }

  get hasRepeated(): boolean {
    return this.latest.size > 0
  }

  /** Notes the name of element `index`; returns the first element of that name, or -1. */
  add(name: string, index: number): number {
    const first = this.firsts.get(name)
    if (first === undefined) this.firsts.set(name, index)
    return first ?? -1
  }

  repeated(first: number, index: number): void {
    this.latest.set(first, index)
  }

  /** Moves the last of equal names to the place of the first; returns the new end. */
  compact(out: Bytes, starts: readonly number[], base: number, end: number): number {
    const from = starts[base] ?? end
    const before = out.slice(from, end)
    let at = from
    for (const first of this.firsts.values()) {
      const index = base + (this.latest.get(first) ?? first)
      const element = before.subarray(
        (starts[index] ?? end) - from,
        (starts[index + 1] ?? end) - from,
      )
      out.set(element, at)
      at += element.length
    }
    return at
  }
}

/** A name as a key for a Map, one character a byte. */
function nameText(out: Bytes, start: number): string {
  return Buffer.from(out.buffer, start, out.indexOf(0, start) - start).toString('latin1')
}
