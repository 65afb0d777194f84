import t from 'tap'
import { fail } from '../../src/base/errors.js'
import { messageCharsMax } from '../../src/base/limits/connections.js'
import { decimalFromString } from '../../src/value/decimal.js'
import { jsonToValue } from '../../src/value/json/json.js'
import { valueFrom } from '../../src/value/literal.js'
import { shellText, shortShellText } from '../../src/value/shell.js'
import {
  binaryValue,
  dateValue,
  doubleValue,
  int64Value,
  maxKeyValue,
  minKeyValue,
  undefinedValue,
} from '../../src/value/value.js'

t.test('values are printed as in error texts of the reference server', async (t) => {
  const id = '{"$oid":"65f0c0ffee0123456789abcd"}'
  t.equal(shellText(valueFrom({ a: 1 })), '{ a: 1 }')
  t.equal(shellText(jsonToValue(`{"_id":${id}}`)), "{ _id: ObjectId('65f0c0ffee0123456789abcd') }")
  t.equal(
    shellText(valueFrom({ a: 'x', b: null, c: [1, 2.5, true] })),
    '{ a: "x", b: null, c: [ 1, 2.5, true ] }',
  )
  t.same([shellText(valueFrom({})), shellText(valueFrom([]))], ['{}', '[]'])
  t.equal(shellText(dateValue(-5)), 'new Date(-5)')
  t.equal(shellText(int64Value(2n ** 63n - 1n)), '9223372036854775807')
  t.same(
    [1, 0.5, -0, 1e21, Number.NaN, -Infinity].map((n) => shellText(doubleValue(n))),
    ['1.0', '0.5', '-0.0', '1e+21', 'nan.0', '-inf'],
  )
  t.equal(shellText(decimalFromString('1.50')), '1.50')
  t.same([minKeyValue, maxKeyValue, undefinedValue].map(shellText), [
    'MinKey',
    'MaxKey',
    'undefined',
  ])
  t.equal(shellText(binaryValue(0, Uint8Array.of(0xab, 1))), 'BinData(0, AB01)')
  t.equal(
    shellText(binaryValue(4, new Uint8Array(16))),
    'UUID("00000000-0000-0000-0000-000000000000")',
  )
  t.equal(shellText(valueFrom(/a.b/i)), '/a.b/i')
  t.equal(shellText(jsonToValue('{"$timestamp":{"t":1,"i":2}}')), 'Timestamp(1, 2)')
  t.equal(shellText(jsonToValue('{"$code":"f()"}')), 'f()')
  t.equal(shellText(jsonToValue('{"$code":"f()","$scope":{"x":1}}')), 'CodeWScope(f(), { x: 1 })')
  t.equal(
    shellText(jsonToValue(`{"$dbPointer":{"$ref":"a.b","$id":${id}}}`)),
    "DBRef('a.b', 65f0c0ffee0123456789abcd)",
  )
})

t.test('the text of an error is no longer than what its message shows', async (t) => {
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  for (const value of ['x'.repeat(1_000_000), list]) {
    t.ok(shellText(valueFrom(value)).length < messageCharsMax * 5)
  }
  const { message } = fail('BadValue', 'x'.repeat(1_000_000))
  t.equal(message.length, messageCharsMax + 1)
  t.ok(message.endsWith('…'))
  t.equal(fail('BadValue', 'x'.repeat(messageCharsMax)).message.length, messageCharsMax)
})

t.test('the start of a text is that of the whole, and longer than what is shown', async (t) => {
  const values = [
    'é😀ß'.repeat(90),
    [1, ['a', 'b'.repeat(99)], 3],
    { a: { b: 'c'.repeat(99) }, d: 1 },
  ]
  const binary = binaryValue(0, new Uint8Array(300).fill(7))
  for (const value of [...values.map(valueFrom), binary]) {
    const whole = shellText(value)
    for (const most of [0, 1, 5, 20, 77]) {
      const start = shortShellText(value, most)
      t.equal(start.slice(0, most), whole.slice(0, most))
      t.ok(start.length > most && start.length < whole.length)
    }
    t.equal(shortShellText(value, 10_000), whole)
  }
})
