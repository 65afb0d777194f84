// Runs of characters at both ends of a text, beside a naive reading by code points, and what is told
// of their length.

import fc from 'fast-check'
import t from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { CharacterSet } from '../../../src/base/bytes/character-set.js'
import { runs } from '../../support/runs.js'

const nothing = () => {}

t.test('runs end where a reading by code points ends them', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'ä', 'Ã', '€', '😀', '\0') })
  fc.assert(
    fc.property(text, text, (subject, characters) => {
      const set = new CharacterSet(characters, nothing)
      const points = Array.from(subject)
      const has = new Set(characters)
      const isKept = (point: string) => !has.has(point)
      const first = points.findIndex(isKept)
      const last = points.findLastIndex(isKept)
      const bytes = utf8(subject)
      const start = first < 0 ? bytes.length : utf8(points.slice(0, first).join('')).length
      const end = first < 0 ? start : utf8(points.slice(0, last + 1).join('')).length
      return set.endOfRun(bytes) === start && set.startOfRun(bytes, start) === end
    }),
    { numRuns: runs(2_000) },
  )
})

t.test('each character of a run is told, a part of a long run at a time', async (t) => {
  const told: number[] = []
  const set = new CharacterSet('a', (chars) => void (chars > 1 && told.push(chars)))
  const text = utf8(`${'a'.repeat(150_000)}b${'a'.repeat(70_000)}`)
  t.equal(set.endOfRun(text), 150_000)
  t.same(told, [65_536, 65_536, 18_928])
  told.length = 0
  t.equal(set.startOfRun(text, 150_000), 150_001)
  t.same(told, [65_536, 4_464])
})

t.test('bytes that are no UTF-8 stay as they are', async (t) => {
  const set = new CharacterSet('é€', nothing)
  for (const hex of ['80', 'c3', 'a9', 'e282', 'f0', 'ff80ff']) {
    const text = new Uint8Array(Buffer.from(hex, 'hex'))
    t.equal(set.endOfRun(text), 0, hex)
    t.equal(set.startOfRun(text, 0), text.length, hex)
  }
  const within = new Uint8Array(Buffer.from('c3a980c3a9', 'hex'))
  t.equal(set.endOfRun(within), 2)
  t.equal(set.startOfRun(within, 2), 3)
})
