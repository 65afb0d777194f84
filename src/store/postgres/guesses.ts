// Descriptors, keys, rights and records of sessions, as programs have last read or written them.
// Programs read them first, and others rarely change them: a program goes on with them before the
// answer has come, so its next questions go out in the same round trip. Nothing is told by a guess:
// the answer has its version too, and if that is another one, the program runs again.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { keyClass } from '../layout.js'
import type { Versioned } from '../store.js'
import { copy } from './asks.js'

const guessesMax = 4_096
const valueBytesMax = 16 * 1024

export class Guesses {
  /** By mapKey, the oldest first; undefined for keys that are missing. */
  private readonly last = new Map<string, Versioned | undefined>()

  /** Undefined if there is no guess. */
  of(key: Bytes): { readonly value: Versioned | undefined } | undefined {
    if (!isGuessed(key)) return undefined
    const name = mapKey(key)
    const value = this.last.get(name)
    if (value !== undefined) return { value: { ...value, value: copy(value.value) } }
    return this.last.has(name) ? { value: undefined } : undefined
  }

  /** What a read has found; it keeps its bytes. */
  learn(key: Bytes, value: Versioned | undefined): void {
    if (isGuessed(key)) this.note(key, value && { ...value, value: copy(value.value) })
  }

  forget(keys: readonly Bytes[]): void {
    for (const key of keys) this.last.delete(mapKey(key))
  }

  /** What a group has read, or has written. */
  note(key: Bytes, value: Versioned | undefined): void {
    if (!isGuessed(key)) return
    const name = mapKey(key)
    this.last.delete(name)
    if (value !== undefined && value.value.length > valueBytesMax) return
    this.last.set(name, value)
    if (this.last.size <= guessesMax) return
    for (const oldest of this.last.keys()) {
      this.last.delete(oldest)
      break
    }
  }
}

/** Whether a read may be told a guess for the key. */
export function isGuessed(key: Bytes): boolean {
  return key[0] === keyClass.catalog || key[0] === keyClass.identity
}
