// $jsonSchema: which documents a schema takes, keyword by keyword, and what a schema cannot say.

import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { filterToDocument } from '../../../src/query/filter/print.js'
import { compileFilter } from '../../../src/query/filter.js'
import { documentFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import { documentValue } from '../../../src/value/value.js'
import { context, long } from '../expressions/expression-table.js'

type Plain = Record<string, unknown>

function takes(schema: Plain, document: Plain): boolean {
  const filter = compileFilter(documentFrom({ $jsonSchema: schema }), context)
  return filter.matches(documentFrom(document))
}

/** Values of the field `a` that a schema of it takes, and others that it does not. */
const rows: readonly (readonly [Plain, readonly unknown[], readonly unknown[]])[] = [
  [{}, [1, 'x', null, []], []],
  [{ bsonType: 'int' }, [1], [1.5, long(1), '1', null]],
  [{ bsonType: 'number' }, [1, 1.5, long(1)], ['1']],
  [{ bsonType: ['string', 'null'] }, ['x', null], [1, []]],
  [{ type: 'number' }, [1, 1.5], ['1', true]],
  [{ type: ['boolean', 'object'] }, [true, {}], [1, []]],
  [{ enum: [1, 'a', null, { b: 1 }] }, [1, long(1), 'a', null, { b: 1 }], [2, 'b', { b: 2 }]],
  [{ minimum: 2 }, [2, 3, 'x'], [1, 1.9]],
  [{ minimum: 2, exclusiveMinimum: true }, [3, 'x'], [2]],
  [{ maximum: 2, exclusiveMaximum: false }, [2, 'x'], [3]],
  [{ multipleOf: 0.5 }, [1, 1.5, 0, 'x'], [0.7]],
  [{ minLength: 2, maxLength: 3 }, ['ab', 'äöü', '😀😀', 5], ['a', 'abcd']],
  [{ pattern: '^a.*z$' }, ['az', 'abcz', 5], ['ab', 'bz']],
  [{ required: ['x', 'y'] }, [{ x: 1, y: null }, 5], [{ x: 1 }, {}]],
  [
    { properties: { x: { bsonType: 'int' }, y: { minimum: 5 } } },
    [{}, { x: 1 }, { y: 5, z: 'x' }, 5],
    [{ x: 'a' }, { x: 1, y: 1 }],
  ],
  [{ patternProperties: { '^n': { bsonType: 'int' } } }, [{ n1: 1, x: 'a' }], [{ n1: 'a' }]],
  [
    {
      properties: { x: {} },
      patternProperties: { '^n': {} },
      additionalProperties: false,
    },
    [{}, { x: 1, n1: 2 }, 5],
    [{ x: 1, y: 1 }],
  ],
  [{ additionalProperties: { minimum: 5 } }, [{ x: 5 }, { y: 'a' }], [{ x: 4 }]],
  [{ dependencies: { x: ['y'] } }, [{}, { y: 1 }, { x: 1, y: 1 }], [{ x: 1 }]],
  [
    { dependencies: { x: { required: ['y'], properties: { y: { minimum: 1 } } } } },
    [{ y: 0 }, { x: 1, y: 1 }],
    [{ x: 1 }, { x: 1, y: 0 }],
  ],
  [{ minProperties: 1, maxProperties: 2 }, [{ x: 1 }, 5], [{}, { x: 1, y: 1, z: 1 }]],
  [{ items: { bsonType: 'int' } }, [[], [1, 2], 'x'], [[1, 'a']]],
  [{ items: [{ bsonType: 'int' }, {}] }, [[], [1, 'a', 'b']], [['a']]],
  [
    { items: [{ bsonType: 'int' }], additionalItems: false },
    [[], [1]],
    [
      [1, 2],
      ['a', 2],
    ],
  ],
  [{ items: [{}], additionalItems: { minimum: 5 } }, [[1, 5]], [[1, 4]]],
  [{ items: { minimum: 0 }, additionalItems: false }, [[1, 2, 3]], [[-1]]],
  [{ minItems: 1, maxItems: 2 }, [[1], 'x'], [[], [1, 2, 3]]],
  [
    { uniqueItems: true },
    [[], [1, 'a', null], 'x'],
    [
      [1, 1],
      [1, long(1)],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [1, 2, 3], [0, 4]],
  [{ anyOf: [{ bsonType: 'string' }, { minimum: 5 }] }, ['x', 5], [4]],
  [{ oneOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [5, 2], [6, 3]],
  [{ not: { bsonType: 'string' } }, [1, null], ['x']],
  [{ title: 'A', description: 'B' }, [1], []],
]

t.test('each keyword takes and refuses what it should', async (t) => {
  for (const [schema, taken, refused] of rows) {
    const whole = { properties: { a: schema } }
    for (const a of taken) t.ok(takes(whole, { a }), `${JSON.stringify(schema)} takes ${text(a)}`)
    for (const a of refused) {
      t.notOk(takes(whole, { a }), `${JSON.stringify(schema)} does not take ${text(a)}`)
    }
    t.ok(takes(whole, {}), 'a field that is missing breaks no rule of its own')
  }
})

function text(a: unknown): string {
  return shellText(documentValue(documentFrom({ a })))
}

t.test('a schema is a filter among others, and prints as itself', async (t) => {
  const of = (filter: Plain) => compileFilter(documentFrom(filter), context)
  const both = of({ $and: [{ a: { $gt: 1 } }, { $jsonSchema: { required: ['b'] } }] })
  t.ok(both.matches(documentFrom({ a: 2, b: 1 })))
  t.notOk(both.matches(documentFrom({ a: 2 })))
  const schema = { $jsonSchema: { required: ['b'] } }
  t.same(filterToDocument(of(schema).tree), documentFrom(schema))
  const never = of({ $nor: [schema] })
  t.ok(never.matches(documentFrom({})))
})

t.test('what a schema cannot say is refused', async (t) => {
  const refusals: readonly (readonly [unknown, number])[] = [
    [1, 14],
    [{ nope: 1 }, 9],
    [{ $ref: 'x' }, 9],
    [{ format: 'date' }, 9],
    [{ type: 'integer' }, 9],
    [{ type: 'int' }, 9],
    [{ type: 5 }, 14],
    [{ bsonType: 'nope' }, 2],
    [{ type: 'string', bsonType: 'string' }, 9],
    [{ type: ['string', 'string'] }, 9],
    [{ minimum: 'a' }, 14],
    [{ exclusiveMinimum: true }, 9],
    [{ minimum: 1, exclusiveMinimum: 1 }, 14],
    [{ multipleOf: 0 }, 9],
    [{ minLength: -1 }, 9],
    [{ minLength: 1.5 }, 9],
    [{ pattern: 1 }, 14],
    [{ required: 'a' }, 14],
    [{ required: [] }, 9],
    [{ required: ['a', 'a'] }, 9],
    [{ required: [1] }, 14],
    [{ properties: 1 }, 14],
    [{ properties: { a: 1 } }, 14],
    [{ additionalProperties: 1 }, 14],
    [{ dependencies: { a: 1 } }, 14],
    [{ items: 1 }, 14],
    [{ uniqueItems: 1 }, 14],
    [{ enum: [1, 1] }, 9],
    [{ enum: [] }, 9],
    [{ allOf: [] }, 9],
    [{ not: 1 }, 14],
    [{ title: 1 }, 14],
  ]
  for (const [schema, code] of refusals) {
    t.equal(codeOf({ $jsonSchema: schema }), code, JSON.stringify(schema))
  }
  t.equal(codeOf({ a: { $elemMatch: { $jsonSchema: {} } } }), 2)
  let deep: Plain = {}
  for (let i = 0; i < 1_000; i++) deep = { not: deep }
  t.not(codeOf({ $jsonSchema: deep }), 0, 'schemas do not nest without end')
})

function codeOf(filter: Plain): number {
  try {
    compileFilter(documentFrom(filter), context)
    return 0
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
}

t.test('$sampleRate lets a share of the documents pass', async (t) => {
  const count = (rate: number) => {
    const filter = compileFilter(documentFrom({ $sampleRate: rate }), context)
    let passed = 0
    for (let i = 0; i < 2_000; i++) if (filter.matches(documentFrom({ i }))) passed++
    return passed
  }
  t.equal(count(0), 0)
  t.equal(count(1), 2_000)
  const third = count(0.33)
  t.ok(third > 500 && third < 850, `${third} of 2,000`)
  t.equal(codeOf({ $sampleRate: 'a' }), 2)
  t.equal(codeOf({ $sampleRate: 1.1 }), 2)
})
