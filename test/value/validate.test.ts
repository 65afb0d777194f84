import fc from 'fast-check'
import t from 'tap'
import { bsonDepthMax } from '../../src/base/limits/documents.js'
import { documentFrom } from '../../src/value/literal.js'
import { DocumentCheck, validateDocument } from '../../src/value/validate.js'
import { int32Value, stringValue } from '../../src/value/value.js'
import { DocumentWriter } from '../../src/value/writer.js'
import { runs } from '../support/runs.js'
import { codeNameOf, documentOfFields, documents } from './arbitrary.js'

const codeOf = (bytes: Uint8Array, start?: number, end?: number) =>
  codeNameOf(() => validateDocument(bytes, start, end))

/** `levels` documents, one in the other. */
function nested(levels: number): Uint8Array {
  const writer = new DocumentWriter()
  for (let i = 1; i < levels; i++) writer.openDocument('a')
  for (let i = 1; i < levels; i++) writer.close()
  return writer.finish()
}

t.test('every document that we write is well formed', async () => {
  const check = (document: Uint8Array) => codeOf(document) === undefined
  fc.assert(fc.property(documents, check), { numRuns: runs(2_000) })
})

t.test('no beginning of a document is one, nor is a document with a byte behind it', async () => {
  const check = (document: Uint8Array) => {
    for (let end = 0; end < document.length; end++) {
      if (codeOf(document.subarray(0, end)) !== 'InvalidBSON') return false
      if (codeOf(document, 0, end) !== 'InvalidBSON') return false
    }
    return codeOf(Uint8Array.of(...document, 0)) === 'InvalidBSON'
  }
  fc.assert(fc.property(documents, check), { numRuns: runs(200) })
})

t.test('a damaged document is refused or still read within its bounds', async () => {
  const check = (document: Uint8Array, place: number, byte: number) => {
    const damaged = document.slice()
    damaged[place % damaged.length] = byte
    const code = codeOf(damaged)
    return code === undefined || code === 'InvalidBSON' || code === 'Overflow'
  }
  const byte = fc.nat(255)
  fc.assert(fc.property(documents, fc.nat(), byte, check), { numRuns: runs(5_000) })
})

t.test('a range inside a larger buffer is checked alone', async (t) => {
  const document = documentFrom({ a: 1, b: 'text' })
  const around = Uint8Array.of(9, 9, ...document, 9, 9)
  t.equal(codeOf(around, 2, 2 + document.length), undefined)
  t.equal(codeOf(around, 2), 'InvalidBSON')
  t.equal(codeOf(around, 2, around.length + 1), 'InvalidBSON')
})

/** What a check in steps of so many bytes says. */
function codeInSteps(bytes: Uint8Array, count: number): string | undefined {
  return codeNameOf(() => {
    const check = new DocumentCheck(bytes, 0, bytes.length)
    while (!check.step(count)) {}
  })
}

t.test('in steps, a document is checked as in one go', async (t) => {
  const check = (document: Uint8Array, place: number, byte: number, count: number) => {
    const damaged = document.slice()
    // The length of the whole is the caller's to compare.
    damaged[4 + (place % (damaged.length - 4))] = byte
    return (
      codeInSteps(document, count) === undefined && codeInSteps(damaged, count) === codeOf(damaged)
    )
  }
  const byte = fc.oneof(fc.nat(20), fc.nat(255))
  const steps = fc.integer({ min: 1, max: 50 })
  fc.assert(fc.property(documents, fc.nat(), byte, steps, check), { numRuns: runs(5_000) })
  t.equal(codeInSteps(nested(bsonDepthMax), 7), undefined)
  t.equal(codeInSteps(nested(bsonDepthMax + 1), 7), 'Overflow')
})

t.test('a step of a check ends soon behind its bytes', async (t) => {
  const list = documentFrom({ a: Array.from({ length: 1_000 }, () => null) })
  const check = new DocumentCheck(list, 0, list.length)
  let steps = 1
  while (!check.step(100)) steps++
  t.ok(steps > list.length / 110, `${steps} steps`)
})

t.test('nesting ends at the limit, with Overflow', async (t) => {
  t.equal(codeOf(nested(bsonDepthMax)), undefined)
  t.equal(codeOf(nested(bsonDepthMax + 1)), 'Overflow')
})

t.test('names must be UTF-8, texts need not be', async (t) => {
  for (const text of ['é', 'é'.repeat(200)]) {
    const good = documentOfFields([['a', stringValue(text)]])
    t.equal(codeOf(good), undefined)
    const bad = good.map((byte) => (byte === 0xa9 ? 0x29 : byte))
    t.equal(codeOf(bad), undefined)
    const name = documentOfFields([[text, int32Value(1)]])
    t.equal(codeOf(name), undefined)
    t.equal(codeOf(name.map((byte) => (byte === 0xa9 ? 0x29 : byte))), 'InvalidBSON')
  }
})

t.test('a length that overflows 32 bits is refused', async (t) => {
  const document = documentOfFields([['a', stringValue('x')]])
  for (const length of [0x7fffffff, -1, 0, -0x80000000]) {
    const bad = document.slice()
    new DataView(bad.buffer).setInt32(7, length, true)
    t.equal(codeOf(bad), 'InvalidBSON', String(length))
  }
})
