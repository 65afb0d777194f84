// What a document that fails a validator is told: the reference server's explanation, operator by
// operator and keyword by keyword. Expected documents are the reference server's own, in the order
// of their fields.

import fc from 'fast-check'
import t from 'tap'
import { compileFilter } from '../../../src/query/filter.js'
import { clauseOf } from '../../../src/query/validation/clauses.js'
import { explainFailure } from '../../../src/query/validation/explain.js'
import { documentFrom } from '../../../src/value/literal.js'
import { documentValue } from '../../../src/value/value.js'
import { toObject } from '../../support/literal.js'
import { filterOf } from '../../support/mingo/filters.js'
import { Draw, documentOf } from '../../support/mingo/values.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { context } from '../expressions/expression-table.js'

type Plain = Record<string, unknown>

function explained(validator: Plain, document: Plain): Plain {
  const clause = clauseOf(documentValue(documentFrom(validator)), context)
  return toObject(explainFailure(clause, documentFrom({ _id: 1, ...document }))) as Plain
}

function told(validator: Plain, document: Plain): unknown {
  return explained(validator, document).details
}

const leaf = (operatorName: string, specifiedAs: Plain, reason: string, more: Plain = {}) => ({
  ...{ operatorName, specifiedAs, reason },
  ...more,
})

/** A validator, a document that fails it, and the details. */
const operators: readonly (readonly [Plain, Plain, Plain])[] = [
  [
    { a: { $eq: 2 } },
    { a: 1 },
    leaf('$eq', { a: { $eq: 2 } }, 'comparison failed', { consideredValue: 1 }),
  ],
  [{ a: { $lt: 0 } }, { b: 1 }, leaf('$lt', { a: { $lt: 0 } }, 'field was missing')],
  [
    { a: { $gt: 3 } },
    { a: [0, 1, 2] },
    leaf('$gt', { a: { $gt: 3 } }, 'comparison failed', { consideredValues: [0, 1, 2] }),
  ],
  [
    { 'a.b': { $eq: 0 } },
    { a: [{ b: [1, 2] }, { b: [3, 4] }] },
    leaf('$eq', { 'a.b': { $eq: 0 } }, 'comparison failed', { consideredValues: [1, 2, 3, 4] }),
  ],
  [
    { 'a.b': { $eq: 2 } },
    { a: [{ b: 3 }] },
    leaf('$eq', { 'a.b': { $eq: 2 } }, 'comparison failed', { consideredValue: 3 }),
  ],
  [
    { a: { $gte: 3 } },
    { a: [] },
    leaf('$gte', { a: { $gte: 3 } }, 'comparison failed', { consideredValues: [] }),
  ],
  [{ a: 2 }, { a: 1 }, leaf('$eq', { a: 2 }, 'comparison failed', { consideredValue: 1 })],
  [
    { a: { $ne: 2 } },
    { a: [1, 2, 3] },
    leaf('$ne', { a: { $ne: 2 } }, 'comparison succeeded', { consideredValues: [1, 2, 3] }),
  ],
  [
    { a: { $in: [1, 2] } },
    { a: 4 },
    leaf('$in', { a: { $in: [1, 2] } }, 'no matching value found in array', { consideredValue: 4 }),
  ],
  [
    { a: { $nin: [1, 3] } },
    { a: 3 },
    leaf('$nin', { a: { $nin: [1, 3] } }, 'matching value found in array', { consideredValue: 3 }),
  ],
  [{ a: { $exists: true } }, {}, leaf('$exists', { a: { $exists: true } }, 'path does not exist')],
  [
    { a: { $exists: false } },
    { a: 1 },
    leaf('$exists', { a: { $exists: false } }, 'path does exist'),
  ],
  [
    { a: { $type: 'double' } },
    { a: ['x', 'y'] },
    leaf('$type', { a: { $type: 'double' } }, 'type did not match', {
      consideredValues: ['x', 'y'],
      consideredType: 'string',
    }),
  ],
  [
    { a: { $mod: [2, 1] } },
    { a: 'two' },
    leaf('$mod', { a: { $mod: [2, 1] } }, 'type did not match', {
      consideredType: 'string',
      expectedTypes: ['decimal', 'double', 'int', 'long'],
      consideredValue: 'two',
    }),
  ],
  [
    { a: { $mod: [2, 1] } },
    { a: 2 },
    leaf('$mod', { a: { $mod: [2, 1] } }, '$mod did not evaluate to expected remainder', {
      consideredValue: 2,
    }),
  ],
  [
    { a: { $size: 2 } },
    { a: [1, 2, 3] },
    leaf('$size', { a: { $size: 2 } }, 'array length was not equal to given size', {
      consideredValue: [1, 2, 3],
    }),
  ],
  [
    { a: { $size: 2 } },
    { a: 5 },
    leaf('$size', { a: { $size: 2 } }, 'type did not match', {
      ...{ consideredType: 'int', expectedType: 'array', consideredValue: 5 },
    }),
  ],
  [
    { a: { $all: [1, 2] } },
    { a: [1, 3] },
    leaf('$all', { a: { $all: [1, 2] } }, 'array did not contain all specified values', {
      consideredValue: [1, 3],
    }),
  ],
  [
    { a: { $elemMatch: { b: 1 } } },
    { a: [{ b: 2 }] },
    leaf(
      '$elemMatch',
      { a: { $elemMatch: { b: 1 } } },
      'array did not satisfy the child predicate',
      {
        consideredValue: [{ b: 2 }],
      },
    ),
  ],
  [
    { a: { $bitsAnySet: 3 } },
    { a: 0 },
    leaf('$bitsAnySet', { a: { $bitsAnySet: 3 } }, 'bitwise operator failed to match', {
      consideredValue: 0,
    }),
  ],
  [
    { a: { $regex: 'x', $options: 'i' } },
    { a: 1 },
    leaf('$regex', { a: { $regex: 'x', $options: 'i' } }, 'type did not match', {
      consideredType: 'int',
      expectedTypes: ['regex', 'string', 'symbol'],
      consideredValue: 1,
    }),
  ],
  [
    { $expr: { $eq: ['$a', '$b'] } },
    { a: 1, b: 2 },
    leaf('$expr', { $expr: { $eq: ['$a', '$b'] } }, 'expression did not match', {
      expressionResult: false,
    }),
  ],
  [
    { $alwaysFalse: 1 },
    {},
    leaf('$alwaysFalse', { $alwaysFalse: 1 }, 'expression always evaluates to false'),
  ],
]

