// "Show as" against a real gateway: random filters and documents, with every value that they may
// have, mean the same as the document routes in SQL, in curl run by a shell, in mongosh and pymongo.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import type { DocumentQuery, Find } from '../../../../src/studio/lib/show-as/query.js'
import { type Language, languages, showAs } from '../../../../src/studio/lib/show-as/show.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { isLong, seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { mongoshScript, toolMissing } from '../../../support/tools.js'

t.setTimeout(300_000)
t.comment(`SIGIL_SEED=${seed}`)

const run = promisify(execFile)
const place = { url: 'http://127.0.0.1:1' }

function shown(language: Language, query: DocumentQuery, at = place): string | undefined {
  const result = showAs(language, query, at)
  return 'text' in result ? result.text : undefined
}

function find(given: Partial<Find>): Find {
  return { kind: 'find', collection: 'c', filter: '', sort: '', limit: 100, fields: '', ...given }
}

async function ask(gateway: LiveGateway, method: string, path: string, body?: string) {
  const reply = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: {
      'x-api-key': gateway.key,
      'content-type': 'application/ejson',
      accept: 'application/ejson',
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path} ${body}: ${text}`)
  return JSON.parse(text) as { documents: unknown[]; result: { cursor: { firstBatch: unknown[] } } }
}

async function list(gateway: LiveGateway, { collection, filter, sort, fields, limit }: Find) {
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries({ filter, sort, fields })) {
    if (value !== '') query.set(name, value)
  }
  return (await ask(gateway, 'GET', `/collections/${collection}/docs?${query}`)).documents
}

async function sql(gateway: LiveGateway, query: string): Promise<unknown[]> {
  const { result } = await ask(gateway, 'POST', '/sql', JSON.stringify({ query }))
  return result.cursor.firstBatch
}

const scalars = [
  '"a"',
  '"b"',
  '"it\'s \\"so\\""',
  '""',
  '"2020-01-01"',
  '"65f0c0ffee0123456789abcd"',
  '"true"',
  '1',
  '2',
  '-3',
  '1.5',
  '{"$numberLong":"3000000000"}',
  '{"$numberDouble":"2.0"}',
  'true',
  'false',
  '{"$date":{"$numberLong":"1577836800000"}}',
]
const stored = [
  ...scalars,
  'null',
  '{"$oid":"65f0c0ffee0123456789abcd"}',
  '["a","b"]',
  '[1,2]',
  '[]',
  '[null,1.5]',
  '[[1]]',
  '[{"x":1}]',
  '{"x":1}',
  '{"$numberDecimal":"1.5"}',
]

t.test('a filter means the same in SQL', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const next = seededRandom(seed)
  const below = (end: number) => Math.floor(next() * end)
  const pick = (values: readonly string[]) => values[below(values.length)] ?? ''
  const field = () => pick(['x', 'y', 'z', 'we ird'])
  const documents = Array.from({ length: 60 }, (_, at) => {
    const fields = ['x', 'y', 'we ird'].filter(() => below(5) > 0)
    const parts = fields.map((name) => `"${name}":${pick(stored)}`)
    return `{${[`"_id":${at % 2 === 0 ? at : `"k${at}"`}`, ...parts].join(',')}}`
  })
  await ask(gateway, 'POST', '/collections/c/insertMany', `{"documents":[${documents}]}`)
  const condition = (): string => {
    const operator = pick(['$eq', '$gt', '$gte', '$lt', '$lte', '$ne', '$in', '$nin', ''])
    const name = below(5) === 0 ? '_id' : field()
    if (operator === '') return `{"${name}":${pick(scalars)}}`
    if (operator.endsWith('in'))
      return `{"${name}":{"${operator}":[${pick(scalars)},${pick(scalars)}]}}`
    return `{"${name}":{"${operator}":${pick(scalars)}}}`
  }
  const filter = (): string => {
    const kind = below(4)
    if (kind > 1) return condition()
    return `{"${kind === 0 ? '$and' : '$or'}":[${condition()},${filter()}]}`
  }
  let compared = 0
  for (let turn = 0; turn < (isLong ? 3_000 : 300); turn++) {
    const query = find({ filter: filter(), sort: '_id' })
    const text = shown('SQL', query)
    if (text === undefined) continue
    compared++
    t.same(await sql(gateway, text), await list(gateway, query), `${query.filter}\n${text}`)
  }
  t.ok(compared > 100, `${compared} filters have a form`)
})

/** By a shell, with what the shown programs take from the environment. */
async function shell({ url, key, uri, ports }: LiveGateway, line: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    SIGIL_API_KEY: key,
    SIGIL_URI: uri,
    SIGIL_REDIS_URL: `redis://operator:${key}@127.0.0.1:${ports.redis}`,
    REDISCLI_AUTH: key,
    NO_PROXY: new URL(url).hostname,
  }
  return (await run('/bin/sh', ['-c', line], { env, timeout: 120_000 })).stdout
}

