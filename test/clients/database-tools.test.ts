// mongodump, mongorestore, mongoexport, mongoimport, mongofiles, mongostat and mongotop, unmodified:
// a round trip of every type, option and index between two servers. `SIGIL_MONGO_TOOLS` names
// the folder of a version, and more separated by colons; otherwise those in PATH run.

import { execFile } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { deserialize, EJSON } from 'bson'
import { type Db, type Document, MongoClient, Timestamp } from 'mongodb'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

const run = promisify(execFile)
const names = ['mongodump', 'mongorestore', 'mongoexport', 'mongoimport', 'mongofiles']
const figures = ['mongostat', 'mongotop']

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Folders that have all of the tools, one a version. */
function versions(): string[] {
  const given = process.env.SIGIL_MONGO_TOOLS?.split(delimiter)
  const folders = given ?? (process.env.PATH ?? '').split(delimiter)
  const whole = folders.filter((folder) =>
    [...names, ...figures].every((name) => isThere(join(folder, name))),
  )
  return given === undefined ? whole.slice(0, 1) : whole
}

const found = versions()
const wanted = process.env.SIGIL_MONGO_TOOLS !== undefined
const skip = found.length === 0 && !wanted && 'the database tools are not installed'

/** One value of each type, in canonical Extended JSON. */
const everyType = EJSON.parse(
  JSON.stringify({
    _id: { $oid: '0123456789abcdef01234567' },
    double: { $numberDouble: '1.5' },
    minusZero: { $numberDouble: '-0.0' },
    nan: { $numberDouble: 'NaN' },
    string: 'käse\u0000z',
    object: { b: { $numberInt: '1' }, a: {} },
    array: [[], { $numberInt: '2' }],
    binary: { $binary: { base64: 'AQID', subType: '80' } },
    uuid: { $binary: { base64: 'AAAAAAAAQACAAAAAAAAAAQ==', subType: '04' } },
    undefined: { $undefined: true },
    bool: true,
    date: { $date: { $numberLong: '-1' } },
    null: null,
    regex: { $regularExpression: { pattern: 'a.b', options: 'im' } },
    dbPointer: { $dbPointer: { $ref: 'b', $id: { $oid: '56e1fc72e0c917e9c4714161' } } },
    code: { $code: 'f()' },
    symbol: { $symbol: 's' },
    scoped: { $code: 'f()', $scope: { x: { $numberInt: '1' } } },
    int: { $numberInt: '7' },
    timestamp: { $timestamp: { t: 1, i: 2 } },
    long: { $numberLong: '9007199254740993' },
    decimal: { $numberDecimal: '1.10' },
    min: { $minKey: 1 },
    max: { $maxKey: 1 },
  }),
  { relaxed: false },
)

interface Row {
  readonly _id: unknown
  readonly [name: string]: unknown
}

/** Versions before 100.11 let the server replace an empty timestamp by its time. */
function keepsEmptyTimestamps(folder: string): boolean {
  return readFileSync(join(folder, 'mongorestore')).includes('bypassEmptyTsReplacement')
}

async function fill(db: Db, hasEmptyTimestamp = false): Promise<void> {
  const many = Array.from({ length: 3_000 }, (_, i) => ({ _id: i, n: i % 10, s: `text ${i}` }))
  await db.collection<Row>('types').insertOne(everyType)
  if (hasEmptyTimestamp) {
    const empty = { _id: 'e', at: new Timestamp({ t: 0, i: 0 }) }
    await db.command({ insert: 'types', documents: [empty], bypassEmptyTsReplacement: true })
  }
  await db.createCollection('plain', { collation: { locale: 'de', strength: 2 } })
  await db.collection<Row>('plain').insertMany(many)
  await db.collection<Row>('_User').insertMany([{ _id: 'a' }])
  await db.createCollection('capped', { capped: true, size: 100_000, max: 20 })
  await db.collection<Row>('capped').insertMany(many.slice(0, 30).reverse())
  await db.createCollection('ruled', {
    validator: { $jsonSchema: { required: ['n'] } },
    validationLevel: 'moderate',
    validationAction: 'warn',
  })
  await db.collection<Row>('ruled').insertMany(many.slice(0, 5))
  await db.createCollection('ordered', { clusteredIndex: { key: { _id: 1 }, unique: true } })
  await db.createCollection('view', { viewOn: 'plain', pipeline: [{ $match: { n: 3 } }] })
  await db.createCollection('series', {
    timeseries: { timeField: 'at', metaField: 'm', granularity: 'minutes' },
    expireAfterSeconds: 2_000_000_000,
  })
  await db.createCollection('bare', { timeseries: { timeField: 'at' } })
  const measured = many.map(({ _id, n }) => {
    return { at: new Date(1_700_000_000_000 + _id * 60_000), m: { n }, v: _id, o: { x: [n] } }
  })
  await db.collection('series').insertMany(measured)
  await db.collection('bare').insertMany(measured.slice(0, 100).map(({ at, v }) => ({ at, v })))
  await db.collection('plain').createIndexes([
    { key: { n: 1, s: -1 }, name: 'compound' },
    { key: { s: 1 }, name: 'unique', unique: true },
    { key: { n: 1 }, name: 'partial', partialFilterExpression: { n: { $gt: 5 } } },
    { key: { 'a.b': 1 }, name: 'sparse', sparse: true, hidden: true },
    { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 3_600 },
    { key: { s: 'hashed' }, name: 'hashed' },
    { key: { '$**': 1 }, name: 'wild', wildcardProjection: { s: 0 } },
    { key: { s: 1 }, name: 'fr', collation: { locale: 'fr', strength: 1 } },
  ])
  await db.collection('series').createIndexes([{ key: { 'm.n': 1 }, name: 'meta' }])
}

