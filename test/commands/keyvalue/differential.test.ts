// 2,500 random runs of commands over all types and bad input, each in RESP2 and in RESP3: every reply
// of Sigil is that of a real server to the byte. On each change it is 250 runs in each version. What
// may differ is listed, with its reason, in test/support/reference-exemptions.ts.

import t from 'tap'
import { families } from '../../support/families.js'
import { besideRedis } from '../../support/redis-reference.js'
import { firstSeed, sameRun } from '../../support/reference-runs.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'

const sequences = runs(250)
const commandsEach = 60
const entries = Object.entries(families)
let compared = 0

for (const protocol of ['2', '3']) {
  await besideRedis(t, `random runs, RESP${protocol}, seed ${firstSeed}`, async (t, pair) => {
    await Promise.all([pair.ours.call('HELLO', protocol), pair.theirs.call('HELLO', protocol)])
    for (const [place, [name, sequence]] of entries.entries()) {
      const count = Math.ceil((sequences - place) / entries.length)
      let same = 0
      for (let seed = firstSeed; seed < firstSeed + count; seed++) {
        const lines = sequence(seededRandom(seed), commandsEach)
        if (!(await sameRun(t, pair, `${name}, seed ${seed}`, lines))) break
        same++
      }
      t.equal(same, count, name)
      compared += same
    }
  })
}

t.comment(`${compared} sequences compared with the peer`)
