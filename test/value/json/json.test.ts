import { BSON } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { bsonDepthMax, jsonDigitsMax } from '../../../src/base/limits/documents.js'
import { work } from '../../../src/base/work/work-budget.js'
import { equalValues } from '../../../src/value/compare.js'
import {
  documentToJson,
  jsonToDocument,
  jsonToValue,
  valueToJson,
} from '../../../src/value/json/json.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import { validateDocument } from '../../../src/value/validate.js'
import {
  arrayValue,
  binaryValue,
  dateValue,
  documentValue,
  doubleValue,
  int64Value,
  maxKeyValue,
  nullValue,
  objectIdValue,
  stringValue,
  timestampValue,
  undefinedValue,
} from '../../../src/value/value.js'
import { runs } from '../../support/runs.js'
import { inStretch } from '../../support/stretch.js'
import { codeNameOf, documentOfFields, documents, regexValue } from '../arbitrary.js'

const shell = (text: string) => shellText(jsonToValue(text))
const refused = (text: string) => codeNameOf(() => jsonToDocument(text))
const plain = (text: string) => documentToJson(jsonToDocument(text), 'plain')

t.test('a whole number takes the first type that holds it', async (t) => {
  const types = (text: string) => jsonToValue(text).type
  t.same(['0', '-1', '2147483647', '-2147483648'].map(types), [16, 16, 16, 16])
  t.same(['2147483648', '-2147483649', '9223372036854775807'].map(types), [18, 18, 18])
  t.equal(shell('9223372036854775807'), '9223372036854775807')
  t.equal(shell('-9223372036854775808'), '-9223372036854775808')
  t.same(['9223372036854775808', '1e5', '1.0', '-0', '-0.0', '1E2'].map(types), [1, 1, 1, 1, 1, 1])
  t.equal(shell('-0'), '-0.0')
})

t.test('a number is read as JSON.parse reads it', async (t) => {
  const check = (text: string) => {
    const got = BSON.deserialize(jsonToDocument(`{"a":${text}}`)).a as number
    return Object.is(got, JSON.parse(text) as number)
  }
  const digits = fc.stringMatching(/^\d{1,18}$/)
  const decimals = fc
    .tuple(fc.integer(), digits, fc.integer({ min: -330, max: 280 }), fc.boolean())
    .map(([whole, fraction, power, has]) => `${whole}.${fraction}${has ? `e${power}` : ''}`)
  fc.assert(fc.property(decimals, check), { numRuns: runs(5_000) })
  for (const text of ['0.1', '5e-324', '1e-400', '1234567890123456.78', '0.30000000000000004']) {
    t.ok(check(text), text)
  }
})

t.test('a number too large for a double is refused', async (t) => {
  t.equal(refused('{"a":1e400}'), 'BadValue')
  t.equal(refused(`{"a":-${'9'.repeat(400)}}`), 'BadValue')
})

t.test('the order of keys stays, also of integer-like ones', async (t) => {
  t.equal(plain('{"b":1,"10":2,"2":3,"__proto__":4}'), '{"b":1,"10":2,"2":3,"__proto__":4}')
})

t.test('of equal keys the last wins, at the place of the first', async (t) => {
  t.equal(plain('{"a":1,"b":2,"a":3}'), '{"a":3,"b":2}')
  t.equal(plain('{"a":1,"b":2,"a":3,"c":{"x":1,"x":2},"a":[4]}'), '{"a":[4],"b":2,"c":{"x":2}}')
  t.equal(plain('{"a":1,"\\u0061":2}'), '{"a":2}')
  const names = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer()), { maxLength: 90 })
  const check = (pairs: [number, number][]) => {
    const text = `{${pairs.map(([name, n]) => `"f${name}":{"n":${n}}`).join(',')}}`
    return plain(text) === JSON.stringify(JSON.parse(text))
  }
  fc.assert(fc.property(names, check), { numRuns: runs(500) })
})

