// Writing memories: what one comes to, what is refused and leaves nothing behind, what is known
// again, and what a program may hold.

import t from 'tap'
import { memoryBatchMax } from '../../../src/base/limits/memory.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { checkGraphs } from '../../../src/memory/check-graphs.js'
import { memoryHash } from '../../../src/memory/proof/leaves/memory-hash.js'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'

type Given = Readonly<Record<string, unknown>>

async function remember(room: CommandRoom, ...memories: readonly Given[]): Promise<Reply[]> {
  return (await room.run({ rememberMemories: 'g', memories })).results
}

const idsOf = (results: readonly Reply[]): string[] => results.map(({ id }) => String(id))
const edgesOf = (room: CommandRoom, filter: Given = {}) => room.all('memory.g.edges', filter)

eachRoom(t, 'a memory comes with its entities, edges and postings', async (t, room, { store }) => {
  const [result] = await remember(room, {
    text: 'Ada Lovelace wrote the first program',
    entities: ['Ada Lovelace', { name: 'Note G', kind: 'Text', aliases: ['The Note'] }],
    keywords: ['algorithm'],
    source: { kind: 'book', ref: 'b1', url: 'https://x.test/b1', at: 5 },
    validFrom: 1,
    validTo: 2,
  })
  const { memory, created, linked, extracted, duplicate, index } = result as Reply
  t.same(
    { created, duplicate, index },
    { created: { nodes: 3, edges: 2 }, duplicate: false, index: 0 },
  )
  t.same(
    linked.map(({ name, kind, created }: Reply) => [name, kind, created]),
    [
      ['Ada Lovelace', 'thing', true],
      ['Note G', 'text', true],
    ],
  )
  t.same(
    extracted.map(({ name, kind, rule }: Reply) => `${rule} ${kind} ${name}`),
    ['ada', 'lovelac', 'wrot', 'first', 'program', 'algorithm'].map(
      (term) => `tf-idf keyword ${term}`,
    ),
  )
  t.match(memory, { type: 'memory', status: 'active', anchorId: null, hashV: 1, validFrom: 1 })
  t.same(memory.source, { kind: 'book', ref: 'b1', url: 'https://x.test/b1', at: 5 })
  t.notOk('keywords' in memory || 'contentKey' in memory, 'nothing internal is shown')
  const { id, text, source, entities, createdAt } = memory
  t.equal(memory.hash, memoryHash({ graph: 'g', id, text, source, entities, createdAt }))
  const [stored] = await room.all('memory.g.nodes', { _id: id })
  const terms = stored?.keywords.map(({ t }: Reply) => t)
  t.ok(terms.includes('program') && terms.includes('algorithm'), 'keywords are terms of it')
  t.equal(
    stored?.len,
    stored?.keywords.reduce((sum: number, { n }: Reply) => sum + n, 0),
  )
  t.same(
    (await edgesOf(room)).map(({ from, type, weight }) => [from, type, weight]),
    [
      [id, 'mentions', 1],
      [id, 'mentions', 1],
    ],
  )
  const { memories } = await room.run({ recallMemories: 'g', q: 'algorithms' })
  t.same(idsOf(memories), [id], 'it is found by a keyword')
  t.same(await checkStore(store), [])
  t.same(await checkGraphs(store), [])
})

eachRoom(t, 'the same content is known again while it is active', async (t, room, { store }) => {
  const given = { text: 'One and the same', entities: ['Thing A'], source: { ref: 'r' } }
  const [first] = idsOf(await remember(room, given))
  const again = await remember(room, { ...given, entities: [' thing  a '] }, given)
  t.same(
    again.map(({ id, duplicate }) => [id, duplicate]),
    [
      [first, true],
      [first, true],
    ],
  )
  const others = await remember(
    room,
    { ...given, text: 'One and the same.' },
    { ...given, source: { ref: 's' } },
    { ...given, entities: ['Thing B'] },
  )
  t.same(
    others.map(({ duplicate }) => duplicate),
    [false, false, false],
    'each differs in one',
  )
  await room.run({ updateMemory: 'g', id: first, status: 'superseded' })
  const [second] = await remember(room, given)
  t.equal(second?.duplicate, false, 'a superseded one is not in the way')
  const back = { updateMemory: 'g', id: first, status: 'active' }
  t.equal((await room.refusal(back)).kind, 'AlreadyExists')
  await room.run({ forgetMemory: 'g', id: second?.id })
  t.equal((await room.run(back)).memory.status, 'active')
  const { memories } = await room.run({ recallMemories: 'g', q: 'same', hops: 0 })
  t.ok(idsOf(memories).includes(first ?? ''), 'active again, it is found')
  t.same(await checkGraphs(store), [])
})

