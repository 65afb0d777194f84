// Where random tests begin: `npm test` and CI at another seed each time, the long counts by hand at a
// decided one, so that what is red there is a change of ours and not a draw. SIGIL_SEED brings a
// failure back, and makes the long counts look for new ones: `SIGIL_SEED=$RANDOM npm run test:long`.

import { randomInt } from 'node:crypto'

const decided = 1_304_554_156

export const isLong = process.env.SIGIL_LONG === '1'

/** SIGIL_SEED, where it is set. */
export const givenSeed =
  process.env.SIGIL_SEED === undefined ? undefined : Number(process.env.SIGIL_SEED)

/** Of this process; a test that draws by it prints it. */
export const seed: number =
  givenSeed ?? (isLong && process.env.CI !== 'true' ? decided : randomInt(2 ** 30))
