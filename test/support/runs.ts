// How often a property test tries: few times on each change, ten times as often in the long suite
// (SIGIL_LONG=1). A property that fails prints its own seed and path.

import { configureGlobal } from 'fast-check'
import { givenSeed, isLong, seed } from './seed.js'

if (isLong || givenSeed !== undefined) configureGlobal({ seed })

/** `count` runs, or ten times as many in the long suite. */
export function runs(count: number): number {
  return isLong ? count * 10 : count
}