t.test('an operator tells why it did not match', async (t) => {
  for (const [validator, document, details] of operators) {
    const name = JSON.stringify([validator, document])
    t.strictSame(told(validator, document), details, name)
    t.strictSame(Object.keys(told(validator, document) as Plain), Object.keys(details), name)
  }
})

t.test('the document is named, and what is looked at is bounded', async (t) => {
  const error = explained({ a: 0 }, { a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] })
  t.equal(error.failingDocumentId, 1)
  t.match(error.details, {
    consideredValues: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    consideredValuesTruncated: true,
  })
})

const clause = (index: number, details: Plain) => ({ index, details })
const failed = (path: string, operator: string, operand: unknown, consideredValue: unknown) =>
  leaf(operator, { [path]: { [operator]: operand } }, 'comparison failed', { consideredValue })
const succeeded = (path: string, operator: string, operand: unknown, consideredValue: unknown) =>
  leaf(operator, { [path]: { [operator]: operand } }, 'comparison succeeded', { consideredValue })

const combinations: readonly (readonly [Plain, Plain, Plain])[] = [
  [
    { a: { $gt: 0, $lt: 10 } },
    { a: 11 },
    { operatorName: '$and', clausesNotSatisfied: [clause(1, failed('a', '$lt', 10, 11))] },
  ],
  [
    { $or: [{ a: { $lt: 10 } }, { a: { $gt: 20 } }] },
    { a: 15 },
    {
      operatorName: '$or',
      clausesNotSatisfied: [
        clause(0, failed('a', '$lt', 10, 15)),
        clause(1, failed('a', '$gt', 20, 15)),
      ],
    },
  ],
  [
    { $nor: [{ a: { $gt: 10 } }, { b: { $lt: 10 } }] },
    { a: 9, b: 9 },
    { operatorName: '$nor', clausesSatisfied: [clause(1, succeeded('b', '$lt', 10, 9))] },
  ],
  [
    { a: { $not: { $lt: 10 } } },
    { a: 9 },
    { operatorName: '$not', details: succeeded('a', '$lt', 10, 9) },
  ],
  [
    { a: { $not: { $lt: 20, $gt: 5 } } },
    { a: 10 },
    {
      operatorName: '$not',
      details: {
        operatorName: '$and',
        clausesSatisfied: [
          clause(0, succeeded('a', '$lt', 20, 10)),
          clause(1, succeeded('a', '$gt', 5, 10)),
        ],
      },
    },
  ],
  [
    { a: { $not: { $not: { $lt: 10 } } } },
    { a: 11 },
    {
      operatorName: '$not',
      details: { operatorName: '$not', details: failed('a', '$lt', 10, 11) },
    },
  ],
  [
    { $and: [{ $or: [{ p: { $lt: 20 } }] }, { $nor: [{ q: { $not: { $lt: 20 } } }] }] },
    { p: 10, q: 25 },
    {
      operatorName: '$and',
      clausesNotSatisfied: [
        clause(1, {
          operatorName: '$nor',
          clausesSatisfied: [
            clause(0, { operatorName: '$not', details: failed('q', '$lt', 20, 25) }),
          ],
        }),
      ],
    },
  ],
  [
    { $and: [{ $expr: { $concat: ['$a', '$b'] } }, { $expr: { $divide: [1, '$b'] } }] },
    { a: 'x', b: 0 },
    {
      operatorName: '$and',
      clausesNotSatisfied: [
        clause(0, {
          operatorName: '$expr',
          specifiedAs: { $expr: { $concat: ['$a', '$b'] } },
          reason: 'failed to evaluate aggregation expression',
          details: {
            code: 16702,
            codeName: 'Location16702',
            errmsg: '$concat only supports strings, not int',
          },
        }),
        clause(1, {
          operatorName: '$expr',
          specifiedAs: { $expr: { $divide: [1, '$b'] } },
          reason: 'failed to evaluate aggregation expression',
          details: { code: 2, codeName: 'BadValue', errmsg: "can't $divide by zero" },
        }),
      ],
    },
  ],
  [
    { $nor: [{ $jsonSchema: { minimum: 1 } }] },
    { a: 2 },
    {
      operatorName: '$nor',
      clausesSatisfied: [clause(0, { operatorName: '$jsonSchema', reason: 'schema matched' })],
    },
  ],
]

