// Parameter schemas: what is taken, and the reference server's words for what is not.

import { Double, Long } from 'bson'
import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import * as params from '../../../src/bus/document/params.js'
import { type Field, type Fields, Schema } from '../../../src/bus/document/schema.js'
import { documentFrom } from '../../../src/value/literal.js'
import type { Value } from '../../../src/value/value.js'
import { toJs } from '../../support/literal.js'

const fields = {
  filter: params.withDefault(params.object, documentFrom({})),
  limit: params.withDefault(params.countNumber, 0),
  singleBatch: params.optional(params.bool),
  comment: params.optional(params.anyValue),
} as const

function parse(body: Record<string, unknown>) {
  return new Schema('find', fields).parse(documentFrom(body))
}

/** The error of one field `v` of a command `c`. */
function refusal(field: Field<unknown>, v: unknown): [number, string] {
  return errorOf(() => new Schema('c', { v: field }).parse(documentFrom({ v })))
}

function read<T>(field: Field<T>, v: unknown): T {
  return new Schema('c', { v: field } satisfies Fields).parse(documentFrom({ v })).v as T
}

function errorOf(run: () => unknown): [number, string] {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.message]
    throw error
  }
  throw new Error('nothing was thrown')
}

t.test('absent parameters take their defaults', async (t) => {
  const args = parse({})
  t.equal(args.limit, 0)
  t.equal(args.singleBatch, undefined)
  t.equal(args.filter.length, 5)
})

t.test('null counts as absent, except where any value is taken', async (t) => {
  const args = parse({ limit: null, comment: null })
  t.equal(args.limit, 0)
  t.equal(toJs(args.comment as Value), null)
})

t.test('a whole number comes in any numeric type', async (t) => {
  for (const five of [5, Long.fromNumber(5), new Double(5)])
    t.equal(parse({ limit: five }).limit, 5)
  t.equal(
    parse({ limit: new Double(5.9) }).limit,
    5,
    'fractions are cut, as on the reference server',
  )
})

t.test('a flag may be a number', async (t) => {
  t.equal(parse({ singleBatch: 1 }).singleBatch, true)
  t.equal(parse({ singleBatch: new Double(0) }).singleBatch, false)
})

t.test('an unknown field is 40415', async (t) => {
  t.same(
    errorOf(() => parse({ foo: 1 })),
    [40415, "BSON field 'find.foo' is an unknown field."],
  )
})

t.test('names of the same shape are told apart', async (t) => {
  t.same(
    errorOf(() => parse({ fixter: 1 })),
    [40415, "BSON field 'find.fixter' is an unknown field."],
  )
})

t.test('a missing required field is 40414', async (t) => {
  const schema = new Schema('find', { filter: params.object })
  t.same(
    errorOf(() => schema.parse(documentFrom({}))),
    [40414, "BSON field 'find.filter' is missing but a required field"],
  )
})

t.test('a field twice is 40413', async (t) => {
  const once = documentFrom({ limit: 1 })
  const element = once.subarray(4, once.length - 1)
  const length = 4 + 2 * element.length + 1
  const twice = Uint8Array.of(length, 0, 0, 0, ...element, ...element, 0)
  t.same(
    errorOf(() => new Schema('find', fields).parse(twice)),
    [40413, "BSON field 'find.limit' is a duplicate field"],
  )
})

t.test('a wrong type names what would be right', async (t) => {
  t.same(refusal(params.wholeNumber, 'x'), [
    14,
    "BSON field 'c.v' is the wrong type 'string', expected types '[long, int, decimal, double']",
  ])
  t.same(refusal(params.object, [1]), [
    14,
    "BSON field 'c.v' is the wrong type 'array', expected type 'object'",
  ])
  t.same(refusal(params.bool, {}), [
    14,
    "BSON field 'c.v' is the wrong type 'object', expected types '[bool, long, int, decimal, double']",
  ])
  t.same(refusal(params.hint, 1), [
    14,
    "BSON field 'c.v' is the wrong type 'int', expected types '[string, object']",
  ])
  t.same(refusal(params.longNumber, 1), [
    14,
    "BSON field 'c.v' is the wrong type 'int', expected type 'long'",
  ])
  t.same(refusal(params.strictBool, 1), [
    14,
    "BSON field 'c.v' is the wrong type 'int', expected type 'bool'",
  ])
})

t.test('a negative count is 51024', async (t) => {
  t.same(
    errorOf(() => parse({ limit: -1 })),
    [51024, "BSON field 'limit' value must be >= 0, actual value '-1'"],
  )
})

t.test('an element of the wrong type is named by its position', async (t) => {
  t.same(refusal(params.documents, [{}, 5]), [
    14,
    "BSON field 'c.v.1' is the wrong type 'int', expected type 'object'",
  ])
  t.same(refusal(params.arrayOf(params.string), ['a', 5]), [
    14,
    "BSON field 'c.v.1' is the wrong type 'int', expected type 'string'",
  ])
})

t.test('structures know their place in the command', async (t) => {
  const updates = params.structures({ q: params.object })
  t.same(refusal(updates, [{ q: {} }, {}]), [
    40414,
    "BSON field 'c.v.q' is missing but a required field",
  ])
  t.same(refusal(updates, [{ q: {}, x: 1 }]), [40415, "BSON field 'c.v.x' is an unknown field."])
})

t.test('one of several texts', async (t) => {
  const field = params.oneOf(['a', 'b'])
  t.equal(read(field, 'b'), 'b')
  t.same(refusal(field, 'c'), [2, "Enumeration value 'c' for field 'c.v' is not a valid value."])
})

t.test('a sequence fills a field of documents, once', async (t) => {
  const schema = new Schema('insert', { documents: params.documents, ordered: params.bool })
  const reading = schema.begin()
  const given = [documentFrom({ a: 1 })]
  t.ok(reading.takeSequence('documents', given))
  t.notOk(reading.takeSequence('ordered', given), 'a flag takes no sequence')
  t.notOk(reading.takeSequence('other', given))
  t.same(
    errorOf(() => reading.takeSequence('documents', given)),
    [40413, "BSON field 'insert.documents' is a duplicate field"],
  )
})

t.test('a collection name must be a string', async (t) => {
  t.same(refusal(params.collection, 1), [73, 'collection name has invalid type int'])
  t.equal(read(params.collectionOrDatabase, 1), undefined)
  t.equal(read(params.collectionOrDatabase, 'c'), 'c')
  t.equal(refusal(params.collectionOrDatabase, 2)[0], 9)
})

t.test('a schema has room for 31 fields', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 31 }, (_, i) => [`f${i}`, params.optional(params.number)]),
  )
  const schema = new Schema('c', many)
  const body = Object.fromEntries(Object.keys(many).map((name, i) => [name, i]))
  t.same(schema.parse(documentFrom(body)), body)
  t.throws(() => new Schema('c', { ...many, more: params.bool }), /more than 31/)
})
