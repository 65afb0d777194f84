// What a page of a graph asks for: nodes by id and page by page, entities by the beginning of a
// name, and a preview.

import t, { type Test } from 'tap'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  return {
    url,
    get: (path: string) => ask(url, { path, headers }),
    post: (path: string, body: unknown) => ask(url, { path, headers, body: JSON.stringify(body) }),
  }
}

interface Node {
  readonly id: string
  readonly type: string
}

const nodesPath = '/api/graph/nodes'

t.test('all nodes page by page, each once, newest first', async (t) => {
  const { post } = await open(t)
  const memories = Array.from({ length: 45 }, (_, i) => ({
    text: `Ada Lovelace noted fact ${i}.`,
    entities: ['Ada Lovelace', `Topic ${i}`],
  }))
  t.equal((await post('/api/memories/batch', { memories })).status, 200)
  const seen: string[] = []
  let cursor: unknown
  let total: unknown
  let pages = 0
  do {
    const { status, json } = await post(nodesPath, { limit: 20, ...(cursor ? { cursor } : {}) })
    t.equal(status, 200)
    const nodes = json.nodes as Node[]
    t.ok(nodes.length <= 20)
    seen.push(...nodes.map(({ id }) => id))
    ;({ cursor, total } = json)
    pages++
  } while (cursor !== null)
  t.equal(seen.length, total)
  t.equal(new Set(seen).size, seen.length)
  t.ok(seen.length >= 91, `${seen.length} nodes in ${pages} pages`)
})

t.test('nodes by id come with their edges; unknown ids are named', async (t) => {
  const { post } = await open(t)
  const { json } = await post('/api/memories', { text: 'A move.', entities: ['Ada Lovelace'] })
  const { id, entities } = json.memory as { id: string; entities: string[] }
  const missing = `mem_${'0'.repeat(26)}`
  const found = await post(nodesPath, { ids: [id, ...entities, missing, id] })
  t.match(found.json, { missing: [missing], truncated: false, cursor: null })
  t.same((found.json.nodes as Node[]).map((node) => node.id).sort(), [id, ...entities].sort())
  t.match(found.json.edges, [{ from: id, to: entities[0], type: 'mentions' }])
  const refused = { status: 400 }
  t.match(await post(nodesPath, { ids: [] }), refused)
  t.match(await post(nodesPath, { ids: Array(301).fill(id) }), refused)
  t.match(await post(nodesPath, { ids: [7] }), refused)
  t.match(await post(nodesPath, { limit: 0 }), refused)
  t.match(await post(nodesPath, { cursor: '!' }), refused)
  t.match(await post(nodesPath, { cursor: 'AA', ids: [id] }), refused)
  t.match(await post(nodesPath, { graph: 'none', ids: [id] }), { json: { missing: [id] } })
})

t.test('the short forms of nodes, edges and verdicts', async (t) => {
  const { get, post } = await open(t)
  const text = `A move. ${'\u{1f600}'.repeat(200)}`
  const { json } = await post('/api/memories', { text, entities: ['Ada Lovelace'] })
  const { id, entities } = json.memory as { id: string; entities: string[] }
  const beginning = `${[...text].slice(0, 120).join('')}…`
  const whole = await get('/api/graph')
  const brief = await get('/api/graph?brief=true')
  for (const { json } of [brief, await post(nodesPath, { ids: [id, ...entities], brief: true })]) {
    const memory = (json.nodes as Node[]).find(({ type }) => type === 'memory') as object
    const entity = (json.nodes as Node[]).find(({ type }) => type === 'entity') as object
    t.match(memory, { id, text: beginning, status: 'active', createdAt: Number })
    t.same(Object.keys(memory), ['id', 'type', 'text', 'status', 'createdAt'])
    t.same(entity, { id: entities[0], type: 'entity', name: 'Ada Lovelace', kind: 'thing' })
    t.same(json.edges, [{ from: id, to: entities[0], type: 'mentions' }])
  }
  t.not(brief.headers.etag, whole.headers.etag, 'the forms are not mistaken for each other')
  t.match((whole.json.nodes as object[])[0], { text })
  const verdicts = await post('/api/verify', { ids: [id, 'mem_none'], brief: true })
  const problem = 'not anchored yet'
  t.same(verdicts.json.results, [
    { id, verified: false, problem },
    { id: 'mem_none', verified: false, problem: 'not found' },
  ])
  t.match(verdicts.json, { graphKey: /^0x/, transactions: [] })
})

t.test('entities are found by the beginning of a name or an alias', async (t) => {
  const { get, post, url } = await open(t)
  const entities = ['Ada Lovelace', { name: 'Lisbon', kind: 'place', aliases: ['Olisipo'] }]
  await post('/api/memories', { text: 'A move.', entities })
  t.match((await get('/api/entities?name=ADA')).json, { entities: [{ name: 'Ada Lovelace' }] })
  t.match((await get('/api/entities?name=olis')).json, { entities: [{ name: 'Lisbon' }] })
  t.match((await get('/api/entities?name=zz')).json, { entities: [], truncated: false })
  const many = Array.from({ length: 60 }, (_, i) => `Person ${i}`)
  await post('/api/memories', { text: 'A list.', entities: many.slice(0, 30) })
  await post('/api/memories', { text: 'Another list.', entities: many.slice(30) })
  const cut = (await get('/api/entities?name=person')).json
  t.equal((cut.entities as Node[]).length, 50)
  t.equal(cut.truncated, true)
  t.equal((await ask(url, { path: '/api/entities?name=a' })).status, 401)
})

t.test('a preview says what a memory would do, and does not do it', async (t) => {
  const { get, post } = await open(t)
  await post('/api/memories', { text: 'First.', entities: ['Ada Lovelace'] })
  const before = (await get('/api/graph')).json
  const text = 'Ada Lovelace wrote to ada@example.com.'
  const preview = await post('/api/preview', { memory: { text } })
  t.match(preview, { status: 200, json: { duplicateOf: null } })
  const planned = preview.json.entities as { id: string; name: string; isNew: boolean }[]
  t.match(planned, [
    { name: 'Ada Lovelace', rule: 'known', isNew: false },
    { name: 'ada@example.com', rule: 'email', isNew: true },
  ])
  t.same((await get('/api/graph')).json, before, 'nothing was written')
  const { json } = await post('/api/memories', { text })
  const { id, entities } = json.memory as { id: string; entities: string[] }
  t.same([...entities].sort(), planned.map((one) => one.id).sort(), 'as it then does')
  const again = await post('/api/preview', { memory: { text } })
  t.match(again.json, { duplicateOf: id })
  t.match(await post('/api/preview', { memory: {} }), { status: 400 })
  const other = { graph: 'none', memory: { text } }
  t.match(await post('/api/preview', other), { status: 404 })
})
