// What a model reads of long results: never more than the bound, and every id in it.

import fc from 'fast-check'
import t from 'tap'
import { graphText, jsonText, recallText } from '../../../src/listeners/mcp/texts.js'
import { runs } from '../../support/runs.js'

const bytesMax = 16_000

/** None has U+FFFD, by which a character that was cut in two is found. */
const texts = fc
  .oneof(
    fc.string({ maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constantFrom('x'.repeat(8_192), '東京'.repeat(4_096), '😀'.repeat(4_096), '\n'.repeat(500)),
  )
  .filter((text) => !text.includes('\ufffd'))

function within(text: string): boolean {
  return Buffer.byteLength(text) <= bytesMax && !text.includes('\ufffd')
}

t.test('texts of results stay within their bound and name every id', async () => {
  const many = fc.array(texts, { maxLength: 100 })
  await fc.assert(
    fc.property(many, fc.boolean(), (found, contextTruncated) => {
      const memories = found.map((text, i) => ({
        ...{ id: `mem_${String(i).padStart(26, '0')}`, text, score: 0.123456, distance: 10 },
      }))
      const nodes = [...memories, ...memories, ...memories].map((memory, i) => ({
        ...memory,
        id: `mem_${String(i).padStart(26, 'A')}`,
      }))
      const nodeIds = nodes.map(({ id }) => id)
      const recalled = recallText({ memories, nodeIds, contextTruncated })
      const shown = graphText('g'.repeat(64), { nodes, edges: nodes, total: 100_000 })
      return (
        [recalled, shown].every(within) &&
        memories.every(({ id }) => recalled.includes(id)) &&
        nodes.every(({ id }) => shown.includes(id))
      )
    }),
    { numRuns: runs(20) },
  )
})

t.test('texts tell when a memory was written', async (t) => {
  const createdAt = Date.UTC(2026, 2, 9, 14)
  const memory = { id: 'mem_1', text: 'a note', score: 1.5, distance: 0, createdAt }
  const recalled = recallText({ memories: [memory], nodeIds: ['mem_1'] })
  t.match(recalled, '- mem_1 (2026-03-09, score 1.5, distance 0) a note')
  const entity = { id: 'ent_1', name: 'Ada', createdAt }
  const shown = graphText('g', { nodes: [memory, entity], edges: [], total: 2 })
  t.match(shown, '- mem_1 (2026-03-09, memory) a note')
  t.match(shown, '- ent_1 Ada')
  t.equal(
    jsonText({ memory: { createdAt, validTo: null }, anchoredAt: createdAt }),
    '{"memory":{"createdAt":"2026-03-09T14:00:00.000Z","validTo":null},' +
      '"anchoredAt":"2026-03-09T14:00:00.000Z"}',
  )
})

t.test('other results are JSON, with what is long in them cut', async (t) => {
  const body = { id: 'mem_1', memory: { text: '東'.repeat(8_192) }, linked: [{ id: 'ent_1' }] }
  const text = jsonText(body)
  t.ok(within(text))
  t.match(JSON.parse(text), { id: 'mem_1', linked: [{ id: 'ent_1' }] })
  t.equal(jsonText({ a: 1 }), '{"a":1}')
  t.ok(within(jsonText({ list: Array.from({ length: 9_000 }, (_, i) => i) })))
})