t.test('any JSON text is read and written as JSON.parse and JSON.stringify do', async () => {
  const check = (value: unknown) => {
    const text = JSON.stringify({ v: value })
    const document = jsonToDocument(text)
    validateDocument(document)
    const same = documentToJson(document, 'plain') === text
    const bytes = jsonToDocument(Buffer.from(JSON.stringify({ v: value }, undefined, 2)))
    return same && Buffer.compare(document, bytes) === 0
  }
  // Numbers beyond 2^53 are printed as text, and names with $ or NUL have a meaning of their own.
  const special = /"\$|\\u0000|\d{16,}/
  const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 })
  const plainJson = json.filter((value) => !special.test(JSON.stringify(value)))
  fc.assert(fc.property(plainJson, check), { numRuns: runs(2_000) })
})

t.test('escapes and surrogate pairs become UTF-8, and half of a pair is refused', async (t) => {
  t.equal(shell('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u0000"'), '""\\/\b\f\n\r\té\0"')
  t.equal(shell('"\\ud83d\\ude00"'), '"😀"')
  t.equal(shell('"😀é\u20ac"'), '"😀é€"')
  const pairs = ['\\ud83d\\ud83d\\ude00', '\\ud83d\\u0041', '\\ude00\\ud83d', '\\ud83d\\ud83d']
  for (const half of ['\\ud83d', '\\ude00', '\ud83d', '\\ud83dx', '\\ud83d\\n', ...pairs]) {
    t.throws(() => shell(`"${half}"`), /half of a surrogate pair/)
    t.throws(() => jsonToDocument(`{"a${half}": 1}`), /half of a surrogate pair/)
  }
})

t.test('a long text is escaped as a short one, wherever an escape stands', async () => {
  const letters = [...'a"\\\n\x1f\x00\x7f é€😀', 'a'.repeat(300), '€'.repeat(1_500)]
  const text = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((all) => all.join(''))
  const check = (value: string) =>
    valueToJson(valueFrom([1, value]), 'plain') === JSON.stringify([1, value])
  fc.assert(fc.property(text, check), { numRuns: runs(500) })
})

t.test('control characters are escaped on output', async (t) => {
  const text = '\0\u0001\b\t\n\f\r\u001f"\\\u007f\u2028é😀'
  t.equal(valueToJson(stringValue(text), 'plain'), JSON.stringify(text))
  const name = documentOfFields([['\u0001"\n', nullValue]])
  t.equal(documentToJson(name, 'plain'), '{"\\u0001\\"\\n":null}')
})

t.test('what is not JSON is refused, with the position', async (t) => {
  const bad = [
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    "{'a':1}",
    '[]',
    '1',
    '{} {}',
    '{"a":01}',
    '{"a":-}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":tru}',
    '{"a":nul',
    '{"a":[1,]}',
    '{"a":[1 2]}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\u12',
    '{"a":"x',
    '{"a":NaN}',
    '{"a" 1}',
    '{"a":1}x',
    '{"a":\u00a01}',
    '\ufeff{}',
    '{"a\\u0000":1}',
  ]
  for (const text of bad) t.equal(refused(text), 'BadValue', JSON.stringify(text))
  t.throws(() => jsonToDocument('{"a": x}'), /position 6: expected a value/)
  t.throws(() => jsonToDocument('{"a": '), /position 6: .*the text ends/)
  t.equal(
    codeNameOf(() => jsonToDocument(Uint8Array.of(0x22, 0xff, 0x22))),
    'BadValue',
  )
})

t.test('no beginning of a text is one', async (t) => {
  const text =
    '{"a":[1,-2.5e3,{"$oid":"65f0c0ffee0123456789abcd"}],"é":"\\u00e9x","t":true,"n":null}'
  for (let end = 0; end < text.length; end++) t.equal(refused(text.slice(0, end)), 'BadValue')
  t.equal(refused(text), undefined)
})

t.test('a reader is as good as new after an error', async (t) => {
  for (const text of ['{"a":{"b":[{"c":"', '{"a":1,"a":2,', '[[[['])
    t.equal(refused(text), 'BadValue')
  t.equal(plain('{"c":1,"a":{"a":2}}'), '{"c":1,"a":{"a":2}}')
})

t.test('nesting ends at the limit, with Overflow', async (t) => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
  t.equal(refused(nested(bsonDepthMax)), undefined)
  t.equal(refused(nested(bsonDepthMax + 1)), 'Overflow')
  t.equal(refused(`{"a":${'['.repeat(100_000)}`), 'Overflow')
})

