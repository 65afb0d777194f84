// What pages and tools ask for over HTTP, of collections and graphs that are large: a sample of
// fields, exports and imports, nodes page by page, slow commands, kills, streams of changes.

import t from 'tap'
import { isLong } from '../support/seed.js'
import { hostileKinds, large, type StallCase } from './cases.js'
import { hunt } from './hunt.js'

const size = isLong ? 3_000_000 : 300_000
const many = isLong ? 20_000 : 3_000
const documentsAtOnce = 1_000
const batches = isLong ? 10 : 2
/** Characters of a memory's text, about. */
const textChars = 2_000

const collections = '/api/v1/collections'

function command(name: string, fields: object): StallCase {
  return { kind: 'document', name, command: fields }
}

function get(path: string): StallCase {
  return { kind: 'http', name: `GET ${path.slice(0, 90)}`, method: 'GET', path }
}

function post(path: string, name: string, json: unknown): StallCase {
  return { kind: 'http', name: `POST ${path} ${name}`, method: 'POST', path, json }
}

/** The requests of a page name no database: these are in the one of the key. */
const inMain = (one: StallCase): StallCase => ({ ...one, db: 'main' }) as StallCase

const filled: StallCase[] = [
  ...hostileKinds.map((kind) =>
    command(`insert ${kind}`, {
      insert: 'values',
      documents: [{ _id: kind, v: large(kind, size) }],
    }),
  ),
  ...Array.from({ length: many / documentsAtOnce }, (_, n) =>
    command('insert many', {
      insert: 'many',
      documents: Array.from({ length: documentsAtOnce }, (_, i) => ({
        _id: n * documentsAtOnce + i,
        text: 'a'.repeat(200),
        at: { [`field${i}`]: { x: i, list: [i, { y: i }] } },
      })),
    }),
  ),
].map(inMain)

const graph: StallCase[] = Array.from({ length: batches }, (_, n) =>
  post('/api/memories/batch', 'fill', {
    memories: Array.from({ length: isLong ? 300 : 60 }, (_, i) => ({
      text: `Ann Miller met Bob number ${n * 300 + i} in Town ${i % 50}. ${'word '.repeat(i % 40)}`,
      keywords: [`key${i % 30}`, `other${n}`],
    })),
  }),
)

t.test('no page of a collection holds the loop', async (t) => {
  const cases = [
    ...['values', 'many'].flatMap((name) =>
      ['schema', 'schema?sample=1000', 'docs?limit=1000', 'export', 'stats', 'indexes/use'].map(
        (path) => get(`${collections}/${name}/${path}`),
      ),
    ),
    ...hostileKinds.flatMap((kind) => [
      get(`${collections}/values/docs/${kind}`),
      get(`${collections}/values/export?filter=${JSON.stringify({ _id: kind })}`),
      post(`${collections}/values/explain`, `of ${kind}`, { filter: { v: large(kind, size) } }),
    ]),
  ]
  await hunt(t, cases, { prepare: filled, stretches: 'documents' })
})

t.test('no import holds the loop', async (t) => {
  const lines = (name: string, count: number, document: object, query = ''): StallCase => ({
    ...{ kind: 'http', name: `import ${name}`, method: 'POST', lines: { count, document } },
    path: `${collections}/imported/import?ordered=false${query}`,
  })
  const cases = [
    lines('of many', 5 * many, { a: 1, text: 'x'.repeat(100) }),
    lines('of many again', 5 * many, { a: 1 }),
    lines('by upserts', many, { a: 2, text: 'y' }, '&mode=upsert'),
    lines('of wrong ones', many, { $wrong: 1 }),
    ...hostileKinds.map((kind) => lines(`of ${kind}`, 2, { v: large(kind, size) }, '&mode=upsert')),
  ]
  await hunt(t, cases)
})

t.test('no page of a graph holds the loop', async (t) => {
  const ids = Array.from({ length: 300 }, (_, i) => `mem_${String(i).padStart(26, '0')}`)
  const cases = [
    post('/api/graph/nodes', 'of a page', { limit: 300 }),
    post('/api/graph/nodes', 'of ids', { ids }),
    post('/api/verify', 'of ids', { ids }),
    ...['graph', 'graph?limit=300', 'verify/graph', 'graphs', 'entities?name=b'].map((path) =>
      get(`/api/${path}`),
    ),
    ...['recall?q=Ann', `recall?q=${'word%20'.repeat(70)}&hops=10&limit=100`].map((path) =>
      get(`/api/${path}`),
    ),
    post('/api/preview', 'of words', { memory: { text: 'Ann Bob, '.repeat(textChars / 9) } }),
  ]
  await hunt(t, cases, { prepare: graph })
})

