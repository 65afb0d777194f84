import { BSON } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { Elements, elementsOf, field, fieldsOf, idName } from '../../src/value/elements.js'
import { documentFrom } from '../../src/value/literal.js'
import { validateDocument } from '../../src/value/validate.js'
import { documentValue, int32Value, stringValue } from '../../src/value/value.js'
import { DocumentWriter, writeArray, writeDocument } from '../../src/value/writer.js'
import { runs } from '../support/runs.js'
import { documents, texts } from './arbitrary.js'

t.test('a writer writes what the bson library writes', async (t) => {
  const object = {
    name: 'Ada é 😀',
    long: 'x'.repeat(1_000),
    count: -5,
    big: BSON.Long.fromBigInt(-(2n ** 40n) - 5n),
    ratio: -0.1,
    yes: true,
    nothing: null,
    at: new Date(-123_456_789_012),
    list: [{ a: 1 }, { a: 2 }],
    sub: { ünïcode: 'b' },
  }
  const written = new DocumentWriter()
    .string('name', object.name)
    .string('long', object.long)
    .int32('count', -5)
    .int64('big', -(2 ** 40) - 5)
    .double('ratio', -0.1)
    .bool('yes', true)
    .null('nothing')
    .date('at', -123_456_789_012)
    .openArray('list')
    .pushOpenDocument()
    .int32('a', 1)
    .close()
    .pushDocument(documentFrom({ a: 2 }))
    .close()
    .openDocument('sub')
    .string('ünïcode', 'b')
    .close()
    .finish()
  t.same(Buffer.from(written), Buffer.from(BSON.serialize(object)))
})

t.test('int64 takes every whole number, as number or bigint', async () => {
  const check = (n: bigint) => {
    const document = new DocumentWriter().int64('b', n).int64('n', Number(n)).finish()
    const { b, n: fromNumber } = BSON.deserialize(document, { useBigInt64: true })
    return b === n && fromNumber === n
  }
  const safe = fc.bigInt(-(2n ** 53n), 2n ** 53n)
  fc.assert(fc.property(safe, check), { numRuns: runs(500) })
})

t.test('names and texts of any length and script survive', async () => {
  const names = texts.map((text) => text.replaceAll('\0', ''))
  const check = (name: string, text: string) => {
    const document = new DocumentWriter().string(name, text).finish()
    validateDocument(document)
    const [[readName, value] = ['', int32Value(0)]] = fieldsOf(documentValue(document))
    const expected = new DocumentWriter().value(name, stringValue(text)).finish()
    return (
      readName === Buffer.from(name).toString() &&
      Buffer.compare(document, expected) === 0 &&
      !!value
    )
  }
  fc.assert(fc.property(names, texts, check), { numRuns: runs(1_000) })
})

t.test('elements that are copied keep their bytes', async () => {
  const check = (document: Uint8Array) => {
    const writer = new DocumentWriter()
    const elements = new Elements(document)
    while (elements.next()) writer.element(document, elements.start, elements.valueEnd)
    return Buffer.compare(writer.finish(), document) === 0
  }
  fc.assert(fc.property(documents, check), { numRuns: runs(500) })
})

t.test('the elements but those of a name are those that a loop copies', async () => {
  const some = fc.array(fc.tuple(fc.constantFrom('a', '_id', '_i', '_idx', 'b'), fc.integer()))
  const check = (fields: readonly (readonly [string, number])[]) => {
    const write = (kept: readonly (readonly [string, number])[]) =>
      writeDocument((writer) => {
        writer.int32('x', 1)
        for (const [name, n] of kept) writer.int32(name, n)
      })
    const document = write(fields)
    const writer = new DocumentWriter().elementsBut(document, idName)
    const kept = fields.filter(([name]) => name !== '_id')
    const isCounted = writer.size === kept.length + 1
    return isCounted && Buffer.compare(writer.finish(), write(kept)) === 0
  }
  fc.assert(fc.property(some, check), { numRuns: runs(1_000) })
})

t.test('a finished document is memory of its own, and not much more than its bytes', async (t) => {
  const small = new DocumentWriter().int32('a', 1).finish()
  const before = [...small]
  const other = new DocumentWriter().int32('a', 2).finish()
  t.same([...small], before)
  t.notSame([...small], [...other])
  for (const size of [10_000, 70_000, 100_000, 130_000, 1_000_000]) {
    const document = new DocumentWriter().string('a', 'x'.repeat(size)).finish()
    t.ok(document.buffer.byteLength <= document.length * 1.25 + 1_024, String(size))
  }
})

t.test('writers may be open at the same time', async (t) => {
  const outer = new DocumentWriter().int32('a', 1)
  const inner = writeDocument((writer) => writer.string('x', 'inner'))
  const array = writeArray([int32Value(1), stringValue('two')])
  const document = outer.document('inner', inner).value('array', array).finish()
  t.same(BSON.deserialize(document), { a: 1, inner: { x: 'inner' }, array: [1, 'two'] })
  t.same(elementsOf(array).length, 2)
  t.equal(field(document, 'missing'), undefined)
})

t.test('close and finish must match what is open', async (t) => {
  t.throws(() => new DocumentWriter().close(), /close without open/)
  t.throws(() => new DocumentWriter().openDocument('a').finish(), /open documents/)
})