/** All that a database holds, as it can be compared. */
async function contents(db: Db): Promise<Document> {
  const all: Document = {}
  for (const { name, type, options } of await db
    .listCollections({}, { nameOnly: false })
    .toArray()) {
    if (name.startsWith('system.')) continue
    const isView = type === 'view'
    const indexes = isView ? [] : await db.collection(name).listIndexes().toArray()
    const documents = await db.collection(name).find({}, { raw: true }).toArray()
    const texts = documents.map((bytes) => textOf(bytes as unknown as Uint8Array))
    const rows = name === 'capped' ? texts : texts.toSorted()
    all[name] = { type, options, rows, indexes: indexes.map((one) => JSON.stringify(one)).sort() }
  }
  return all
}

/** To be read, and its bytes: JSON does not tell all types. */
function textOf(bytes: Uint8Array): string {
  const text = EJSON.stringify(deserialize(bytes, { promoteValues: false }), { relaxed: false })
  // Go reads NaN as another one of the many.
  const hex = Buffer.from(bytes).toString('hex').replace('010000000000f87f', '000000000000f87f')
  return `${text} ${hex}`
}

async function open(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', RATE_LIMITS: 'off', ...settings })
  const uri = `mongodb://127.0.0.1:${gateway.ports.wire}`
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  return { uri, db: client.db('main') }
}

t.test('tools that are asked for are there', { skip: wanted ? false : 'none are' }, async (t) => {
  t.ok(found.length > 0, `SIGIL_MONGO_TOOLS=${process.env.SIGIL_MONGO_TOOLS}`)
})

for (const folder of found) {
  const tool = (name: string, ...words: readonly string[]) => run(join(folder, name), words)
  const hasEmptyTimestamp = keepsEmptyTimestamps(folder)

  t.test(`${folder}: every type, option and index is dumped and restored`, async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'sigil-tools-'))
    t.teardown(() => rmSync(home, { recursive: true }))
    const source = await open(t)
    await fill(source.db, hasEmptyTimestamp)
    const expected = await contents(source.db)
    await tool('mongodump', '--uri', source.uri, '--db', 'main', '--out', home)
    const byFolder = await open(t)
    await tool('mongorestore', '--uri', byFolder.uri, home)
    t.same(await contents(byFolder.db), expected)
    const archive = join(home, 'archive')
    await tool('mongodump', '--uri', source.uri, '--db', 'main', `--archive=${archive}`, '--gzip')
    const byArchive = await open(t)
    for (let times = 0; times < 2; times++) {
      await tool('mongorestore', '--uri', byArchive.uri, `--archive=${archive}`, '--gzip', '--drop')
      t.same(await contents(byArchive.db), expected, `archive, ${times + 1}`)
    }
  })

  t.test(`${folder}: documents are exported and imported`, async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'sigil-tools-'))
    t.teardown(() => rmSync(home, { recursive: true }))
    const { uri, db } = await open(t)
    await fill(db, hasEmptyTimestamp)
    const before = await contents(db)
    for (const [from, to] of [
      ['types', 'types2'],
      ['plain', 'plain2'],
      ['view', 'view2'],
    ] as const) {
      const file = join(home, `${from}.json`)
      const place = ['--uri', `${uri}/main`, '--collection']
      await tool('mongoexport', ...place, from, '--jsonFormat', 'canonical', '--out', file)
      await tool('mongoimport', ...place, to, '--file', file)
      const rows: readonly string[] = (await contents(db))[to].rows
      t.same(rows, before[from].rows, from)
    }
    const stored = join(home, 'stored')
    writeFileSync(stored, 'x'.repeat(700_000))
    await tool('mongofiles', '--uri', `${uri}/main`, 'put', stored)
    const got = join(home, 'got')
    await tool('mongofiles', '--uri', `${uri}/main`, '--local', got, 'get', stored)
    const { stdout } = await run('cmp', [stored, got])
    t.equal(stdout, '')
  })

  t.test(`${folder}: figures are shown`, async (t) => {
    const { uri, db } = await open(t)
    await fill(db)
    const { stdout } = await tool('mongostat', '--uri', uri, '--rowcount', '1', '--json')
    const [line] = Object.values(JSON.parse(stdout) as Record<string, Record<string, string>>)
    t.notSame(line?.net_in, '0b')
    t.notSame(line?.vsize, '0B')
    // mongotop refuses every router.
    const refused = await tool('mongotop', '--uri', uri, '--rowcount', '1').catch(String)
    t.match(refused, /cannot run mongotop against a mongos/)
    for (const TOPOLOGY of ['standalone', 'replica-set:rs0']) {
      const other = await open(t, { TOPOLOGY })
      await fill(other.db)
      const top = await tool('mongotop', '--uri', other.uri, '--rowcount', '1', '--json')
      t.ok('main.plain' in JSON.parse(top.stdout).totals, TOPOLOGY)
    }
  })
}

t.test('the database tools', { skip }, async (t) => t.ok(found.length > 0))
