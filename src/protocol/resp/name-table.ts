// Finds the value of a word by its bytes, in any case and without making a string; for example the
// row of a command.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { lowerCase } from './request.js'

interface Slot<T> {
  readonly name: string
  readonly value: T
}

export class NameTable<T> {
  private readonly slots: readonly (Slot<T> | undefined)[]
  private readonly mask: number

  /** Names are ASCII, in any case; duplicates are a bug of Sigil. */
  constructor(entries: readonly (readonly [name: string, value: T])[]) {
    // Four times as many slots as names, so that most searches probe once.
    const size = 2 ** Math.ceil(Math.log2(4 * entries.length + 1))
    const slots = new Array<Slot<T> | undefined>(size).fill(undefined)
    this.slots = slots
    this.mask = size - 1
    for (const [given, value] of entries) {
      const name = given.toLowerCase()
      const bytes = Buffer.from(name, 'latin1')
      assert(this.find(bytes, 0, bytes.length) === undefined, `${name} is in the table twice`)
      let slot = hashOf(bytes, 0, bytes.length) & this.mask
      while (slots[slot] !== undefined) slot = (slot + 1) & this.mask
      slots[slot] = { name, value }
    }
  }

  /** The value of the word in `bytes` from `start` to `end`. */
  readonly find = (bytes: Bytes, start: number, end: number): T | undefined => {
    let at = hashOf(bytes, start, end) & this.mask
    for (;;) {
      const slot = this.slots[at]
      if (slot === undefined) return undefined
      if (isName(slot.name, bytes, start, end)) return slot.value
      at = (at + 1) & this.mask
    }
  }
}

/** Longer words than any name need no full hash: comparison fails anyway. */
const hashedBytesMax = 32

/** FNV-1a over the letters in lower case. */
function hashOf(bytes: Bytes, start: number, end: number): number {
  const stop = Math.min(end, start + hashedBytesMax)
  let hash = 0x811c9dc5
  for (let at = start; at < stop; at++) {
    hash = Math.imul(hash ^ lowerCase(bytes[at] ?? 0), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) >>> 0
}

function isName(name: string, bytes: Bytes, start: number, end: number): boolean {
  if (end - start !== name.length) return false
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(bytes[start + at] ?? 0) !== name.charCodeAt(at)) return false
  }
  return true
}