eachRoom(
  t,
  'what is refused leaves nothing, and its neighbours stay',
  async (t, room, { store }) => {
    const bad: readonly (readonly [Given, string])[] = [
      [{ text: '' }, 'BadValue'],
      [{ text: 5 }, 'BadValue'],
      [{}, 'BadValue'],
      [{ text: 'x'.repeat(8_193) }, 'MemoryTooLarge'],
      [{ text: '\ufdfa'.repeat(8_192) }, 'MemoryTooLarge'],
      [{ text: 'x', entities: [''] }, 'BadValue'],
      [{ text: 'x', entities: ['a\u001fb'] }, 'BadValue'],
      [{ text: 'x', entities: 'a' }, 'BadValue'],
      [{ text: 'x', entities: new Array(33).fill('a') }, 'BadValue'],
      [{ text: 'x', entities: [`ent_${'0'.repeat(24)}`] }, 'NodeNotFound'],
      [{ text: 'x', keywords: new Array(33).fill('a') }, 'BadValue'],
      [{ text: 'x', edges: [{ to: 'unknown' }] }, 'NodeNotFound'],
      [{ text: 'x', edges: [{ to: 'a', weight: 2 }] }, 'BadValue'],
      [{ text: 'x', edges: [{ to: 'a', type: 'supersedes' }] }, 'BadValue'],
      [{ text: 'x', supersedes: `mem_${'0'.repeat(26)}` }, 'NodeNotFound'],
      [{ text: 'x', source: 'book' }, 'BadValue'],
      [{ text: 'x', source: { ref: 5 } }, 'BadValue'],
      [{ text: 'x', source: { at: new Date(5) } }, 'BadValue'],
      [{ text: 'x', validTo: 1.5 }, 'BadValue'],
      [{ text: 'x', entities: ['\ufdfa'.repeat(100)] }, 'BadValue'],
      [{ text: 'x', source: { ref: '東'.repeat(400) } }, 'BadValue'],
    ]
    await remember(room, { text: 'there already' })
    const before = await room.all('memory.g.nodes')
    for (const [given, kind] of bad) {
      const all = { rememberMemories: 'g', mode: 'all', memories: [{ text: 'good' }, given] }
      t.equal((await room.refusal(all)).kind, kind, JSON.stringify(given).slice(0, 60))
    }
    t.same(await room.all('memory.g.nodes'), before, 'mode all is all or nothing')
    const results = await remember(room, ...bad.map(([given]) => given), { text: 'a good one' })
    t.same(
      results.map(({ index, error }) => [index, error?.code]),
      [...bad.map(([, kind], i) => [i, kind]), [bad.length, undefined]],
    )
    t.equal((await room.all('memory.g.nodes')).length, before.length + 1)
    for (const memories of [[], new Array(memoryBatchMax + 1).fill({ text: 'x' })]) {
      t.equal((await room.refusal({ rememberMemories: 'g', memories })).kind, 'BadValue')
    }
    t.same(await checkGraphs(store), [])
  },
)

eachRoom(t, 'names with characters beyond one unit count once', async (t, room) => {
  const [result] = await remember(room, { text: '😀'.repeat(8_192), entities: ['é'.repeat(256)] })
  t.equal(result?.duplicate, false)
})

