// The characters that trim functions remove. The text and the set may be as long as a document, so
// both are read as UTF-8, without a string for each character, and told to the caller as they are
// read.

import { type Bytes, utf8 } from './bytes.js'

/** Bytes between two calls of `spend`. */
const partBytes = 65_536
/** Longer texts are read with a byte for each character of ASCII, which costs more to make. */
const shortBytesMax = 1_024
/** Bytes of a character in UTF-8. */
const characterBytesMax = 4

/** `isSlow`: the characters may need the set, because ASCII does not hold them. */
type SpendBytes = (bytes: number, isSlow: boolean) => void

export class CharacterSet {
  /** A bit for each character of ASCII. */
  private readonly ascii = new Int32Array(4)
  /** Other characters: their bytes as one number. */
  private others: Set<number> | undefined

  /** The characters of a text. `spend` may throw. */
  constructor(
    characters: string | Bytes,
    private readonly spend: SpendBytes,
  ) {
    const { ascii } = this
    const bytes = typeof characters === 'string' ? utf8(characters) : characters
    const table = bytes.length > shortBytesMax ? new Uint8Array(256) : undefined
    for (let at = 0; at < bytes.length; ) {
      const from = at
      const stop = Math.min(at + partBytes, bytes.length)
      let wide = 0
      while (at < stop) {
        if (table !== undefined)
          while (at < stop && (bytes[at] as number) < 0x80) table[bytes[at++] as number] = 1
        if (at >= stop) break
        const byte = bytes[at] as number
        if (byte < 0x80) {
          ascii[byte >> 5] = (ascii[byte >> 5] as number) | (1 << (byte & 31))
          at++
          continue
        }
        const width = widthAt(bytes, at)
        this.others ??= new Set()
        this.others.add(packed(bytes, at, at + width))
        at += width
        wide += width
      }
      spend(at - from, false)
      if (wide > 0) spend(wide, true)
    }
    if (table === undefined) return
    for (let byte = 0; byte < 0x80; byte++) {
      if (table[byte] === 1) ascii[byte >> 5] = (ascii[byte >> 5] as number) | (1 << (byte & 31))
    }
  }

  /** The end of the run of these characters with which the text begins. */
  endOfRun(text: Bytes): number {
    const table = this.tableFor(text)
    for (let at = 0; ; ) {
      const from = at
      const stop = Math.min(at + partBytes, text.length)
      while (at < stop) {
        if (table !== undefined) while (at < stop && table[text[at] as number] === 1) at++
        if (at >= stop) break
        const byte = text[at] as number
        if (byte < 0x80 ? !this.hasAscii(byte) : !this.hasWide(text, at)) break
        at += byte < 0x80 ? 1 : widthAt(text, at)
      }
      this.spend(at - from, this.others !== undefined)
      if (at < stop || at >= text.length) return at
    }
  }

  /** The start of the run of these characters with which the text ends, at least `least`. */
  startOfRun(text: Bytes, least: number): number {
    const table = this.tableFor(text)
    for (let end = text.length; ; ) {
      const from = end
      const stop = Math.max(end - partBytes, least)
      while (end > stop) {
        if (table !== undefined) while (end > stop && table[text[end - 1] as number] === 1) end--
        if (end <= stop) break
        const byte = text[end - 1] as number
        const before = byte < 0x80 ? end - 1 : startOf(text, end)
        if (byte < 0x80 ? !this.hasAscii(byte) : !this.hasWide(text, before)) break
        end = before
      }
      this.spend(from - end, this.others !== undefined)
      if (end > stop || end <= least) return end
    }
  }

  /** 1 for each character of ASCII in the set; undefined for a short text. */
  private tableFor({ length }: Bytes): Uint8Array | undefined {
    if (length <= shortBytesMax) return undefined
    const table = new Uint8Array(256)
    for (let byte = 0; byte < 0x80; byte++) table[byte] = this.hasAscii(byte) ? 1 : 0
    return table
  }

  private hasAscii(byte: number): boolean {
    return (((this.ascii[byte >> 5] as number) >>> (byte & 31)) & 1) === 1
  }

  private hasWide(text: Bytes, at: number): boolean {
    return this.others?.has(packed(text, at, at + widthAt(text, at))) === true
  }
}

/** Bytes of the character at `at`, within the text. A byte that begins none is one by itself. */
function widthAt(text: Bytes, at: number): number {
  const byte = text[at] as number
  const width = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : characterBytesMax
  return Math.min(width, text.length - at)
}

/** The start of the character that ends at `end`. */
function startOf(text: Bytes, end: number): number {
  const least = Math.max(end - characterBytesMax, 0)
  let at = end - 1
  while (at > least && ((text[at] as number) & 0xc0) === 0x80) at--
  return at + widthAt(text, at) === end ? at : end - 1
}

function packed(text: Bytes, start: number, end: number): number {
  let all = 0
  for (let at = start; at < end; at++) all = (all << 8) | (text[at] as number)
  return all
}
