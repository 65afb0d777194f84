// Converts JSON text to BSON in one pass without intermediate objects. Extended JSON wrappers are
// recognised by the first key of an object.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { bsonDepthMax, jsonDigitsMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { jsonBytesPerUnit, jsonPieceUnits } from '../../base/work/work-figures.js'
import { bsonType, type Document, Value, writeInt32 } from '../value.js'
import { JsonScanner, tooManyDigits } from './json-scanner.js'
import { isWrapper, writeWrapper } from './json-wrapper.js'

/** The powers of ten that are exact as doubles. */
const powersOfTen = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/** Elements between two calls of `work.spend`. */
const piecesAtOnce = 256

/** Cost of a wrapper, in elements. */
const wrapperPieces = 12

/** Names above this length are not wrappers. */
const wrapperNameBytesMax = 32

/** From this many fields on, names are looked up in a map. */
const mappedFieldsMin = 24

export class JsonReader extends JsonScanner {
  private depth = 0
  /** Start and name hash of each element of all open objects; `fields` is their number. */
  private readonly starts: number[] = []
  private readonly hashes: number[] = []
  private fields = 0
  /** Elements not yet charged to the work budget, and the text position of the last charge. */
  private pieces = 0
  private spentTo = 0

  document(text: string | Bytes): Document {
    this.start(text)
    if (this.peek() !== 0x7b) throw this.bad('expected an object')
    if (this.value() !== bsonType.object) throw this.bad('expected an object, not a value', 0)
    return this.spentAndFinished()
  }

  single(text: string | Bytes): Value {
    this.start(text)
    const type = this.value()
    const bytes = this.spentAndFinished()
    return new Value(type, bytes, 0, bytes.length)
  }

  private spentAndFinished(): Bytes {
    this.spend()
    return this.finish()
  }

  private start(text: string | Bytes): void {
    // What the budget would refuse in the end is refused before it is copied and read.
    const units = text.length / jsonBytesPerUnit
    if (!work.allows(units)) work.spend(units)
    this.begin(text)
    this.depth = 0
    this.fields = 0
    this.pieces = 0
    this.spentTo = 0
    this.space()
  }

