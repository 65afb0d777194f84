import { Long, ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { shellText } from '../../src/value/shell.js'
import { bsonType, int64Value, nullValue } from '../../src/value/value.js'
import { toJs, toObject } from '../support/literal.js'
import { runs } from '../support/runs.js'

t.test('an object becomes a document and comes back', async () => {
  const json = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue())
  const check = (object: Record<string, unknown>) => {
    const back = toObject(documentFrom(object))
    return JSON.stringify(back) === JSON.stringify(object)
  }
  const stable = json.map((object) => JSON.parse(JSON.stringify(object)) as typeof object)
  fc.assert(fc.property(stable, check), { numRuns: runs(300) })
})

t.test(
  'types are those of the bson library; a Value is copied, undefined is left out',
  async (t) => {
    const types = [1, 1.5, 2 ** 40, Long.fromNumber(1), new ObjectId(), new Date(0), /x/, true, 'x']
    t.same(
      types.map((js) => valueFrom(js).type),
      [16, 1, 1, 18, 7, 9, 11, 8, 2],
    )
    t.equal(valueFrom(int64Value(5n)).type, bsonType.int64)
    t.equal(valueFrom(Uint8Array.of(1)).type, bsonType.binary)
    t.equal(valueFrom(undefined), nullValue)
    const nested = documentFrom({ a: undefined, b: [int64Value(5n), { c: undefined }, undefined] })
    t.equal(shellText(valueFrom(toObject(nested))), '{ b: [ 5, {}, null ] }')
    t.equal(toJs(valueFrom('x')), 'x')
  },
)