t.test('no list of commands and no kill holds the loop', async (t) => {
  const numbers = Array.from({ length: isLong ? 100_000 : 10_000 }, (_, i) => i)
  const slow = hostileKinds.map((kind) =>
    command(`slow find of ${kind}`, {
      find: 'values',
      filter: { v: large(kind, size) },
      comment: large(kind, size),
    }),
  )
  const id = { $binary: { base64: 'AAECAwQFRgeICQoLDA0ODw==', subType: '04' } }
  const sessions = numbers.slice(0, 10_000).map(() => ({ id }))
  const cursors = numbers.map((n) => ({ $numberLong: String(n) }))
  const cases = [
    get('/api/v1/metrics/slow'),
    get('/api/v1/metrics/history'),
    get('/api/v1/operations'),
    post(`/api/v1/operations/${'1'.repeat(10_000)}/kill`, 'of a long id', {}),
    command('killCursors', { killCursors: 'values', cursors }),
    command('killSessions', { killSessions: sessions }),
    command('endSessions', { endSessions: sessions }),
    { ...command('killOp', { killOp: 1, op: 'x'.repeat(size) }), db: 'admin' } as StallCase,
    {
      ...command('$currentOp', {
        ...{ aggregate: 1, cursor: {} },
        pipeline: [{ $currentOp: { allUsers: true, idleCursors: true } }],
      }),
      db: 'admin',
    } as StallCase,
    ...['SLOWLOG GET 128', 'CLIENT LIST', 'LATENCY HISTOGRAM'].map((text): StallCase => {
      return { kind: 'words', name: text, words: text.split(' ') }
    }),
  ]
  await hunt(t, cases, { prepare: slow, settings: { SLOW_COMMAND_MS: '0' } })
})

t.test('no body of the key-value route holds the loop', async (t) => {
  const names = Array.from({ length: isLong ? 200_000 : 10_000 }, (_, i) => `k${i}`)
  const path = '/api/v1/redis'
  const cases = [
    ...['DEL', 'MGET', 'SADD', 'RPUSH', 'MSET', 'NO'].map((name) =>
      post(path, `${name} of many words`, { command: [name, ...names] }),
    ),
    ...hostileKinds.flatMap((kind) => [
      post(path, `SET of ${kind}`, { command: ['SET', 'a', large(kind, size)] }),
      post(path, `command of ${kind}`, { command: large(kind, size) }),
    ]),
    post(path, 'GET of a long value', { command: ['GET', 'a'] }),
    post(path, 'SMEMBERS of many', { command: ['SMEMBERS', 'k0'] }),
  ]
  await hunt(t, cases)
})

t.test('no stream of changes over HTTP holds the loop', async (t) => {
  const pipelines = [
    [],
    [{ $match: { 'fullDocument.v.k': 'k7' } }, { $limit: 1 }],
    [{ $project: { 'fullDocument.v.k': 1 } }],
    [{ $changeStreamSplitLargeEvent: {} }],
  ]
  const changes = hostileKinds.flatMap((kind) =>
    pipelines.map((pipeline, n): StallCase => {
      const text = encodeURIComponent(JSON.stringify(pipeline))
      const document = { n, fresh: { $fresh: 1 }, v: large(kind, size) }
      return {
        ...{ kind: 'events', name: `changes ${n} of ${kind}` },
        path: `${collections}/watched/changes?pipeline=${text}`,
        command: {
          update: 'watched',
          updates: [{ q: { _id: kind }, u: document, upsert: true }],
        },
      }
    }),
  )
  await hunt(t, changes, { settings: { TOPOLOGY: 'router' } })
})

/** Each is the first of its kind since the start. */
t.test('nothing that a start leaves for later holds the loop', async (t) => {
  const collated = { find: 'few', sort: { a: 1 }, collation: { locale: 'de' } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const few = command('insert few', { insert: 'few', documents: [{ a: 'ä' }, { a: 'z' }] })
  const cases: StallCase[] = [
    inMain(command('the first collated sort', collated)),
    post('/mcp', 'the first message', message),
    ...['/', '/metrics', '/api/v1/openapi.json', '/api/v1/metrics', '/ready'].map(get),
    { kind: 'sql', name: 'the first statement', text: 'SELECT count(*) FROM few' },
    { kind: 'words', name: 'COMMAND DOCS', words: ['COMMAND', 'DOCS'] },
    post('/api/memories', 'the first memory', { text: 'Ann met Bob in Paris on Monday.' }),
  ]
  await hunt(t, cases, { prepare: [few, inMain(few)] })
})