const awkward = `{"_id":"it's 1/2","q":"\\"$HOME\\" \`id\` \\\\ '","n":1,"d":2.5,"t":{"$date":{"$numberLong":"5"}},"o":{"a":[1,null,true]},"e":null}`

t.test('changes and reads by curl, in a real shell', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const at = { url: gateway.url }
  const curl = async (query: DocumentQuery) =>
    JSON.parse(await shell(gateway, shown('curl', query, at) ?? 'false')) as {
      documents: unknown[]
    }
  const collection = "it's [c] {1,2}"
  const all = find({ collection, filter: '{"q": {"$ne": "it\'s"}}', sort: '-n', fields: '' })
  const id = "it's 1/2"
  await curl({ kind: 'insert', collection, document: awkward })
  const exact = JSON.parse(awkward) as Record<string, unknown>
  t.match((await curl(all)).documents, [{ _id: id, q: exact.q, t: exact.t, e: null }])
  await curl({ kind: 'update', collection, id, set: `{"q": "it's"}` })
  t.same((await curl(all)).documents, [])
  t.match((await curl({ ...all, filter: '' })).documents, [{ q: "it's", n: { $numberInt: '1' } }])
  await curl({ kind: 'replace', collection, id, document: '{"n": 2}' })
  t.same((await curl({ ...all, filter: '' })).documents, [{ _id: id, n: { $numberInt: '2' } }])
  await curl({ kind: 'delete', collection, id })
  t.same((await curl({ ...all, filter: '' })).documents, [])
})

t.test('changes by SQL are those of the document routes', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const values = [...stored, '0.1', '{"b":1,"a":[1.5,"x",null,{}]}']
  let compared = 0
  for (const [at, value] of values.entries()) {
    const document = `{"_id":${at},"v":${value},"w":1}`
    const insert = shown('SQL', { kind: 'insert', collection: 's', document })
    const update = shown('SQL', { kind: 'update', collection: 's', id: at, set: `{"w":${value}}` })
    if (insert === undefined || update === undefined) continue
    compared++
    await sql(gateway, insert)
    await sql(gateway, update)
    await ask(gateway, 'POST', '/collections/d/insertOne', `{"document":${document}}`)
    await ask(gateway, 'PATCH', `/collections/d/docs/${at}?id=ejson`, `{"$set":{"w":${value}}}`)
  }
  const [ours, theirs] = await Promise.all(
    ['s', 'd'].map((collection) => list(gateway, find({ collection }))),
  )
  t.same(JSON.stringify(ours), JSON.stringify(theirs))
  t.equal(ours?.length, compared)
  t.ok(compared > 15, `${compared} values have a form`)
  await sql(gateway, shown('SQL', { kind: 'delete', collection: 's', id: 0 }) ?? '')
  t.equal((await list(gateway, find({ collection: 's' }))).length, compared - 1)
})

t.test('columns, orders and limits in SQL', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const documents = stored
    .slice(0, 18)
    .map((value, at) => `{"_id":${at},"x":${value},"y":${at % 3}}`)
  await ask(gateway, 'POST', '/collections/c/insertMany', `{"documents":[${documents}]}`)
  for (const sort of ['x', '-x', 'y,-x', '-_id', '-y', '-y,_id']) {
    for (const fields of ['', 'y', 'x,_id']) {
      const query = find({ sort, fields, limit: 7 })
      const rows = await sql(gateway, shown('SQL', query) ?? '')
      t.match(rows, await list(gateway, query), `${sort} ${fields}`)
      t.equal(rows.length, 7)
    }
  }
})

