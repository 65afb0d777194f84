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
  for (const [text, message] of [
    ['{"a":1} x', /^line 1: expected a document, which is a JSON object$/],
    ['{"a":1}\r\n\r\n"b"\n', /^line 3: expected a document/],
    ['[1]', /^line 1: expected a document/],
    ['[{"a":1}] {"b":1}', /^line 1: expected a document/],
    ['{"a":1}\n{"a":\n', /^line 2: the document has no end$/],
    ['[{"a":1}\n', /^line 2: the array has no end$/],
    ['{"a":1}\n{"a": "x}\n{"a":1}\n', /^line 2: a string has no end$/],
    ['{"a":1}\n{"a": 1,}\n', /^line 2: invalid JSON at position 8: /],
    ['{\n"a": "\\ud800"}', /^line 1: invalid JSON .* half of a surrogate pair$/],
    [Buffer.from('{"a":1}\n{"a":"\xe9"}', 'latin1'), /^line 2: not UTF-8$/],
  ] as const) {
    await t.rejects(split(text), { message })
    const each = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))
    await t.rejects(split(...each), { message }, 'however it is cut')
  }
})

t.test('a document is no larger than it may be, and lines are counted', async (t) => {
  const large = from([Buffer.from('{"a":1}\n{"a":"'), Buffer.alloc(100, 0x20)])
  await t.rejects(all(splitDocuments(large, 50)), { message: /^line 2: .* more than 50 bytes/ })
  const documents = await all(splitDocuments(from([Buffer.from('\n{"a":\n1}\n\n{"b":2}')])))
  t.match(documents, [{ line: 2 }, { line: 5, text: '{"b":2}' }])
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

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
