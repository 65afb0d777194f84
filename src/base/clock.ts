// Time and randomness as parameters. No other code of Sigil asks the machine for either, so
// recorded frames replay byte for byte and tests never sleep.

import { randomFillSync } from 'node:crypto'

export interface Clock {
  /** Wall time, milliseconds since 1970. */
  now(): number
  /** Monotonic time, milliseconds with fractions; for durations only. */
  elapsed(): number
}

export interface Random {
  /** `count` cryptographically strong bytes. */
  bytes(count: number): Uint8Array
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}

/** Drawn in advance: one call for each few bytes costs twenty times as much as copying them. */
const drawn = new Uint8Array(4_096)
let given = drawn.length

export const systemRandom: Random = {
  bytes(count) {
    if (count > drawn.length / 8) return randomFillSync(new Uint8Array(count))
    if (given + count > drawn.length) {
      randomFillSync(drawn)
      given = 0
    }
    const bytes = drawn.slice(given, given + count)
    // Bytes are used once, and no trace of a key stays here.
    drawn.fill(0, given, given + count)
    given += count
    return bytes
  },
}