t.test('mongosh', { skip: await toolMissing('mongosh') }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const collection = `it's "c"`
  const queries: DocumentQuery[] = [
    { kind: 'insert', collection, document: awkward },
    { kind: 'insert', collection, document: '{"_id":{"$oid":"65f0c0ffee0123456789abcd"},"n":3}' },
    { kind: 'insert', collection, document: '{"_id":7,"__proto__":{"a":1}}' },
    { kind: 'update', collection, id: "it's 1/2", set: '{"big":{"$numberLong":"3"}}' },
    { kind: 'replace', collection, id: { $numberLong: '9' }, document: '{"n":1e-7}' },
    { kind: 'delete', collection, id: 7 },
  ]
  const texts = queries.map((query) => shown('mongosh', query))
  const read = find({
    collection,
    filter: '{"n":{"$gt":0}}',
    sort: '-n',
    fields: 'n,big',
    limit: 2,
  })
  const reading = `print(EJSON.stringify(${shown('mongosh', read)}.toArray(), {relaxed: false}))`
  const args = [await mongoshScript(), '--quiet', '--norc', gateway.uri, '--eval']
  const { stdout } = await run(process.execPath, [...args, [...texts, reading].join('\n')])
  t.same(JSON.parse(stdout), await list(gateway, read))
  const ids = (await list(gateway, find({ collection }))) as { _id: unknown; t?: unknown }[]
  t.same(
    ids.map(({ _id }) => _id),
    [{ $numberLong: '9' }, "it's 1/2", { $oid: '65f0c0ffee0123456789abcd' }],
  )
  t.same(ids[1]?.t, { $date: { $numberLong: '5' } })
})

t.test('keys by redis-cli', async (t) => {
  const hasCli = await run('redis-cli', ['--version']).then(
    () => true,
    () => false,
  )
  if (!hasCli) return t.comment('no redis-cli')
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const collection = 'kv3'
  const cli = async (query: DocumentQuery) =>
    (await shell(gateway, shown('redis-cli', query) ?? 'false')).trimEnd()
  const document = `{"_id":"it's","type":"string","value":"$HOME \\"x\\""}`
  await cli({ kind: 'insert', collection, document })
  await cli({ kind: 'insert', collection, document: document.replace('HOME', 'USER') })
  const filter = `{"_id":"it's","type":"string"}`
  t.equal(await cli(find({ collection, filter })), '$HOME "x"')
  t.match(await list(gateway, find({ collection })), [{ _id: "it's", type: 'string' }])
  await cli({ kind: 'replace', collection, id: "it's", document: '{"type":"string","value":"v"}' })
  t.match(await list(gateway, find({ collection })), [{ value: 'v' }])
  await cli({ kind: 'delete', collection, id: "it's" })
  t.same(await list(gateway, find({ collection })), [])
})

t.test('what SQL does in another way is said', async (t) => {
  const note = (given: Partial<Find>) => {
    const result = showAs('SQL', find(given), place)
    return 'text' in result ? result.note : undefined
  }
  t.match(note({ filter: '{"a": {"$lt": 5}}' }), /NaN/)
  t.match(note({ filter: '{"$or": [{"a": {"$lte": {"$numberLong": "5"}}}]}' }), /NaN/)
  t.match(note({ sort: '-a' }), /arrays/)
  t.equal(note({ sort: '-_id', filter: '{"a": {"$gt": 5}, "b": {"$lt": "x"}}' }), undefined)
})

t.test('what has no form says why in one line', async (t) => {
  const cases: [Language, DocumentQuery, RegExp][] = [
    ['SQL', find({ filter: '{"a.b": 1}' }), /looks into arrays/],
    ['SQL', find({ filter: '{"a": null}' }), /null from a missing/],
    ['SQL', find({ filter: '{"a": {"$regex": "x"}}' }), /\$regex/],
    ['SQL', { kind: 'delete', collection: 'c', id: { $oid: 'a'.repeat(24) } }, /ObjectId/],
    ['redis-cli', find({}), /kv0/],
    ['redis-cli', find({ collection: 'kv0' }), /one key/],
    ['mongosh', find({ filter: '{"a": 1.0}' }), /numbers like 1.0/],
    ['Node', find({ filter: '{' }), /no JSON/],
  ]
  for (const [language, query, reason] of cases) {
    const result = showAs(language, query, place)
    t.match('reason' in result ? result.reason : result.text, reason)
    t.notMatch('reason' in result && result.reason, /\n/)
  }
  for (const language of languages) {
    for (const statement of [
      { kind: 'sql', text: "SELECT 'x'" },
      { kind: 'command', words: ['SET', 'k', "it's"] },
    ] as const) {
      const result = showAs(language, statement, place)
      t.match('reason' in result ? result.reason : result.text, /SELECT|SET|no|nor/)
    }
  }
})
