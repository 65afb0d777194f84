// Reply documents, byte for byte what a general writer would make of them.

import { Double, Int32, Long } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { fail } from '../../../src/base/errors.js'
import { cursorReply, errorReply, reply } from '../../../src/bus/document/reply.js'
import { documentFrom } from '../../../src/value/literal.js'
import { validateDocument } from '../../../src/value/validate.js'
import { documentValue, int32Value } from '../../../src/value/value.js'
import { toObject } from '../../support/literal.js'
import { runs } from '../../support/runs.js'

t.test('ok is a double and comes last', async (t) => {
  const document = reply((writer) => writer.int32('n', 2))
  t.same(document, documentFrom({ n: 2, ok: new Double(1) }))
})

t.test('a cursor reply is the same bytes as one written field by field', async (t) => {
  const batch = fc.array(fc.record({ _id: fc.integer(), text: fc.string() }), { maxLength: 120 })
  const id = fc.nat(Number.MAX_SAFE_INTEGER)
  const ns = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'))
  const check = () =>
    fc.assert(
      fc.property(batch, id, ns, (objects, id, ns) => {
        const documents = objects.map(documentFrom)
        const made = cursorReply({ name: 'nextBatch', documents, id, ns })
        const expected = documentFrom({
          cursor: { nextBatch: documents.map(documentValue), id: Long.fromNumber(id), ns },
          ok: new Double(1),
        })
        validateDocument(made)
        return Buffer.compare(made, expected) === 0
      }),
      { numRuns: runs(100) },
    )
  t.doesNotThrow(check)
})

t.test('an error reply carries code, name, text and its further fields', async (t) => {
  const error = fail('DuplicateKey', 'E11000 duplicate', {
    keyPattern: documentFrom({ a: 1 }),
    keyValue: { a: 'x' },
    index: 3,
    part: 0.5,
    list: [int32Value(1), documentFrom({ b: 2 })],
    text: 'why',
    nothing: undefined,
  })
  t.same(toObject(errorReply(error)), {
    ok: 0,
    errmsg: 'E11000 duplicate',
    code: 11000,
    codeName: 'DuplicateKey',
    keyPattern: { a: 1 },
    keyValue: { a: 'x' },
    index: 3,
    part: 0.5,
    list: [1, { b: 2 }],
    text: 'why',
  })
})

t.test('codes go out as int32, which drivers insist on', async (t) => {
  const document = errorReply(fail('Location40415', 'unknown'))
  const expected = documentFrom({
    ok: new Double(0),
    errmsg: 'unknown',
    code: new Int32(40415),
    codeName: 'Location40415',
  })
  t.same(document, expected)
})
