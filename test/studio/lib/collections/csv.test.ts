// CSV: what is written is read back to the letter, whatever is in the cells; no cell and no header
// starts a formula.

import fc from 'fast-check'
import t from 'tap'
import {
  cellOf,
  columnsOf,
  csvDocument,
  csvRow,
  csvRows,
} from '../../../../src/studio/lib/collections/csv.js'
import type { Ejson } from '../../../../src/studio/lib/ejson.js'
import { runs } from '../../../support/runs.js'

const hostile = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\uff1d1',
  '\uff0b1',
  '\uff0d1',
  '\uff20x',
  "'=1",
  "''=1",
  "'",
  '"',
  'a"b',
  'a,b',
  'a\nb',
  'a\r\nb',
  ' ',
  '__proto__',
  '=cmd|"/C calc"!A1',
  '\u202egpj',
]

const cells = fc.array(
  fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary' }), fc.string()),
  { minLength: 2, maxLength: 6 },
)

t.test('rows come back as they were', async (t) => {
  const table = fc.array(cells, { minLength: 1, maxLength: 8 })
  const same = fc.property(table, (rows) => {
    const text = rows.map((row) => `${csvRow(row)}\r\n`).join('')
    t.strictSame(
      [...csvRows(text)].map((row) => row.cells),
      rows,
    )
  })
  fc.assert(same, { numRuns: runs(200) })
})

t.test('no cell starts a formula', async (t) => {
  for (const text of hostile) {
    const written = csvRow([text])
    t.match(written, /^"[\s\S]*"$/)
    t.notMatch(written, /^"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/, JSON.stringify(text))
  }
})

t.test('rows tell their lines, also after cells of several lines', async (t) => {
  const rows = [...csvRows('\ufeffa,b\r\n"1\n2",3\n\nx,"y ""z"""')]
  t.same(rows, [
    { cells: ['a', 'b'], line: 1 },
    { cells: ['1\n2', '3'], line: 2 },
    { cells: ['x', 'y "z"'], line: 5 },
  ])
  t.throws(() => [...csvRows('a,"b')], /Line 1: a quote/)
  t.throws(() => [...csvRows('a\nb"c,d')], /Line 2: a quote/)
})

t.test('cells become values on wish, and numbers keep all their digits', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const long = '9007199254740993'
  const row = ['1', '-2.50', '007', long, 'true', '{"$oid":"x"}', '', '{no', '9'.repeat(30)]
  const text = csvDocument(names, row, true)
  t.equal(
    text,
    `{"a":1,"b":-2.50,"c":"007","d":{"$numberLong":"${long}"},"e":true,"f":{"$oid":"x"},"h":"{no","i":"${'9'.repeat(30)}"}`,
  )
  t.equal(csvDocument(['a', 'b'], ['1', 'true'], false), '{"a":"1","b":"true"}')
  t.throws(() => csvDocument(['a'], ['1', '2'], true), /2 cells/)
})

t.test('documents become columns and cells', async (t) => {
  const documents: Ejson[] = [
    { _id: 1, b: 'x' },
    { _id: 2, a: { n: [1] }, b: null },
  ]
  t.same(columnsOf(documents), ['_id', 'b', 'a'])
  t.same([undefined, 'x', null, { n: [1] }].map(cellOf), ['', 'x', 'null', '{"n":[1]}'])
  const numbers = [
    { $numberInt: '1' },
    { $numberLong: '9007199254740993' },
    { $numberDouble: '5.0' },
  ]
  t.same(numbers.map(cellOf), ['1', '9007199254740993', '5.0'])
  t.equal(cellOf({ $numberDouble: 'NaN' }), '{"$numberDouble":"NaN"}')
})