t.test('combinations tell which of their clauses are to blame', async (t) => {
  for (const [validator, document, details] of combinations) {
    t.strictSame(told(validator, document), details, JSON.stringify([validator, document]))
  }
})

/** The findings of a schema of the field `a`. */
function findings(schema: Plain, a: unknown): unknown {
  const whole = { $jsonSchema: { properties: { a: schema } } }
  const details = told(whole, { a }) as { schemaRulesNotSatisfied: Plain[] }
  const [rule] = details.schemaRulesNotSatisfied
  const [property] = (rule as { propertiesNotSatisfied: Plain[] }).propertiesNotSatisfied
  return (property as { details: unknown }).details
}

const compared = (name: string, specifiedAs: Plain, consideredValue: unknown) =>
  leaf(name, specifiedAs, 'comparison failed', { consideredValue })
const wrongType = (specifiedAs: Plain, consideredValue: unknown, consideredType: string) =>
  leaf(Object.keys(specifiedAs)[0] ?? '', specifiedAs, 'type did not match', {
    ...{ consideredValue, consideredType },
  })
const length = 'specified string length was not satisfied'
const count = 'specified number of properties was not satisfied'
const small = { operatorName: 'minimum', specifiedAs: { minimum: 1 }, reason: 'comparison failed' }