t.test('large texts and texts of many fields are read', async (t) => {
  const large = { text: 'x"é'.repeat(100_000), list: Array.from({ length: 50_000 }, (_, i) => i) }
  t.equal(plain(JSON.stringify(large)), JSON.stringify(large))
  const wide = `{${Array.from({ length: 20_000 }, (_, i) => `"k${i % 15_000}":${i}`).join(',')}}`
  t.equal(plain(wide), JSON.stringify(JSON.parse(wide)))
})

t.test('a wrapper is exact, wherever it stands', async (t) => {
  t.equal(shell('{"$oid":"65f0c0ffee0123456789ABCD"}'), "ObjectId('65f0c0ffee0123456789abcd')")
  t.equal(shell('{ "$date" : "2026-01-02T03:04:05.678+02:30" }'), 'new Date(1767314045678)')
  t.equal(shell('{"$date":"1969-12-31T23:59:59Z"}'), 'new Date(-1000)')
  t.equal(
    shell('{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}'),
    'UUID("73ffd264-44b3-4c69-90e8-e7d1dfc035d4")',
  )
  t.equal(shell('{"$scope":{"a":1},"$code":"f"}'), 'CodeWScope(f, { a: 1 })')
  t.equal(shell('{"$timestamp":{"i":2,"t":4294967295}}'), 'Timestamp(4294967295, 2)')
  const bad = [
    '{"$oid":"65f0c0ffee0123456789abcd","x":1}',
    '{"x":1,"$oid":"65f0c0ffee0123456789abcd"}',
    '{"$oid":""}',
    '{"\\u0024oid":"65f0c0ffee0123456789abcd"}',
    '{"$date":"2026-02-30T00:00:00Z"}',
    '{"$date":"2026-01-02"}',
    '{"$date":"2026-01-02T24:00:00Z"}',
    '{"$date":"2026-01-02T03:04:05+24:00"}',
    '{"$date":"2026-01-02T03:04:05"}',
    '{"$date":null}',
    '{"$date":{"$numberLong":"1","x":2}}',
    '{"$numberInt":"2147483648"}',
    '{"$numberInt":"1.5"}',
    '{"$numberLong":"9223372036854775808"}',
    '{"$numberLong":" 1"}',
    '{"$numberDouble":"0x1"}',
    '{"$numberDecimal":"x"}',
    '{"$binary":{"base64":"@@@@","subType":"00"}}',
    '{"$undefined":false}',
    '{"$timestamp":{"t":4294967296,"i":1}}',
    '{"$timestamp":{"t":1,"t":1}}',
    '{"$timestamp":{"t":-1,"i":1}}',
    '{"$scope":{}}',
    '{"$code":"f","$scope":{"$oid":"65f0c0ffee0123456789abcd"}}',
    '{"$minKey":1.0}',
  ]
  for (const text of bad)
    t.equal(
      codeNameOf(() => jsonToValue(text)),
      'BadValue',
      text,
    )
  t.equal(refused('{"$oid":"65f0c0ffee0123456789abcd"}'), 'BadValue', 'a root is an object')
})

t.test('other keys with a dollar are ordinary', async (t) => {
  const text = '{"a":{"$gt":1,"$in":[{"$type":"x"}]},"$expr":{"$eq":["$a","$$b"]},"$ref":1,"$id":2}'
  t.equal(plain(text), text)
})

t.test('plain mode is friendly', async (t) => {
  const id = new Uint8Array(12).fill(0xab)
  const document = documentOfFields([
    ['_id', objectIdValue(id)],
    ['at', dateValue(Date.UTC(2026, 0, 2, 3, 4, 5))],
    ['far', dateValue(9_000_000_000_000_000)],
    ['big', int64Value(2n ** 63n - 1n)],
    ['safe', int64Value(2n ** 53n - 1n)],
    ['nan', doubleValue(Number.NaN)],
    ['minus', doubleValue(-Infinity)],
    ['zero', doubleValue(-0)],
    ['whole', doubleValue(5)],
    ['gone', undefinedValue],
    ['bytes', binaryValue(0, Uint8Array.of(1, 2))],
    ['regex', regexValue('a"', 'xi')],
    ['time', timestampValue(1, 2)],
    ['max', maxKeyValue],
    ['list', arrayValue(documentOfFields([['0', undefinedValue]]))],
  ])
  const expected = [
    `"_id":"${'ab'.repeat(12)}"`,
    '"at":"2026-01-02T03:04:05.000Z"',
    '"far":{"$date":{"$numberLong":"9000000000000000"}}',
    '"big":"9223372036854775807"',
    '"safe":9007199254740991',
    '"nan":"NaN"',
    '"minus":"-Infinity"',
    '"zero":-0',
    '"whole":5',
    '"bytes":"AQI="',
    '"regex":{"$regularExpression":{"pattern":"a\\"","options":"ix"}}',
    '"time":{"$timestamp":{"t":1,"i":2}}',
    '"max":{"$maxKey":1}',
    '"list":[null]',
  ]
  t.equal(documentToJson(document, 'plain'), `{${expected.join(',')}}`)
})

