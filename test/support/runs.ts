// How often a property test tries: few times on each change, ten times as often in the long suite
// (SIGIL_LONG=1), of which CI runs a share. A property that fails prints its own seed and path.

import { configureGlobal } from 'fast-check'
import { givenSeed, isLong, seed } from './seed.js'

if (isLong || givenSeed !== undefined) configureGlobal({ seed })

/** Of the long counts: LONG_SHARE, else a quarter under CI=true and all by hand. */
const share = Number(process.env.LONG_SHARE || (process.env.CI === 'true' ? 1 / 4 : 1))
/** Milliseconds since 1970: what begins later runs the counts of `npm test`. The suite sets it. */
const endsAt = Number(process.env.SIGIL_LONG_ENDS || Number.POSITIVE_INFINITY)

/** `count` runs, or up to ten times as many in the long suite. */
export function runs(count: number): number {
  if (!isLong || Date.now() > endsAt) return count
  return Math.max(count, Math.ceil(count * 10 * share))
}

/** All cases in the long suite; in short runs one in `share` of them, another part each time. */
export function drawn<T>(cases: readonly T[], share = 3): readonly T[] {
  if (runs(1) > 1 || givenSeed !== undefined) return cases
  return cases.filter((_, at) => (at + seed) % share === 0)
}
