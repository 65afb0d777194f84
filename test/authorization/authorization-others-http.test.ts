// SQL, HTTP and MCP, every family: by default no wallet and no administrator reads, counts, changes
// or blocks what is another wallet's. Each is answered the same before that wallet has made
// anything and afterwards. (The other protocols: authorization-others.test.ts)

import t from 'tap'
import { ask } from '../support/http-client.js'
import { openMcp } from '../support/mcp-clients.js'
import { queried, sqlReads } from '../support/other-batteries.js'
import {
  type Battery,
  collectionName,
  compare,
  graphName,
  type Handles,
  keyNames,
  mark,
  openWorld,
  type Replies,
  sqlOf,
} from '../support/other-world.js'

t.setTimeout(600_000)

t.test('SQL: relations, the catalogue, other sessions', async (t) => {
  const world = await openWorld(t)
  const battery: Battery = async (caller, handles) => {
    const replies: Replies = new Map()
    const client = await sqlOf(t, world.gateway, caller)
    for (const [i, statement] of sqlReads(handles).entries()) {
      replies.set(
        `${i} ${statement.replaceAll(/backend\(\d+/g, 'N')}`,
        await queried(client, statement),
      )
    }
    for (const statement of [
      `INSERT INTO "${world.owner.home}".${collectionName} (n) VALUES (1)`,
      `UPDATE ${collectionName} SET text = 'changed'`,
      `DELETE FROM "${world.owner.home}".kv0`,
      `TRUNCATE ${collectionName}`,
      `DROP TABLE ${collectionName}`,
      `ALTER TABLE ${collectionName} ADD COLUMN x int`,
      `CREATE INDEX ON ${collectionName} (n)`,
    ]) {
      // Before it is there, these would make it.
      if (handles.memoryId === 'mem_x') continue
      t.match(await queried(client, statement), /^(?!\[).*/, statement)
    }
    await client.end()
    return replies
  }
  // A name in the database of all is refused where it is taken, and missing where it is free.
  const isShared = (label: string) => label.includes(collectionName)
  await compare(t, world, battery, isShared)
})

interface Request {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
}

function collectionRequests(): readonly Request[] {
  const at = `/api/v1/collections/${collectionName}`
  const post = (path: string, body: unknown): Request => ({ path: `${at}/${path}`, body })
  return [
    ...['stats', 'indexes', 'docs', 'export', 'roles', 'privacy'].map((path) => ({
      path: `${at}/${path}`,
    })),
    post('find', {}),
    post('findOne', {}),
    post('count', {}),
    post('distinct', { field: 'text' }),
    post('aggregate', { pipeline: [] }),
    post('insertOne', { document: { a: 1 } }),
    post('insertMany', { documents: [{ a: 1 }] }),
    post('updateMany', { filter: {}, update: { $set: { text: 'changed' } } }),
    post('deleteMany', { filter: {} }),
    post('import', { a: 1 }),
    post('createIndex', { field: 'n' }),
    post('dropIndex', { name: '_id_' }),
    post('create', {}),
    post('validator', { validator: { a: 1 } }),
    post('rename', { to: 'taken' }),
    post('drop', {}),
    post('privacy', { mode: 'public' }),
    post('roles', { address: `0x${'9'.repeat(40)}`, action: 'grant', role: 2 }),
  ]
}

function graphRequests({ memoryId, edgeId }: Handles): readonly Request[] {
  const g = `graph=${graphName}`
  const named = { graph: graphName }
  return [
    ...[`graph?${g}`, `recall?${g}&q=${mark}`, `verify?${g}&id=${memoryId}`, `verify/graph?${g}`],
    ...[
      `evidence?${g}&id=${memoryId}`,
      `memories/${memoryId}?${g}`,
      'graphs',
      `graphs/${graphName}`,
    ],
  ]
    .map((path): Request => ({ path: `/api/${path}` }))
    .concat([
      { path: '/api/verify', body: { ...named, ids: [memoryId] } },
      { path: '/api/memories', body: { ...named, text: 'of another' } },
      { path: '/api/memories/batch', body: { ...named, memories: [{ text: 'of another' }] } },
      { method: 'PATCH', path: `/api/memories/${memoryId}?${g}`, body: { status: 'retracted' } },
      { method: 'DELETE', path: `/api/memories/${memoryId}?${g}` },
      { path: '/api/edges', body: { ...named, from: memoryId, to: memoryId, type: 'x' } },
      { method: 'DELETE', path: `/api/edges?${g}&id=${edgeId}` },
      { path: '/api/entities/merge', body: { ...named, from: `${mark} entity`, into: 'x' } },
      { path: '/api/anchor', body: named },
      { method: 'PUT', path: `/api/graphs/${graphName}`, body: { mode: 'public' } },
      { method: 'DELETE', path: `/api/graphs/${graphName}` },
    ])
}

function otherRequests({ keyHash }: Handles): readonly Request[] {
  const [text = ''] = keyNames
  const data = '/app/data-x/endpoint/data/v1/action/find'
  return [
    { path: '/api/v1/collections' },
    { path: '/api/v1/keys' },
    { path: `/api/v1/keys/${keyHash}/analytics` },
    { method: 'DELETE', path: `/api/v1/keys/${keyHash}` },
    { path: `/api/v1/keys/${keyHash}/rotate`, body: {} },
    { path: '/api/v1/whitelist' },
    { path: '/api/v1/protocols' },
    { path: '/api/v1/sql', body: { query: `SELECT * FROM ${collectionName}` } },
    {
      path: data,
      body: { dataSource: 's', database: 'main', collection: collectionName, filter: {} },
    },
    ...[
      ['GET', text],
      ['KEYS', '*'],
      ['DBSIZE'],
      ['SCAN', '0'],
      ['DEL', ...keyNames],
      ['FLUSHALL'],
    ].flatMap((command): Request[] => [
      { path: '/api/v1/redis', body: { command } },
      { path: '/upstash', body: command },
      { path: '/upstash/pipeline', body: [command] },
      { path: '/upstash/multi-exec', body: [command] },
    ]),
    { path: `/upstash/get/${text}` },
    { path: '/api/v1/redis', body: { command: ['PUBLISH', `${mark}:channel`, 'x'] } },
    { path: '/api/v1/redis', body: { command: ['PUBSUB', 'CHANNELS'] } },
  ]
}

t.test('HTTP: collections, keys, graphs, other protocols', async (t) => {
  const world = await openWorld(t)
  const { gateway, owner } = world
  const battery: Battery = async (caller, handles) => {
    const replies: Replies = new Map()
    const isLate = handles.memoryId !== 'mem_x'
    const spaces = { own: undefined, home: owner.home, main: 'main' }
    for (const [space, database] of Object.entries(spaces)) {
      const requests = [...graphRequests(handles), ...otherRequests(handles)]
      // Before the collection is there, these would make it in the database of all.
      if (isLate || space === 'home') requests.push(...collectionRequests())
      for (const [i, { method, path, body }] of requests.entries()) {
        const sent = body === undefined ? undefined : JSON.stringify(body)
        const verb = method ?? (body === undefined ? 'GET' : 'POST')
        const answer = await ask(gateway.url, {
          ...{ method: verb, path },
          headers: {
            authorization: `Bearer ${caller.key}`,
            ...(database === undefined ? {} : { 'x-sigil-database': database }),
            ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
            ...(sent === undefined ? {} : { 'content-length': `${Buffer.byteLength(sent)}` }),
          },
          ...(sent === undefined ? {} : { body: sent }),
        })
        const label = `${space} ${i} ${verb} ${path.replaceAll(/mem_\w+|edg_\w+|(?:0x)?[0-9a-f]{64}/g, 'X')}`
        // Administrators see the audit, which grows with each sign-in.
        const text = answer.text.replace(/"_audit","documentCount":\d+/, '"_audit"')
        replies.set(label, `${answer.status} ${text}`)
      }
    }
    return replies
  }
  // Names in the database of all: refused where taken. Keys are looked at in the wallet's session.
  const isShared = (label: string) =>
    label.includes(collectionName) || /^(?:own|main) .*sql|endpoint/.test(label)
  await compare(t, world, battery, isShared)
})

t.test('MCP: each tool, in the own space and in another', async (t) => {
  const world = await openWorld(t)
  const { gateway, owner } = world
  const battery: Battery = async (caller, { memoryId }) => {
    const replies: Replies = new Map()
    for (const database of [undefined, owner.home]) {
      const named = database === undefined ? {} : { database }
      const mcp = await openMcp('2.x', 'http', { url: gateway.url, key: caller.key, ...named })
      const graph = graphName
      const calls: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        recall: { q: mark, graph },
        graph: { graph },
        verify: { id: memoryId, graph },
        verify_many: { ids: [memoryId], graph },
        relate: { from: memoryId, to: memoryId, type: 'x', graph },
        forget: { id: memoryId, graph },
      }
      for (const [tool, given] of Object.entries(calls)) {
        const reply = await mcp.call(tool, given).catch(String)
        replies.set(`${database} ${tool}`, JSON.stringify(reply))
      }
      for (const uri of [`memory://${graph}/node/${memoryId}`, `memory://${graph}/summary`]) {
        const label = `${database} ${uri.replace(memoryId, 'X')}`
        replies.set(label, await mcp.resource(uri).catch(String))
      }
      await mcp.close()
    }
    return replies
  }
  await compare(t, world, battery)
})
