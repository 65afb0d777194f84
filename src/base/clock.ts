// Time and randomness as parameters: nothing else in Sigil may ask the machine for either, so that
// recorded frames replay byte for byte and tests never sleep.

import { randomFillSync } from 'node:crypto'

export interface Clock {
  /** Wall time, milliseconds since 1970. */
  now(): number
  /** Monotonic time, milliseconds with fractions; for durations only. */
  elapsed(): number
}

export interface Random {
  /** That many cryptographically strong bytes. */
  bytes(count: number): Uint8Array
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}

export const systemRandom: Random = {
  bytes: (count) => randomFillSync(new Uint8Array(count)),
}
