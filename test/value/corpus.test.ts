// Every case of the public BSON corpus: what must be read, what must be refused, and the Extended
// JSON of both.

import t, { type Test } from 'tap'
import { decimalFromString, decimalToString } from '../../src/value/decimal.js'
import { fieldsOf } from '../../src/value/elements.js'
import { documentToJson, type JsonMode, jsonToDocument } from '../../src/value/json/json.js'
import { validateDocument } from '../../src/value/validate.js'
import { bsonType, documentValue } from '../../src/value/value.js'
import { DocumentWriter } from '../../src/value/writer.js'
import { specFiles } from '../support/specs.js'
import { codeNameOf } from './arbitrary.js'

interface Valid {
  description: string
  canonical_bson: string
  canonical_extjson: string
  degenerate_bson?: string
  degenerate_extjson?: string
  relaxed_extjson?: string
  lossy?: boolean
}

interface Corpus {
  description: string
  bson_type: string
  valid?: Valid[]
  decodeErrors?: { description: string; bson: string }[]
  parseErrors?: { description: string; string: string }[]
}

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase()

let cases = 0
const files = specFiles('bson-corpus')
for (const { name, content } of files) {
  const corpus = content as Corpus
  t.test(`the corpus of ${name} holds`, async (t) => {
    for (const entry of corpus.valid ?? []) {
      t.doesNotThrow(() => checkValid(t, entry), entry.description)
      cases++
    }
    for (const { description, bson } of corpus.decodeErrors ?? []) {
      t.equal(
        codeNameOf(() => validateDocument(bytesOf(bson))),
        // Deviation: old data with malformed texts is kept as its bytes, as the reference server's
        // server does.
        /UTF-8$/.test(description) ? undefined : 'InvalidBSON',
        description,
      )
      cases++
    }
    for (const { description, string } of corpus.parseErrors ?? []) {
      const read = corpus.bson_type === '0x13' ? parseDecimal : jsonToDocument
      t.equal(
        codeNameOf(() => read(string)),
        'BadValue',
        `${description}: ${string}`,
      )
      cases++
    }
  })
}

t.test('all 983 cases of the corpus were run', { skip: files.length === 0 }, async (t) => {
  t.equal(cases, 983)
})

/** The text alone and inside its wrapper must both be refused. */
function parseDecimal(text: string): void {
  let isWrapperRefused = false
  try {
    jsonToDocument(JSON.stringify({ d: { $numberDecimal: text } }))
  } catch {
    isWrapperRefused = true
  }
  if (!isWrapperRefused) throw new Error(`the wrapper accepted ${text}`)
  decimalFromString(text)
}

function checkValid(t: Test, entry: Valid): void {
  const bytes = bytesOf(entry.canonical_bson)
  validateDocument(bytes)
  t.equal(hexOf(rewrite(bytes)), entry.canonical_bson.toUpperCase(), 'copies to the same bytes')
  const json = documentToJson(bytes, 'canonical')
  sameJson(t, json, entry.canonical_extjson, 'canonical')
  if (entry.lossy !== true) {
    t.equal(hexOf(jsonToDocument(entry.canonical_extjson)), entry.canonical_bson.toUpperCase())
    t.equal(hexOf(jsonToDocument(json)), entry.canonical_bson.toUpperCase(), 'own text reads back')
  }
  if (entry.relaxed_extjson !== undefined) {
    sameJson(t, documentToJson(bytes, 'relaxed'), entry.relaxed_extjson, 'relaxed')
    const relaxed = documentToJson(jsonToDocument(entry.relaxed_extjson), 'relaxed')
    sameJson(t, relaxed, entry.relaxed_extjson, 'relaxed')
  }
  if (entry.degenerate_bson !== undefined) {
    const degenerate = bytesOf(entry.degenerate_bson)
    validateDocument(degenerate)
    sameJson(t, documentToJson(degenerate, 'canonical'), entry.canonical_extjson, 'canonical')
  }
  if (entry.degenerate_extjson !== undefined && entry.lossy !== true) {
    const read = jsonToDocument(entry.degenerate_extjson)
    t.equal(hexOf(read), entry.canonical_bson.toUpperCase(), 'degenerate text reads the same')
  }
  for (const [, value] of fieldsOf(documentValue(bytes))) {
    if (value.type !== bsonType.decimal128) continue
    const wrapper = JSON.parse(entry.canonical_extjson) as { d: { $numberDecimal: string } }
    t.equal(decimalToString(value), wrapper.d.$numberDecimal)
  }
}

/** The document copied element by element. */
function rewrite(bytes: Uint8Array): Uint8Array {
  const writer = new DocumentWriter()
  for (const [name, value] of fieldsOf(documentValue(bytes))) writer.value(name, value)
  return writer.finish()
}

/**
 * Compares as parsed JSON: white space is free, and so is the way a double is printed. Deviation:
 * relaxed integers that a double cannot hold are wrapped by us and bare in the corpus.
 */
function sameJson(t: Test, actual: string, expected: string, mode: JsonMode): void {
  const bare = /(?<=:\s*)-?\d{17,}(?=\s*[,}])/g
  const wrapped =
    mode === 'relaxed' ? expected.replace(bare, (n) => `{"$numberLong":"${n}"}`) : expected
  t.same(normal(JSON.parse(actual)), normal(JSON.parse(wrapped)), `${mode}: ${expected}`)
}

function normal(json: unknown): unknown {
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : json
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(normal)
  return Object.entries(json).map(([name, value]) => {
    const isDouble = name === '$numberDouble' && typeof value === 'string'
    return [name, isDouble ? normal(Number(value)) : normal(value)]
  })
}
