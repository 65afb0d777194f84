// Several memories of one text: a line each, as it was typed, in parts that fit a request.

import t from 'tap'
import { batchOf, partsOf } from '../../../../src/studio/lib/memory/batch.js'

t.test('a text a line', async (t) => {
  const { memories, refused } = batchOf('one\r\n\n  two "quoted" \u2028x\n', 'lines')
  t.same(memories, [
    { line: 1, json: '{"text":"one"}' },
    { line: 3, json: JSON.stringify({ text: 'two "quoted" \u2028x' }) },
  ])
  t.same(refused, [])
})

t.test('a JSON object a line, as it was typed', async (t) => {
  const exact = '{"text": "a", "source": {"at": 1700000000000000001}}'
  const { memories, refused } = batchOf(`${exact}\n[]\n"x"\nnull\n{"text"\n`, 'ndjson')
  t.same(memories, [{ line: 1, json: exact }])
  t.same(
    refused.map(({ line }) => line),
    [2, 3, 4, 5],
  )
})

t.test('parts keep the order, and none is too large', async (t) => {
  const small = batchOf('x\n'.repeat(601), 'lines').memories
  t.same(
    partsOf(small).map(({ length }) => length),
    [250, 250, 101],
  )
  t.same(partsOf(small).flat(), small)
  const large = batchOf(`${'y'.repeat(200_000)}\n`.repeat(3), 'lines').memories
  t.same(
    partsOf(large).map(({ length }) => length),
    [1, 1, 1],
  )
  t.same(partsOf([]), [])
})