eachRoom(
  t,
  'a new memory takes the place of another, and follows the last of its source',
  async (t, room, { store }) => {
    const source = { ref: 'chat-1' }
    const given = ['first words', 'second words', 'third words'].map((text) => ({ text, source }))
    const [a, b, c] = idsOf(await remember(room, ...given))
    const [d] = idsOf(await remember(room, { text: 'fourth words', source, supersedes: b }))
    t.same((await edgesOf(room, { type: 'next' })).map(({ from, to }) => `${from} ${to}`).sort(), [
      `${a} ${b}`,
      `${b} ${c}`,
      `${c} ${d}`,
    ])
    t.match(await edgesOf(room, { type: 'supersedes' }), [{ from: d, to: b }])
    t.match(await room.all('memory.g.nodes', { _id: b }), [{ status: 'superseded' }])
    const { memories } = await room.run({ recallMemories: 'g', q: 'words', hops: 0 })
    t.same(idsOf(memories).sort(), [a, c, d], 'the superseded one is not found')
    await room.run({ forgetMemory: 'g', id: d })
    t.match(await room.all('memory.g.nodes', { _id: b }), [{ status: 'superseded' }], 'for good')
    t.same(await checkGraphs(store), [])
  },
)

eachRoom(t, 'memories of a source make one path, however quickly they come', async (t, room) => {
  const source = { ref: 'chat-1' }
  const given = Array.from({ length: 12 }, (_, i) => ({ text: `line ${i}`, source }))
  for (const memory of given) await remember(room, memory)
  const edges = await edgesOf(room, { type: 'next' })
  t.equal(edges.length, given.length - 1)
  t.equal(new Set(edges.map(({ from }) => from)).size, edges.length, 'nothing has two after it')
})

eachRoom(t, 'memories that are all refused make no graph', async (t, room, { store }) => {
  const memories = ['one', 'two'].map((text) => ({ text, edges: [{ to: 'unknown', type: 'x' }] }))
  const { results, inserted } = await room.run({ rememberMemories: 'g', memories })
  t.match(results, [{ error: { code: 'NodeNotFound' } }, { error: { code: 'NodeNotFound' } }])
  t.equal(inserted, 0)
  t.same((await room.run({ listCollections: 1 })).cursor.firstBatch, [])
  await remember(room, { text: 'kept' })
  t.equal((await room.all('memory.g.nodes')).length, 1)
  t.same(await checkGraphs(store), [])
})

eachRoom(t, 'an own name goes before another name, also within a batch', async (t, room) => {
  const results = await remember(
    room,
    { text: 'one', entities: [{ name: 'The Firm', kind: 'place', aliases: ['Acme'] }] },
    { text: 'two', entities: [{ name: 'Acme', kind: 'place' }] },
    { text: 'three', entities: [{ name: 'Acme', kind: 'person' }] },
    { text: 'four', entities: [{ name: 'Acme', kind: 'place' }] },
  )
  t.same(
    results.map(({ linked }) => linked.map(({ name, kind }: Reply) => `${kind} ${name}`)),
    [['place The Firm'], ['place The Firm'], ['person Acme'], ['place Acme']],
  )
})

eachRoom(t, 'names are what is seen of them', async (t, room) => {
  const hidden = 'Ad\u200ba \u202eLove\u00adlace\u2066'
  const [a] = await remember(room, { text: 'one', entities: ['Ada Lovelace'] })
  const [b] = await remember(room, { text: `${hidden} was here`, entities: [hidden] })
  const [c] = await remember(room, { text: `seen: ${hidden}` })
  for (const one of [b, c]) t.equal(one?.linked[0].id, a?.linked[0].id)
  for (const name of ['\u200b', '\u202e\u2066', '\u200c', '\u0301', ' \u00ad ']) {
    const { results } = await room.run({
      rememberMemories: 'g',
      memories: [{ text: 'unseen', entities: [name] }],
    })
    t.match(results, [{ error: { code: 'BadValue' } }])
  }
  const shaped = [
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '👩\u200d🚀',
    '☕',
    'C++',
    '42',
  ]
  const [d] = await remember(room, { text: 'two', entities: shaped })
  const names = await room.all('memory.g.nodes', { _id: { $in: idsOf(d?.linked) } })
  t.same(
    new Set(names.map(({ normName }) => normName)),
    new Set(shaped.map((s) => s.toLowerCase())),
  )
})