t.test('relaxed mode wraps what a double would lose, and marks doubles', async (t) => {
  t.equal(valueToJson(int64Value(2n ** 53n), 'relaxed'), '{"$numberLong":"9007199254740992"}')
  t.equal(valueToJson(int64Value(5n), 'relaxed'), '5')
  t.equal(valueToJson(doubleValue(5), 'relaxed'), '5.0')
  t.equal(valueToJson(doubleValue(-0), 'relaxed'), '-0.0')
  t.equal(valueToJson(dateValue(-1), 'relaxed'), '{"$date":{"$numberLong":"-1"}}')
  t.equal(valueToJson(dateValue(1), 'relaxed'), '{"$date":"1970-01-01T00:00:00.001Z"}')
})

t.test('canonical text reads back to the same values and types', async () => {
  const check = (document: Uint8Array) => {
    const text = documentToJson(document, 'canonical')
    const again = jsonToDocument(text)
    // Repeated names are dropped, and options of a regex are sorted; the rest must be the same.
    if (documentToJson(again, 'canonical') !== text || /regularExpression/.test(text)) return true
    return equalValues(documentValue(document), documentValue(again))
  }
  fc.assert(fc.property(documents, check), { numRuns: runs(1_000) })
})

t.test('canonical text agrees with the bson library', async (t) => {
  const fields = { a: [1, 2.5, 'x', null, true], b: { c: new Date(5), d: new BSON.ObjectId() } }
  const document = documentFrom(fields)
  t.same(
    JSON.parse(documentToJson(document, 'canonical')),
    JSON.parse(
      BSON.EJSON.stringify(BSON.deserialize(document, { promoteValues: false }), {
        relaxed: false,
      }),
    ),
  )
  t.equal(shellText(documentValue(document)).startsWith('{ a: [ 1, 2.5, "x", null, true ]'), true)
})

t.test(
  'the digits of a number are bounded, before its point, behind it and in its exponent',
  async (t) => {
    const most = '1'.repeat(jsonDigitsMax)
    t.equal(shellText(jsonToValue(`0.${most}`)), '0.1111111111111111')
    t.equal(shellText(jsonToValue(`0.${'0'.repeat(jsonDigitsMax - 1)}1`)), '0.0')
    t.equal(shellText(jsonToValue(`1e-${'0'.repeat(jsonDigitsMax - 1)}1`)), '0.1')
    t.throws(() => jsonToValue(most), /a number is too large/)
    for (const number of [`${most}1`, `-${most}1`, `0.${most}1`, `1e${most}1`, `1.5e-0${most}`]) {
      t.throws(() => jsonToValue(number), { kind: 'BadValue', message: /more than 8192 digits/ })
    }
  },
)

t.test('a text that the budget does not allow is refused before it is read', async (t) => {
  const text = `"${'a'.repeat(12_000_000)}"`
  const before = work.spent
  t.throws(() => inStretch(() => jsonToValue(text)), /too much work/)
  t.equal(work.spent, before)
})

t.test('long names that begin alike are told apart, the last of equal ones counts', async (t) => {
  const names = Array.from({ length: 60 }, (_, i) => `${'n'.repeat(17_000)}${i}`)
  const fields = [...names, ...names.slice(0, 5)].map((name, i) => `"${name}":${i}`)
  const read = BSON.deserialize(jsonToDocument(`{${fields.join()}}`))
  t.same(Object.keys(read), names)
  t.same(Object.values(read), [60, 61, 62, 63, 64, ...names.slice(5).map((_, i) => i + 5)])
})
