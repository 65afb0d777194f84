// The subtle rules of updates, one named test each.

import { Decimal128, Double, Int32, Long } from 'bson'
import t, { type Test } from 'tap'
import { type Literal, refuses, show } from '../../support/query.js'
import { apply, compile, type UpdateLiteral, type UpdateRun } from '../../support/updates.js'

function gives(t: Test, update: UpdateLiteral, before: Literal, after: Literal, run?: UpdateRun) {
  t.equal(show(apply(update, before, run)), show(after), JSON.stringify(update))
}

function refused(t: Test, update: UpdateLiteral, code: number, text: string, before: Literal = {}) {
  refuses(t, () => apply(update, before), code, text)
}

function rule(name: string, body: (t: Test) => void): void {
  t.test(name, async (t) => body(t))
}

rule('an unknown modifier is 9', (t) => refused(t, { $foo: { a: 1 } }, 9, 'Unknown modifier: $foo'))

rule('new fields are added in the order of their paths, numbers by value', (t) => {
  gives(t, { $set: { b: 1, a: 2 } }, { _id: 1 }, { _id: 1, a: 2, b: 1 })
  gives(t, { $set: { 'a.10': 1, 'a.2': 2 } }, { a: {} }, { a: { 2: 2, 10: 1 } })
})

rule('two changes of one path, or of a part of it, are 40', (t) => {
  refused(t, { $set: { a: 1 }, $inc: { a: 1 } }, 40, "would create a conflict at 'a'")
  refused(t, { $set: { a: 1 }, $inc: { 'a.b': 1 } }, 40, "would create a conflict at 'a'")
})

rule('an empty name in a path is 56', (t) => {
  refused(t, { $set: { 'a..b': 1 } }, 56, 'empty field name')
  refused(t, { $set: { '': 1 } }, 56, 'empty')
})

rule('an operator without fields changes nothing', (t) => {
  gives(t, { $set: {} }, { a: 1 }, { a: 1 })
})

rule('missing parents become objects, whatever their names', (t) => {
  gives(t, { $set: { 'a.0.b': 1 } }, {}, { a: { 0: { b: 1 } } })
})

rule('a position beyond the end pads with null, up to 1,500,000', (t) => {
  gives(t, { $set: { 'a.3': 1 } }, { a: [0] }, { a: [0, null, null, 1] })
  refused(t, { $set: { 'a.1500002': 1 } }, 34, "can't backfill more than", { a: [0] })
})

rule('a path through a scalar or null is 28', (t) => {
  refused(t, { $set: { 'a.b': 1 } }, 28, "Cannot create field 'b' in element {a: 1}", { a: 1 })
  refused(t, { $set: { 'a.b': 1 } }, 28, "Cannot create field 'b' in element {a: null}", {
    a: null,
  })
})

rule('a name in an array is 28, also one that only looks like a number', (t) => {
  for (const name of ['x', '0000', '+1']) {
    refused(t, { $set: { [`a.${name}`]: 1 } }, 28, `Cannot create field '${name}'`, { a: [1] })
  }
})

rule('_id may be set to what it is, else it is 66', (t) => {
  gives(t, { $set: { _id: 1, a: 2 } }, { _id: 1 }, { _id: 1, a: 2 })
  refused(t, { $set: { _id: 2 } }, 66, "would modify the immutable field '_id'", { _id: 1 })
  refused(t, { a: 1, _id: 2 }, 66, '_id', { _id: 1 })
  gives(t, { a: 1 }, { _id: 1, b: 1 }, { _id: 1, a: 1 })
})

rule('$inc and $mul keep the widest type, and int32 grows to int64', (t) => {
  const most = new Int32(2 ** 31 - 1)
  gives(t, { $inc: { a: 1 } }, { a: most }, { a: Long.fromNumber(2 ** 31) })
  gives(t, { $inc: { a: new Double(1.5) } }, { a: 1 }, { a: 2.5 })
  const decimal = Decimal128.fromString('1')
  gives(t, { $inc: { a: decimal } }, { a: 2 }, { a: Decimal128.fromString('3') })
})

rule('$inc beyond int64 is 2', (t) => {
  const before = { _id: 1, a: Long.MAX_VALUE }
  refused(t, { $inc: { a: 1 } }, 2, 'Failed to apply $inc operations to current value', before)
})

rule('$inc and $mul of or by what is no number are 14', (t) => {
  refused(t, { $inc: { a: 'x' } }, 14, 'Cannot increment with non-numeric argument')
  const text = "has the field 'a' of non-numeric type string"
  refused(t, { $inc: { a: 1 } }, 14, text, { _id: 1, a: 'x' })
})

rule('a missing field is set by $inc, and made 0 of the operand’s type by $mul', (t) => {
  gives(t, { $inc: { a: 2 } }, {}, { a: 2 })
  gives(t, { $mul: { a: new Double(2.5) } }, {}, { a: new Double(0) })
  gives(t, { $mul: { a: Long.fromInt(2) } }, {}, { a: Long.fromInt(0) })
})

rule('$min and $max go by the order of types, and set what is missing', (t) => {
  gives(t, { $min: { a: 5 } }, { a: 'x' }, { a: 5 })
  gives(t, { $max: { a: 5 } }, { a: 'x' }, { a: 'x' })
  gives(t, { $max: { a: 5 } }, {}, { a: 5 })
})

rule('$unset leaves null in an array', (t) => {
  gives(t, { $unset: { 'a.0': 1 } }, { a: [1, 2] }, { a: [null, 2] })
})

