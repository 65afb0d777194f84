// What a check says of a graph in which something is not as the write path leaves it: each kind of
// damage by its own text.

import t from 'tap'
import {
  getDocument,
  recordKey,
  removeDocument,
  replaceDocument,
} from '../../src/engine/collection/collections.js'
import type { Namespace } from '../../src/engine/types.js'
import { checkGraphs } from '../../src/memory/check-graphs.js'
import { findGraph, type Graph } from '../../src/memory/graph/graph.js'
import type { Store } from '../../src/store/store.js'
import { documentFrom } from '../../src/value/literal.js'
import { stringValue } from '../../src/value/value.js'
import { type CommandRoom, eachRoom } from '../support/command-room.js'
import { toObject } from '../support/literal.js'

type Change = (before: Record<string, unknown>) => Record<string, unknown> | undefined

/** Changes or removes a document as no command could. */
async function tamper(
  store: Store,
  partOf: (graph: Graph) => Namespace,
  id: string,
  change: Change,
): Promise<void> {
  await store.write(function* (tx) {
    const graph = yield* findGraph(tx, 'test', 'g')
    if (graph === undefined) throw new Error('no graph')
    const ns = partOf(graph)
    const key = recordKey(ns, stringValue(id))
    const before = yield* getDocument(tx, ns, key)
    if (before === undefined) throw new Error(`no ${id}`)
    const after = change(toObject(before))
    if (after === undefined) yield* removeDocument(tx, ns, key, before)
    else yield* replaceDocument(tx, ns, key, before, documentFrom(after))
  })
}

async function filled(room: CommandRoom) {
  const memories = [{ text: 'red fox' }, { text: 'the fox of Ada', entities: ['Ada', 'Bob'] }]
  const { results } = await room.run({ rememberMemories: 'g', memories })
  const [edge, other] = await room.all('memory.g.edges')
  return { memory: results[0].id, edge: String(edge?._id), entity: String(other?.to) }
}

const nodes = (graph: Graph) => graph.nodes
const edges = (graph: Graph) => graph.edges
const terms = (graph: Graph) => graph.terms
const gone: Change = () => undefined

const one = { kinds: ['memory'] } as const

eachRoom(t, 'a sound graph has no problems', async (t, room, { store }) => {
  t.same(await checkGraphs(store), [], 'nor has a store without graphs')
  await filled(room)
  t.same(await checkGraphs(store), [])
})

eachRoom(
  t,
  'each kind of damage is told',
  async (t, room, { store }) => {
    const { memory, edge, entity } = await filled(room)
    const cases: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
      ['an end is gone', () => tamper(store, nodes, memory, gone), /the postings of mem_/],
      [
        'an edge is another',
        () => tamper(store, edges, edge, (e) => ({ ...e, type: 'x' })),
        /is not of its ends/,
      ],
      ['a term is gone', () => tamper(store, terms, 'fox', gone), /the postings of mem_/],
      [
        'a term miscounts',
        () => tamper(store, terms, 'ada', (d) => ({ ...d, n: 7 })),
        /'ada' counts 6 postings more/,
      ],
      [
        'a term miscounts superseded memories',
        () => tamper(store, terms, 'ada', (d) => ({ ...d, s: 1 })),
        /'ada' counts 1 superseded postings more/,
      ],
      [
        'totals are wrong',
        () => tamper(store, terms, '\u001ftotals', (d) => ({ ...d, length: 99 })),
        /the total 'length' is 99/,
      ],
      [
        'a name is not counted',
        () => tamper(store, terms, '\u001fname\u001fada', gone),
        /1 names that begin with 'ada'/,
      ],
    ]
    for (const [name, damage, text] of cases) {
      await damage()
      const found = await checkGraphs(store)
      t.ok(
        found.some((problem) => text.test(problem.text)),
        `${name}: ${JSON.stringify(found)}`,
      )
    }
    await tamper(store, nodes, entity, gone)
    const found = await checkGraphs(store)
    t.ok(found.some(({ text }) => /leads to ent_.*, which is not there/.test(text)))
  },
  one,
)
