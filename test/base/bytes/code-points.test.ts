// Lengths and offsets of texts in code points, of UTF-16 and of UTF-8.

import fc from 'fast-check'
import t from 'tap'
import {
  lengthOf,
  lengthOfUtf8,
  offsetAfter,
  offsetInUtf8,
} from '../../../src/base/bytes/code-points.js'
import { runs } from '../../support/runs.js'

t.test('UTF-8 has the lengths and offsets of UTF-16', async () => {
  const letter = fc.constantFrom('a', 'é', '…', '😀', 'ab', 'a'.repeat(4_000), '😀'.repeat(1_100))
  fc.assert(
    fc.property(
      fc.array(letter, { maxLength: 12 }),
      fc.integer({ min: -2, max: 30_000 }),
      fc.nat(20),
      (letters, count, skipped) => {
        const text = letters.join('')
        const bytes = Buffer.from(text)
        const from = offsetAfter(text, skipped)
        const expected = Buffer.byteLength(text.slice(0, offsetAfter(text, count, from)))
        const found = offsetInUtf8(bytes, count, Buffer.byteLength(text.slice(0, from)))
        return found === expected && lengthOfUtf8(bytes) === lengthOf(text)
      },
    ),
    { numRuns: runs(200) },
  )
})