eachRoom(t, 'edges of a memory lead to nodes, by id or name', async (t, room) => {
  const [first] = await remember(room, { text: 'first', entities: ['Known'] })
  const entity = first?.linked[0].id
  const edges = [
    { to: first?.id, type: 'because', weight: 0.25 },
    { to: 'known' },
    { to: 'own', type: 'mentions', weight: 0.5 },
  ]
  const [second] = await remember(room, { text: 'second', entities: ['Own'], edges })
  t.same(
    (await edgesOf(room, { from: second?.id }))
      .map(({ to, type, weight }) => `${type} ${to} ${weight}`)
      .sort(),
    [`because ${first?.id} 0.25`, `mentions ${second?.linked[0].id} 0.5`, `relates ${entity} 1`],
  )
  t.same(second?.created, { nodes: 2, edges: 3 })
})

eachRoom(t, 'ids sort as the memories came, and the time is in them', async (t, room) => {
  const texts = Array.from({ length: 40 }, (_, i) => ({ text: `number ${i}` }))
  const results = await remember(room, ...texts)
  const ids = idsOf(results)
  t.same([...ids].sort(), ids)
  t.equal(new Set(ids.map((id) => id.slice(0, 14))).size, 1)
})

eachRoom(
  t,
  'all or nothing has a bound, each for itself has none',
  async (t, room, { store }) => {
    const words = (i: number) => Array.from({ length: 12 }, (_, n) => `w${i}x${n}`).join(' ')
    const memories = Array.from({ length: memoryBatchMax }, (_, i) => ({ text: words(i) }))
    const all = { rememberMemories: 'g', mode: 'all', memories }
    t.equal((await room.refusal(all)).kind, 'GraphLimit')
    t.same((await room.run({ listGraphs: 1 })).graphs, [], 'not even the graph')
    const { inserted } = await room.run({ rememberMemories: 'g', memories })
    t.equal(inserted, memoryBatchMax)
    t.same(await checkGraphs(store), [])
  },
  { kinds: ['memory'] },
)

eachRoom(
  t,
  'the terms that tell a memory from others are told, the rarest first',
  async (t, room) => {
    await remember(room, ...['a', 'b', 'c'].map((word) => ({ text: `common ${word}${word}` })))
    const [result] = await remember(room, { text: 'common quartz' })
    const names = result?.extracted.map(({ name }: Reply) => name)
    t.same(names, ['quartz', 'common'])
  },
)

eachRoom(t, 'a name that no entry can hold finds nothing, and is no failure', async (t, room) => {
  await remember(room, { text: 'Something', entities: ['\ufdfa name'] })
  const long = '\ufdfa'.repeat(256)
  t.match(await room.refusal({ recallMemories: 'g', entity: long }), { kind: 'NodeNotFound' })
  t.match(await room.run({ recallMemories: 'g', q: long }), { memories: [] })
  const edge = { relateNodes: 'g', from: `\ufdfa ${'\ufdfa'.repeat(250)}`, to: 'x' }
  t.match(await room.refusal(edge), { kind: 'NodeNotFound' })
  const [tagged] = await remember(room, { text: `A tag: #${'\ufdfa'.repeat(64)} and no more.` })
  t.equal(tagged?.memory.type, 'memory')
})

eachRoom(t, 'all or none of more than one program may look through is refused', async (t, room) => {
  const text = 'so '.repeat(2_700)
  const memories = Array.from({ length: 140 }, (_, i) => ({ text: text + i }))
  const refused = await room.refusal({ rememberMemories: 'g', memories, mode: 'all' })
  t.match(refused, { kind: 'GraphLimit' })
  const words = (i: number) => Array.from({ length: 500 }, (_, j) => `w${i}x${j}`).join(' ')
  const rich = Array.from({ length: 11 }, (_, i) => ({ text: words(i) }))
  const many = await room.refusal({ rememberMemories: 'g', memories: rich, mode: 'all' })
  t.match(many, { kind: 'GraphLimit' })
  t.same(await room.all('memory.g.nodes', {}), [])
})
