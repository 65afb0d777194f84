// Shapes of commands: what a log may know.

import t from 'tap'
import { shapeOf } from '../../../src/bus/document/shape.js'
import { documentFrom } from '../../../src/value/literal.js'

t.test('a shape has names and types, no values', async (t) => {
  const command = documentFrom({
    find: 'people',
    filter: { age: { $gt: 21 }, name: 'Ada' },
    tags: [{ a: 1 }, 'x', 2.5, null, true],
    $db: 'test',
    lsid: { id: 1 },
  })
  t.equal(
    shapeOf(command),
    '{ find: string, filter: { age: { $gt: int }, name: string }, ' +
      'tags: [{ a: int }, string, double, 2 more] }',
  )
})

t.test('secret arguments are not walked', async (t) => {
  const command = documentFrom({ saslStart: 1, payload: 'svc_op_1', mechanism: 'PLAIN' })
  t.equal(shapeOf(command, ['payload']), '{ saslStart: int, mechanism: string }')
})

t.test('a shape is cut at a bound, however wide or deep the command', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field${i}`, i]))
  t.ok(shapeOf(documentFrom(wide)).length <= 1_001)
  let deep: Record<string, unknown> = { a: 1 }
  for (let i = 0; i < 150; i++) deep = { a: deep }
  t.ok(shapeOf(documentFrom(deep)).length < 100)
})