rule('$rename goes through no array, and not to itself', (t) => {
  refused(t, { $rename: { a: 'a' } }, 2, 'must differ', { a: 1 })
  refused(t, { $rename: { 'a.0': 'b' } }, 2, 'array', { a: [1] })
  refused(t, { $rename: { a: 'b.0' } }, 2, 'array', { a: 1, b: [1] })
  gives(t, { $rename: { a: 'b' } }, { b: 1, a: 2 }, { b: 2 })
})

rule('$currentDate takes true or a type', (t) => {
  refused(t, { $currentDate: { a: 'x' } }, 2, 'is not valid type for $currentDate')
  refused(t, { $currentDate: { a: { $type: 'x' } } }, 2, "The '$type' string field is required")
})

rule('$push: position, then sort, then slice', (t) => {
  const each = { $each: [1], $position: -1, $sort: -1, $slice: 2 }
  gives(t, { $push: { a: each } }, { a: [5, 3] }, { a: [5, 3] })
  gives(t, { $push: { a: { $each: [9], $position: -1 } } }, { a: [5, 3] }, { a: [5, 9, 3] })
  gives(t, { $push: { a: { $each: [], $slice: 0 } } }, { a: [5] }, { a: [] })
  refused(t, { $push: { a: { $each: [1], $foo: 1 } } }, 2, 'Unrecognized clause in $push: $foo')
})

rule('$push and $addToSet on what is no array are 2', (t) => {
  refused(t, { $push: { a: 1 } }, 2, 'must be an array but is of type int', { _id: 1, a: 1 })
  refused(t, { $addToSet: { a: 1 } }, 2, 'Cannot apply $addToSet to non-array field', { a: 1 })
})

rule('$addToSet compares numbers by value and objects in order; duplicates stay', (t) => {
  gives(t, { $addToSet: { a: new Double(1) } }, { a: [1, 1] }, { a: [1, 1] })
  gives(
    t,
    { $addToSet: { a: { y: 1, x: 1 } } },
    { a: [{ x: 1, y: 1 }] },
    {
      a: [
        { x: 1, y: 1 },
        { y: 1, x: 1 },
      ],
    },
  )
})

rule('$pull: a value, fields of an element, or operators', (t) => {
  gives(t, { $pull: { a: 1 } }, { a: [1, 2, 1] }, { a: [2] })
  gives(t, { $pull: { a: { x: 1 } } }, { a: [{ x: 1, y: 2 }, { x: 2 }] }, { a: [{ x: 2 }] })
  gives(t, { $pull: { a: { $gte: 2 } } }, { a: [1, 2, 3] }, { a: [1] })
  gives(t, { $pull: { a: 1 } }, {}, {})
  refused(t, { $pull: { a: 1 } }, 2, 'Cannot apply $pull to a non-array value', { a: 1 })
})

rule('$pullAll is exact', (t) => {
  gives(
    t,
    { $pullAll: { a: [{ x: 1 }] } },
    { a: [{ x: 1, y: 2 }, { x: 1 }] },
    { a: [{ x: 1, y: 2 }] },
  )
})

rule('$pop takes 1 or -1, from arrays', (t) => {
  gives(t, { $pop: { a: 1 } }, { a: [1, 2] }, { a: [1] })
  gives(t, { $pop: { a: -1 } }, { a: [1, 2] }, { a: [2] })
  refused(t, { $pop: { a: 2 } }, 9, '$pop expects 1 or -1')
  refused(t, { $pop: { a: 1 } }, 14, 'contains an element of non-array type', { a: 1 })
})

rule('$ needs the element that the query matched', (t) => {
  gives(t, { $set: { 'a.$': 9 } }, { a: [1, 2] }, { a: [1, 9] }, { matchedIndex: 1 })
  refused(t, { $set: { 'a.$': 9 } }, 2, 'did not find the match needed', { a: [1] })
})

rule('$[] is every element, of an array that is there', (t) => {
  gives(t, { $inc: { 'a.$[]': 1 } }, { a: [1, 2] }, { a: [2, 3] })
  gives(t, { $inc: { 'a.$[]': 1 } }, { a: [] }, { a: [] })
  refused(t, { $inc: { 'a.$[]': 1 } }, 2, 'must exist in the document', {})
})

rule('$[id] is the elements that its filter matches', (t) => {
  const filters = { arrayFilters: [{ $or: [{ 'e.x': 1 }, { 'e.x': { $gt: 5 } }] }] }
  const update = { $set: { 'a.$[e].y': 1 } }
  const before = { a: [{ x: 1 }, { x: 2 }, { x: 9 }] }
  gives(t, update, before, { a: [{ x: 1, y: 1 }, { x: 2 }, { x: 9, y: 1 }] }, filters)
})

rule('array filters: each is used, and has one name that begins in lower case', (t) => {
  const update = { $set: { 'a.$[e]': 1 } }
  refuses(t, () => compile({ $set: { a: 1 } }, [{ e: 1 }]), 9, 'was not used in the update')
  refuses(t, () => compile(update), 2, "No array filter found for identifier 'e'")
  refuses(t, () => compile(update, [{ E: 1 }]), 2, 'lowercase letter')
  refuses(t, () => compile(update, [{ e: 1, f: 1 }]), 9, 'single top-level field name')
  refuses(t, () => compile(update, [{ e: 1 }, { e: 2 }]), 9, 'Found multiple array filters')
})

rule('what changes nothing is the same bytes', (t) => {
  gives(t, { $set: { a: 1 }, $unset: { b: 1 }, $max: { c: 1 } }, { a: 1, c: 5 }, { a: 1, c: 5 })
})
