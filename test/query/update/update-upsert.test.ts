// Upserts: the document that is made of a filter's equalities and the update, and its _id.

import { ObjectId } from 'bson'
import t from 'tap'
import { compileFilter } from '../../../src/query/filter.js'
import { upsertDocument } from '../../../src/query/update.js'
import { documentFrom } from '../../../src/value/literal.js'
import { type Literal, refuses, show, testContext } from '../../support/query.js'
import { compile, type UpdateLiteral } from '../../support/updates.js'

function upsert(filter: Literal, update: UpdateLiteral) {
  const compiled = compileFilter(documentFrom(filter), testContext)
  return upsertDocument(compiled, compile(update), testContext)
}

t.test('an upsert starts from the equalities of its filter', async (t) => {
  const made = new ObjectId(testContext.objectId(0))
  const rows: readonly (readonly [Literal, UpdateLiteral, Literal])[] = [
    [{ a: 1 }, { $set: { b: 2 } }, { _id: made, a: 1, b: 2 }],
    [{ _id: 7, a: { $eq: 1 } }, { $inc: { n: 1 } }, { _id: 7, a: 1, n: 1 }],
    [{ a: { $gt: 1 }, b: { $in: [1] }, c: /x/ }, { $set: { d: 1 } }, { _id: made, d: 1 }],
    [{ $and: [{ a: 1 }, { b: 2 }] }, { $set: { c: 1 } }, { _id: made, a: 1, b: 2, c: 1 }],
    [{ $or: [{ a: 1 }] }, { $set: { c: 1 } }, { _id: made, a: 1, c: 1 }],
    [{ $or: [{ a: 1 }, { a: 2 }] }, { $set: { c: 1 } }, { _id: made, c: 1 }],
    [{ a: { $all: [1] } }, { $set: { c: 1 } }, { _id: made, a: 1, c: 1 }],
    [{ 'a.b': 1, 'a.c': 2 }, { $set: { d: 1 } }, { _id: made, a: { b: 1, c: 2 }, d: 1 }],
    [{ a: 1 }, { $set: { a: 2 } }, { _id: made, a: 2 }],
    [{ a: 1 }, { $set: { _id: 5 } }, { _id: 5, a: 1 }],
    [{ a: 1 }, { $setOnInsert: { b: 1 } }, { _id: made, a: 1, b: 1 }],
    [{ _id: 7, a: 1 }, { b: 2 }, { _id: 7, b: 2 }],
    [{ a: 1 }, { b: 2 }, { _id: made, b: 2 }],
    [{ a: 1 }, { b: 2, _id: 8 }, { _id: 8, b: 2 }],
    [{ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { _id: made, a: 1, b: 2 }],
    [{ a: null }, { $set: { b: 1 } }, { _id: made, a: null, b: 1 }],
    [{ l: 5 }, { $push: { m: 1 } }, { _id: made, l: 5, m: [1] }],
  ]
  for (const [filter, update, expected] of rows) {
    t.equal(show(upsert(filter, update)), show(expected), show(filter))
  }
})

t.test('an upsert refuses what its filter cannot tell', async (t) => {
  const rows: readonly (readonly [Literal, Literal, number, string])[] = [
    [{ a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } }, 54, "path 'a' is matched twice"],
    [{ a: { b: 1 }, 'a.b': 1 }, { $set: { c: 1 } }, 54, "both paths 'a.b' and 'a' are matched"],
    [{ a: { $all: [1, 2] } }, { $set: { c: 1 } }, 54, "path 'a' is matched twice"],
    [{ _id: 1 }, { $set: { _id: 2 } }, 66, 'immutable field'],
    [{ _id: 1 }, { _id: 2 }, 66, 'altered to _id: 2'],
    [{ 'a.x': 1 }, { $set: { 'a.$': 1 } }, 2, 'The positional operator did not find'],
    [{ a: 1 }, { $set: { 'a.b': 1 } }, 28, "Cannot create field 'b' in element {a: 1}"],
  ]
  for (const [filter, update, code, text] of rows) {
    refuses(t, () => upsert(filter, update), code, text)
  }
})
