// Documents in the Studio's editor: what is written plainly is read back by the server as it was,
// and what JavaScript's objects would change stays as it is.

import { Decimal128, Double, EJSON, Int32, Long, ObjectId } from 'bson'
import t from 'tap'
import { cellText, editable } from '../../../src/studio/lib/ejson.js'

t.test('the text for an editor says the same to EJSON', async (t) => {
  const document = {
    _id: new ObjectId('507f1f77bcf86cd799439011'),
    whole: new Int32(5),
    negative: new Int32(-7),
    fraction: new Double(0.1),
    wholeDouble: new Double(5),
    notANumber: new Double(Number.NaN),
    long: Long.fromString('9007199254740993'),
    decimal: Decimal128.fromString('1.10'),
    when: new Date(0),
    'a.b': { $dollar: [new Int32(1), null, true, 'text'] },
  }
  const canonical = EJSON.stringify(document, { relaxed: false })
  const text = editable(canonical)
  t.match(text, /"whole": 5,\n {2}"negative": -7,\n {2}"fraction": 0.1,/)
  t.match(text, /"wholeDouble": \{\n {4}"\$numberDouble": "5.0"/)
  const again = EJSON.parse(text, { relaxed: false }) as Record<string, unknown>
  t.equal(EJSON.stringify(again, { relaxed: false }), canonical)
})

t.test('names that an object would drop, sort or hide', async (t) => {
  for (const text of ['{"a":1,"a":2}', '{"b":1,"1":2}']) t.equal(editable(text), text)
  t.equal(editable('{"__proto__":{"$numberInt":"1"}}'), '{\n  "__proto__": 1\n}')
})

t.test('a value in a cell', async (t) => {
  const cells: readonly [Parameters<typeof cellText>[0], string][] = [
    [undefined, ''],
    ['text', 'text'],
    [{ $oid: '507f1f77bcf86cd799439011' }, '507f1f77bcf86cd799439011'],
    [{ $numberLong: '9007199254740993' }, '9007199254740993'],
    [{ $date: { $numberLong: '0' } }, '1970-01-01T00:00:00.000Z'],
    [{ $date: { $numberLong: '9e99' } }, '{"$numberLong":"9e99"}'],
    [[1, 2], '[2]'],
    [{ a: 1, b: 2 }, '{a, b}'],
    [null, 'null'],
  ]
  for (const [value, text] of cells) t.equal(cellText(value), text)
  t.equal(cellText('x'.repeat(100), 10), `${'x'.repeat(10)}…`)
})
