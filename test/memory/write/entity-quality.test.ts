// What the extraction finds in the marked texts (bench/memory/entities), and what it must not lose
// by a change of its rules or lists. The figures that count are first runs: docs/memory.md.

import t from 'tap'
import { markedFiles, measure, readMarked } from '../../../bench/memory/entities.js'

const foundMin = 0.9
const wrongMax = 0.05

for (const file of markedFiles) {
  t.test(
    `of the marked texts ${file} nine tenths are found, and at most a twentieth wrong`,
    async (t) => {
      const texts = readMarked(file)
      t.equal(texts.length, 100)
      t.equal(texts.filter(({ language }) => language === 'Deutsch').length, 50)
      const { marked, found, right, differences } = measure(texts)
      t.ok(right / marked >= foundMin, differences.join('\n'))
      t.ok((found - right) / found <= wrongMax, differences.join('\n'))
    },
  )
}