  /** Writes the payload of the next value and returns its type. */
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
        throw this.bad('expected a value')
    }
  }

  private object(): number {
    this.at++
    this.enter()
    this.space()
    const wrapper = this.peek() === 0x22 ? this.wrapperName() : undefined
    if (wrapper !== undefined) {
      this.piece(wrapperPieces)
      const type = writeWrapper(this, wrapper)
      this.depth--
      return type
    }
    const start = this.end
    const base = this.fields
    this.reserve(5)
    this.end += 4
    if (this.peek() === 0x7d) this.at++
    else this.fieldsUntilBrace(base)
    this.fields = base
    this.close(start)
    return bsonType.object
  }

  private fieldsUntilBrace(base: number): void {
    let names: Names | undefined
    do {
      this.space()
      const repeated = this.field(base, names)
      const index = this.fields - base - 1
      if (repeated < 0 && index + 1 !== mappedFieldsMin) continue
      names ??= new Names(this.out, this.starts, base, this.fields)
      if (repeated >= 0) names.repeated(repeated, index)
    } while (this.more(0x7d))
    if (names?.hasRepeated)
      this.end = names.compact(this.out, this.starts, base, this.fields, this.end)
  }

  /** Reads `"name": value`; returns the earlier element of the object with that name, or -1. */
  private field(base: number, names: Names | undefined): number {
    const element = this.end
    this.expect(0x22, 'expected a name')
    this.reserve(2)
    this.out[this.end++] = 0
    this.characters()
    this.reserve(1)
    this.out[this.end++] = 0
    const hash = this.hashOfName(element + 1)
    if (this.out[element + 1] === 0x24) this.refuseWrapper(element + 1)
    const repeated =
      names === undefined
        ? this.indexOfName(base, hash, element + 1)
        : names.add(nameText(this.out, element + 1), this.fields - base)
    this.starts[this.fields] = element
    this.hashes[this.fields++] = hash
    this.space()
    this.expect(0x3a, "expected ':'")
    this.space()
    const type = this.value()
    this.out[element] = type
    return repeated
  }

  /** A hash of the name just written, whose only NUL must be the last byte. */
  private hashOfName(nameStart: number): number {
    const { out } = this
    const last = this.end - 1
    let hash = 0
    for (let i = nameStart; i < last; i++) {
      const byte = out[i] ?? 0
      if (byte === 0) throw this.bad('a name must not contain NUL')
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    return hash
  }

  private indexOfName(base: number, hash: number, nameStart: number): number {
    const { hashes, out } = this
    for (let i = base; i < this.fields; i++) {
      if (hashes[i] !== hash) continue
      let other = (this.starts[i] ?? 0) + 1
      let at = nameStart
      while (out[at] !== 0 && out[other] === out[at]) {
        at++
        other++
      }
      if (out[at] === out[other]) return i - base
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

  /** After an element: true after a comma, false after `closing`. */
  private more(closing: number): boolean {
    this.piece(1)
    this.space()
    const code = this.peek()
    this.at++
    if (code === 0x2c) return true
    if (code === closing) return false
    throw this.bad(`expected ',' or '${String.fromCharCode(closing)}'`, this.at - 1)
  }

  override piece(count: number): void {
    this.pieces += count
    if (this.pieces >= piecesAtOnce) this.spend()
  }

  /** Throws MaxTimeMSExpired if the text is too long for code that cannot pause. */
  private spend(): void {
    work.spend(this.pieces * jsonPieceUnits + (this.at - this.spentTo) / jsonBytesPerUnit)
    this.pieces = 0
    this.spentTo = this.at
  }

  private number(): number {
    const { source } = this
    const start = this.at
    const isNegative = source[start] === 0x2d
    const firstAt = isNegative ? start + 1 : start
    let at = firstAt
    let n = 0
    let code = source[at] ?? 0
    const most = firstAt + jsonDigitsMax
    while (code >= 0x30 && code <= 0x39) {
      if (at === most) throw this.bad(tooManyDigits, start)
      n = n * 10 + (code - 0x30)
      code = source[++at] ?? 0
    }
    const digits = at - firstAt
    if (digits === 0) throw this.bad('expected a digit', at)
    if (digits > 1 && source[firstAt] === 0x30) {
      throw this.bad('a number must not start with 0', start)
    }
    this.at = at
    if (code === 0x2e || code === 0x65 || code === 0x45) return this.fraction(start, n)
    const signed = isNegative ? -n : n
    if (signed === (signed | 0) && !(isNegative && n === 0)) {
      this.int32(signed)
      return bsonType.int32
    }
    return this.largeInteger(start, digits)
  }

  /** An integer beyond int32, or -0, which only a double can represent. */
  private largeInteger(start: number, digits: number): number {
    const text = this.sourceText(start, this.at)
    if (text === '-0' || digits > 19) return this.double(text, start)
    const whole = BigInt(text)
    if (BigInt.asIntN(64, whole) !== whole) return this.double(text, start)
    this.int64(whole)
    return bsonType.int64
  }

  /** Reads the rest of a number after `whole`: a point or an exponent follows. */
  private fraction(start: number, whole: number): number {
    const { source } = this
    if (this.peek() === 0x2e) {
      const pointAt = this.at++
      const most = this.at + jsonDigitsMax
      let n = whole
      let code = this.peek()
      while (code >= 0x30 && code <= 0x39) {
        if (this.at === most) throw this.bad(tooManyDigits, start)
        n = n * 10 + (code - 0x30)
        code = source[++this.at] ?? 0
      }
      const places = this.at - pointAt - 1
      if (places === 0) throw this.bad('expected a digit')
      if (code !== 0x65 && code !== 0x45 && n <= Number.MAX_SAFE_INTEGER && places <= 22) {
        // Both operands are exact, so the quotient is rounded once and is the nearest double.
        const size = n / (powersOfTen[places] ?? 1)
        this.float(source[start] === 0x2d ? -size : size)
        return bsonType.double
      }
    }
    if (this.peek() === 0x65 || this.peek() === 0x45) {
      this.at++
      if (this.peek() === 0x2b || this.peek() === 0x2d) this.at++
      this.digits()
    }
    return this.double(this.sourceText(start, this.at), start)
  }

  private double(text: string, start: number): number {
    const n = Number(text)
    if (!Number.isFinite(n)) throw this.bad('a number is too large', start)
    this.float(n)
    return bsonType.double
  }

  /** Reads a separate document as a copy, and removes it from the output. */
  override subdocument(): Document {
    const start = this.end
    if (this.peek() !== 0x7b) throw this.bad('expected an object')
    if (this.value() !== bsonType.object) throw this.bad('expected an object')
    const copy = this.out.slice(start, this.end)
    this.end = start
    return copy
  }

  /** The wrapper name, if the next string is one; then the cursor is on its value. */
  private wrapperName(): string | undefined {
    if (this.source[this.at + 1] !== 0x24) return undefined
    const close = this.source.indexOf(0x22, this.at + 1)
    const name = this.sourceText(this.at + 1, Math.min(close, this.at + wrapperNameBytesMax))
    if (!isWrapper(name)) return undefined
    this.at = close + 1
    this.space()
    this.expect(0x3a, "expected ':'")
    this.space()
    return name
  }

  /** Refuses a wrapper's key after another key: it is never an ordinary field. */
  private refuseWrapper(nameStart: number): void {
    const name = nameText(this.out, nameStart)
    if (isWrapper(name)) throw this.bad(`${name} must stand alone in its object`)
  }

  /** Reads the rest of a literal after its first letter. */
  private word(word: string): void {
    for (let i = 1; i < word.length; i++) {
      if (this.source[this.at + i] !== word.charCodeAt(i)) throw this.bad('expected a value')
    }
    this.at += word.length
  }
}

/** The names of one large object, or of one that repeats a name. */
class Names {
  private readonly firsts = new Map<string, number>()
  private readonly latest = new Map<number, number>()

  /** Names of the elements from `base` to `fields`. */
  constructor(out: Bytes, starts: readonly number[], base: number, fields: number) {
    for (let i = base; i < fields; i++) {
      const name = nameText(out, (starts[i] ?? 0) + 1)
      if (!this.firsts.has(name)) this.firsts.set(name, i - base)
    }
  }

  get hasRepeated(): boolean {
    return this.latest.size > 0
  }

  /** Records the name of element `index`; returns the first element with that name, or -1. */
  add(name: string, index: number): number {
    const first = this.firsts.get(name)
    if (first === undefined) this.firsts.set(name, index)
    return first ?? -1
  }

  repeated(first: number, index: number): void {
    this.latest.set(first, index)
  }

  /** Moves the last of equal names to the place of the first; returns the new end. */
  compact(
    out: Bytes,
    starts: readonly number[],
    base: number,
    fields: number,
    end: number,
  ): number {
    const from = starts[base] ?? end
    const before = out.slice(from, end)
    let at = from
    for (const first of this.firsts.values()) {
      const index = base + (this.latest.get(first) ?? first)
      const last = index + 1 < fields ? (starts[index + 1] ?? end) : end
      const element = before.subarray((starts[index] ?? end) - from, last - from)
      out.set(element, at)
      at += element.length
    }
    return at
  }
}

/** A name as a key of a Map. */
function nameText(out: Bytes, start: number): string {
  return mapKey(out, start, out.indexOf(0, start))
}
