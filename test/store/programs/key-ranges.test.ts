// Ranges of keys against a plain look at each.

import fc from 'fast-check'
import t from 'tap'
import { mapKey } from '../../../src/base/bytes/bytes.js'
import { KeyRanges } from '../../../src/store/programs/key-ranges.js'
import { runs } from '../../support/runs.js'

const key = fc.uint8Array({ minLength: 1, maxLength: 2, max: 9 })
const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

t.test('a key lies in one of them or in none', async (t) => {
  const range = fc.tuple(key, key).map(([a, b]) => (compare(a, b) <= 0 ? [a, b] : [b, a]))
  const property = fc.property(fc.array(range), fc.array(range), key, (some, more, asked) => {
    const ranges = new KeyRanges()
    const noted: Uint8Array[][] = []
    for (const part of [some, more]) {
      for (const [start = asked, end = asked] of part) ranges.add({ start, end })
      noted.push(...part)
      const isIn = noted.some(([start = asked, end = asked]) => {
        return compare(start, asked) <= 0 && compare(asked, end) < 0
      })
      if (ranges.has(mapKey(asked)) !== isIn || ranges.count !== noted.length) return false
    }
    return true
  })
  fc.assert(property, { numRuns: runs(2_000) })
  t.pass()
})
