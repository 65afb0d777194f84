// The difference of two texts: its lines give both texts back, for random ones, and a small edit of a
// long text is a small difference.

import fc from 'fast-check'
import t from 'tap'
import { type DiffLine, diffLines } from '../../../src/studio/lib/diff.js'
import { seed } from '../../support/seed.js'

function without(lines: readonly DiffLine[], kind: DiffLine['kind']): string {
  return lines
    .filter((line) => line.kind !== kind)
    .map(({ text }) => text)
    .join('\n')
}

t.test('both texts are in it', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [before, after] = [one.join('\n'), other.join('\n')]
      const lines = diffLines(before, after)
      return without(lines, 'added') === before && without(lines, 'removed') === after
    }),
    { seed },
  )
  t.pass('for random texts')
})

t.test('one line of many', async (t) => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
  const changed = lines.with(10_000, 'another')
  const difference = diffLines(lines.join('\n'), changed.join('\n'))
  t.same(
    difference.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'removed', text: 'line 10000' },
      { kind: 'added', text: 'another' },
    ],
  )
})
