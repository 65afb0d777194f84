// Documents of a text to import: each as it stands in the text, with its line.

import fc from 'fast-check'
import t from 'tap'
import { linesOf } from '../../../../src/studio/lib/collections/lines.js'
import { runs } from '../../../support/runs.js'

const all = (...given: Parameters<typeof linesOf>) => [...linesOf(...given)]

t.test('NDJSON: a line each, empty ones left out', async (t) => {
  t.same(all('NDJSON', '\ufeff{"a":1}\r\n\n {"a":2}', true), [
    { line: 1, text: '{"a":1}' },
    { line: 3, text: '{"a":2}' },
  ])
})

t.test('JSON: an array or one document, numbers and names as they are', async (t) => {
  const text = '[\n {"a": 1.0, "b": 9007199254740993},\n {"x": {"y": [1,\n2]}, "x": "]}"}\n]\n'
  t.same(all('JSON', text, true), [
    { line: 2, text: '{"a": 1.0, "b": 9007199254740993}' },
    { line: 3, text: '{"x": {"y": [1, 2]}, "x": "]}"}' },
  ])
  t.same(all('JSON', '{"a":\n1}', true), [{ line: 1, text: '{"a": 1}' }])
  t.same(all('JSON', '[]', true), [])
  for (const [bad, line] of [
    ['[{"a":1}', 1],
    ['[\n1]', 2],
    ['[[{}]]', 1],
    ['{}}', 1],
    ['[{"a": "x\n', 1],
    ['x', 1],
  ] as const) {
    t.throws(() => all('JSON', bad, true), new RegExp(`^Line ${line}: `), bad)
  }
})

t.test('JSON: any documents, pretty or not', async (t) => {
  const documents = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 })
  const same = fc.property(documents, fc.constantFrom(0, 2), (given, indent) => {
    const found = all('JSON', JSON.stringify(given, null, indent), true)
    t.strictSame(JSON.stringify(found.map(({ text }) => JSON.parse(text))), JSON.stringify(given))
  })
  fc.assert(same, { numRuns: runs(200) })
})

t.test('CSV: a document for each row, by the names of the header', async (t) => {
  t.same(all('CSV', 'a,b\r\n1,x\r\n,y\r\n', true), [
    { line: 2, text: '{"a":1,"b":"x"}' },
    { line: 3, text: '{"b":"y"}' },
  ])
  t.throws(() => all('CSV', 'a,a\n1,2', true), /header has the name “a” twice/)
  t.throws(() => all('CSV', 'a\n1,2', true), /^Line 2: The row has 2 cells/)
})