const keywords: readonly (readonly [Plain, unknown, readonly Plain[]])[] = [
  [{ minimum: 1 }, 0, [compared('minimum', { minimum: 1 }, 0)]],
  [
    { minimum: 1, exclusiveMinimum: true },
    1,
    [compared('minimum', { minimum: 1, exclusiveMinimum: true }, 1)],
  ],
  [
    { minimum: 10, maximum: -10 },
    5,
    [compared('maximum', { maximum: -10 }, 5), compared('minimum', { minimum: 10 }, 5)],
  ],
  [{ type: 'string', minimum: 5 }, 4, [wrongType({ type: 'string' }, 4, 'int')]],
  [{ bsonType: ['int', 'null'] }, 'x', [wrongType({ bsonType: ['int', 'null'] }, 'x', 'string')]],
  [
    { minLength: 4 },
    'foo',
    [leaf('minLength', { minLength: 4 }, length, { consideredValue: 'foo' })],
  ],
  [
    { maxLength: 1 },
    'foo',
    [leaf('maxLength', { maxLength: 1 }, length, { consideredValue: 'foo' })],
  ],
  [
    { pattern: '^S' },
    'slow',
    [
      leaf('pattern', { pattern: '^S' }, 'regular expression did not match', {
        consideredValue: 'slow',
      }),
    ],
  ],
  [
    { multipleOf: 2.1 },
    1,
    [
      leaf(
        'multipleOf',
        { multipleOf: 2.1 },
        'considered value is not a multiple of the specified value',
        { consideredValue: 1 },
      ),
    ],
  ],
  [
    { enum: [1, 2] },
    3,
    [leaf('enum', { enum: [1, 2] }, 'value was not found in enum', { consideredValue: 3 })],
  ],
  [
    { minItems: 2 },
    [1],
    [
      leaf('minItems', { minItems: 2 }, 'array did not match specified length', {
        ...{ consideredValue: [1], numberOfItems: 1 },
      }),
    ],
  ],
  [
    { uniqueItems: true },
    ['two', 'two'],
    [
      leaf('uniqueItems', { uniqueItems: true }, 'found a duplicate item', {
        ...{ consideredValue: ['two', 'two'], duplicatedValue: 'two' },
      }),
    ],
  ],
  [
    { items: { minimum: 1, title: 'positive' } },
    [1, 0],
    [
      {
        ...{ operatorName: 'items', title: 'positive' },
        reason: 'At least one item did not match the sub-schema',
        itemIndex: 1,
        details: [{ ...small, consideredValue: 0 }],
      },
    ],
  ],
  [
    { items: [{}, { minimum: 1 }], additionalItems: false },
    [1, 0, 5, 6],
    [
      {
        operatorName: 'items',
        details: [{ itemIndex: 1, details: [{ ...small, consideredValue: 0 }] }],
      },
      {
        operatorName: 'additionalItems',
        specifiedAs: { additionalItems: false },
        reason: 'found additional items',
        additionalItems: [5, 6],
      },
    ],
  ],
  [
    { items: [{}], additionalItems: { minimum: 1 } },
    [0, 1, 0],
    [
      {
        operatorName: 'additionalItems',
        reason: 'At least one additional item did not match the sub-schema',
        itemIndex: 2,
        details: [{ ...small, consideredValue: 0 }],
      },
    ],
  ],
  [
    { required: ['z', 'b'], minProperties: 2 },
    { c: 1 },
    [
      {
        operatorName: 'required',
        specifiedAs: { required: ['z', 'b'] },
        missingProperties: ['b', 'z'],
      },
      {
        operatorName: 'minProperties',
        ...{ specifiedAs: { minProperties: 2 }, reason: count, numberOfProperties: 1 },
      },
    ],
  ],
  [
    { properties: { b: {} }, patternProperties: { '^n': {} }, additionalProperties: false },
    { b: 1, n1: 2, x: 3, y: 4 },
    [
      {
        operatorName: 'additionalProperties',
        specifiedAs: { additionalProperties: false },
        additionalProperties: ['x', 'y'],
      },
    ],
  ],
  [
    { additionalProperties: { minimum: 1, description: 'small' } },
    { x: 1, y: 0 },
    [
      {
        ...{ operatorName: 'additionalProperties', description: 'small' },
        reason: 'at least one additional property did not match the subschema',
        failingProperty: 'y',
        details: [{ ...small, consideredValue: 0 }],
      },
    ],
  ],
  [
    { patternProperties: { '^n': { minimum: 1 } } },
    { n1: 1, n2: 0 },
    [
      {
        operatorName: 'patternProperties',
        details: [
          {
            propertyName: 'n2',
            regexMatched: '^n',
            details: [{ ...small, consideredValue: 0 }],
          },
        ],
      },
    ],
  ],
  [
    { dependencies: { b: ['c'], d: { required: ['e'] } } },
    { b: 1, d: 1 },
    [
      {
        operatorName: 'dependencies',
        failingDependencies: [
          { conditionalProperty: 'b', missingProperties: ['c'] },
          {
            conditionalProperty: 'd',
            details: [
              {
                operatorName: 'required',
                specifiedAs: { required: ['e'] },
                missingProperties: ['e'],
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    { allOf: [{ maximum: 9 }, { minimum: 1 }] },
    0,
    [
      {
        operatorName: 'allOf',
        schemasNotSatisfied: [{ index: 1, details: [{ ...small, consideredValue: 0 }] }],
      },
    ],
  ],
  [
    { anyOf: [{ minimum: 1, title: 'one' }] },
    0,
    [
      {
        operatorName: 'anyOf',
        schemasNotSatisfied: [
          { index: 0, title: 'one', details: [{ ...small, consideredValue: 0 }] },
        ],
      },
    ],
  ],
  [
    { oneOf: [{ minimum: 0 }, { minimum: 1 }, { maximum: 5 }] },
    3,
    [
      {
        operatorName: 'oneOf',
        reason: 'more than one subschema matched',
        matchingSchemaIndexes: [0, 1, 2],
      },
    ],
  ],
  [{ not: { minimum: 1 } }, 2, [{ operatorName: 'not', reason: 'child expression matched' }]],
]

t.test('a keyword of a schema tells what it found', async (t) => {
  for (const [schema, value, expected] of keywords) {
    const name = JSON.stringify([schema, value])
    const found = findings(schema, value)
    t.strictSame(found, expected, name)
    t.equal(JSON.stringify(found), JSON.stringify(expected), `${name}, in order`)
  }
})

t.test('a schema tells its title, and the description of each property', async (t) => {
  const schema = {
    title: 'Student',
    bsonType: 'object',
    required: ['name', 'year'],
    properties: {
      year: { bsonType: 'int', minimum: 2017, description: 'an integer since 2017' },
      address: { bsonType: 'object', properties: { street: { bsonType: 'string' } } },
    },
  }
  const expected = {
    operatorName: '$jsonSchema',
    title: 'Student',
    schemaRulesNotSatisfied: [
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'year',
            description: 'an integer since 2017',
            details: [compared('minimum', { minimum: 2017 }, 2000)],
          },
          {
            propertyName: 'address',
            details: [
              {
                operatorName: 'properties',
                propertiesNotSatisfied: [
                  {
                    propertyName: 'street',
                    details: [wrongType({ bsonType: 'string' }, 5, 'int')],
                  },
                ],
              },
            ],
          },
        ],
      },
      {
        operatorName: 'required',
        specifiedAs: { required: ['name', 'year'] },
        missingProperties: ['name'],
      },
    ],
  }
  const found = told({ $jsonSchema: schema }, { year: 2000, address: { street: 5 } })
  t.equal(JSON.stringify(found), JSON.stringify(expected))
})

t.test('an explanation that would be too large quotes nothing', async (t) => {
  const text = 'x'.repeat(5_000_000)
  const error = explained({ $nor: [{ a: text }, { a: { $type: 'string' } }] }, { a: text })
  t.equal(error.truncated, true)
  t.notMatch(JSON.stringify(error), 'specifiedAs')
  t.notMatch(JSON.stringify(error), 'consideredValue')
  t.match(error.details, { operatorName: '$nor', clausesSatisfied: [{ index: 0 }, { index: 1 }] })
})

/** Findings must stand somewhere below every combination that is told. */
function isExplained(details: unknown): boolean {
  if (typeof details !== 'object' || details === null) return false
  const { operatorName, reason, clausesSatisfied, clausesNotSatisfied, ...rest } = details as Plain
  if (typeof operatorName !== 'string') return false
  if (typeof reason === 'string' || operatorName === '$jsonSchema') return true
  const inner = clausesSatisfied ?? clausesNotSatisfied
  if (operatorName === '$not') return isExplained(rest.details)
  return Array.isArray(inner) && inner.length > 0 && inner.every((one) => isExplained(one.details))
}

t.test('clauses agree with the filter, and every failure is explained', async (t) => {
  let failures = 0
  for (let run = 0; run < runs(2_000); run++) {
    const draw = new Draw(seed + run)
    const filter = filterOf(draw)
    const document = documentFrom(documentOf(draw, run))
    const encoded = documentFrom(filter)
    let expected: boolean
    try {
      expected = compileFilter(encoded, context).matches(document)
    } catch {
      continue
    }
    const clause = clauseOf(documentValue(encoded), context)
    if (clause.matches(document) !== expected) t.fail(`seed ${seed + run}: another opinion`)
    if (expected) continue
    failures++
    const { details } = toObject(explainFailure(clause, document)) as Plain
    if (!isExplained(details)) t.fail(`seed ${seed + run}: ${JSON.stringify(details)}`)
  }
  t.ok(failures > 100, `${failures} failures, seed ${seed}`)
})

const leafSchemas: fc.Arbitrary<Plain> = fc.oneof(
  fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ maximum: fc.integer({ min: -3, max: 3 }), exclusiveMaximum: fc.boolean() }),
  fc.record({ bsonType: fc.constantFrom('int', 'string', 'object', 'array', 'number') }),
  fc.record({ minLength: fc.nat(3) }),
  fc.record({ enum: fc.uniqueArray(fc.integer({ min: -3, max: 3 }), { minLength: 1 }) }),
  fc.record({ required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }) }),
  fc.record({ maxProperties: fc.nat(2) }),
  fc.record({ minItems: fc.nat(2), uniqueItems: fc.boolean() }),
)

const schemas: fc.Arbitrary<Plain> = fc.letrec<{ schema: Plain }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leafSchemas,
    fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')) }),
    fc.record({ additionalProperties: fc.oneof(fc.boolean(), tie('schema')) }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema')) }),
    fc.record({ dependencies: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')) }),
    fc.record({ items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('schema') }),
  ),
})).schema

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.integer({ min: -4, max: 4 }),
    fc.string({ maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
  ),
})).value

t.test('a schema has findings of exactly the values that it refuses', async () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const whole = { $jsonSchema: { properties: { a: schema } } }
      const document = documentFrom({ _id: 1, a: value })
      const clause = clauseOf(documentValue(documentFrom(whole)), context)
      if (clause.matches(document)) return true
      const { details } = toObject(explainFailure(clause, document)) as { details: Plain }
      return everyFinding(details)
    }),
    { numRuns: runs(300) },
  )
})

/** No list of findings in an explanation is empty. */
function everyFinding(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(everyFinding)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([name, inner]) => !/NotSatisfied$|^details$|^failing/.test(name) || everyFinding(inner),
  )
}
