// The splitter of `sigil import`: whatever the chunks, the same documents.

import fc from 'fast-check'
import t from 'tap'
import { splitDocuments } from '../../src/cli/json-documents.js'
import { runs } from '../support/runs.js'

async function split(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const texts: string[] = []
  const bytes = chunks.map((chunk) => Buffer.from(chunk))
  for await (const { text } of splitDocuments(from(bytes))) texts.push(text)
  return texts
}

async function* from(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

t.test('lines, arrays and pretty-printed arrays give the same documents', async (t) => {
  const expected = ['{"a":1}', '{"b":"}\\"{"}']
  t.same(await split('{"a":1}\n{"b":"}\\"{"}\n'), expected)
  t.same(await split('[{"a":1},{"b":"}\\"{"}]'), expected)
  t.same(await split('\ufeff [\r\n  {"a":1} ,\t{"b":"}\\"{"}\n]\n'), expected)
  t.same(await split(''), [])
  t.same(await split('[]'), [])
})

t.test('what is not a list of documents is refused with its place', async (t) => {
  await t.rejects(split('{"a":1} x'), { message: 'byte 9: expected a document' })
  await t.rejects(split('[1]'), { message: 'byte 2: expected a document' })
  await t.rejects(split('{"a":'), { message: /ends within a document/ })
  await t.rejects(split('[{"a":1}'), { message: /ends within its array/ })
  await t.rejects(split('[{"a":1}] {"b":1}'), { message: /expected a document/ })
})

t.test('any documents come out of any chunks', async (t) => {
  const documents = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 })
  const cuts = fc.array(fc.nat(400), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(documents, cuts, fc.boolean(), async (documents, cuts, asArray) => {
      const texts = documents.map((document) => JSON.stringify(document))
      const whole = Buffer.from(asArray ? `[${texts.join(',')}]` : texts.join('\n'))
      const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])]
      places.sort((a, b) => a - b)
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end))
      t.same(await split(...chunks), texts)
    }),
    { numRuns: runs(200) },
  )
})
