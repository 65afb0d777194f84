// The matrix of service users: each role, each family of commands, each protocol that they speak,
// and each kind of target, over decisions that are written here from docs/users.md. What is open
// on the operator's collections of the user's database is closed everywhere else.

import { MongoClient, MongoServerError } from 'mongodb'
import t, { type Test } from 'tap'
import { documentRows } from '../../src/commands/rows.js'
import { wallets } from '../support/identities.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { SqlSession } from '../support/service-users.js'
import { isOnPostgres } from '../support/store-kinds.js'

type Plain = Readonly<Record<string, unknown>>
const roles = ['read', 'readWrite', 'dbAdmin', 'none'] as const
type Role = (typeof roles)[number]

/** `r`ead, read`W`rite, db`A`dmin: who may. */
const letters: Readonly<Record<Role, string>> = {
  read: 'r',
  readWrite: 'W',
  dbAdmin: 'A',
  none: '-',
}
const password = 'a password of length'

/** By name of the row, or `row, variant`: who may on an unowned collection, and the command. */
const onWire: readonly (readonly [name: string, who: string, command: (c: string) => Plain])[] = [
  ['find', 'rW', (c) => ({ find: c })],
  ['count', 'rW', (c) => ({ count: c })],
  ['distinct', 'rW', (c) => ({ distinct: c, key: 'a' })],
  ['aggregate', 'rW', (c) => ({ aggregate: c, pipeline: [], cursor: {} })],
  [
    'aggregate, $lookup',
    'rW',
    (c) => ({
      aggregate: 'seen',
      pipeline: [{ $lookup: { from: c, localField: 'a', foreignField: 'a', as: 'b' } }],
      cursor: {},
    }),
  ],
  ['explain', 'rW', (c) => ({ explain: { find: c } })],
  ['collStats', 'rWA', (c) => ({ collStats: c })],
  ['listIndexes', 'rWA', (c) => ({ listIndexes: c })],
  ['validate', 'rWA', (c) => ({ validate: c })],
  ['dataSize', 'rWA', (c) => ({ dataSize: `main.${c}` })],
  ['insert', 'W', (c) => ({ insert: c, documents: [{ a: 1 }] })],
  ['update', 'W', (c) => ({ update: c, updates: [{ q: {}, u: { $set: { a: 2 } } }] })],
  ['delete', 'W', (c) => ({ delete: c, deletes: [{ q: { _id: 9 }, limit: 1 }] })],
  ['findAndModify', 'W', (c) => ({ findAndModify: c, query: {}, update: { $set: { a: 3 } } })],
  [
    'insert, past the validator',
    '',
    (c) => ({ insert: c, documents: [{ a: 1 }], bypassDocumentValidation: true }),
  ],
  ['createIndexes', 'WA', (c) => ({ createIndexes: c, indexes: [{ key: { a: 1 }, name: 'a' }] })],
  [
    'createIndexes, unique',
    'WA',
    (c) => ({
      createIndexes: c,
      indexes: [{ key: { u: 1 }, name: 'u', unique: true, sparse: true }],
    }),
  ],
  [
    'createIndexes, TTL',
    'WA',
    (c) => ({ createIndexes: c, indexes: [{ key: { t: 1 }, name: 't', expireAfterSeconds: 60 }] }),
  ],
  ['dropIndexes', 'WA', (c) => ({ dropIndexes: c, index: '*' })],
  ['collMod', 'A', (c) => ({ collMod: c, validationLevel: 'moderate' })],
  ['planCacheClear', 'A', (c) => ({ planCacheClear: c })],
  ['compact', 'A', (c) => ({ compact: c })],
  ['renameCollection', 'WA', (c) => ({ renameCollection: `main.${c}`, to: 'main.renamed' })],
  ['convertToCapped', 'WA', (c) => ({ convertToCapped: c, size: 4096 })],
  ['drop', 'WA', (c) => ({ drop: c })],
  ['setPrivacy', '', (c) => ({ setPrivacy: c, mode: 'shared' })],
  ['setRole', '', (c) => ({ setRole: c, address: wallets.reader, action: 'grant', role: 1 })],
  ['getRoles', '', (c) => ({ getRoles: c })],
  ['sqlSelect', 'rW', (c) => ({ sqlSelect: `SELECT * FROM "${c}"` })],
  ['sqlChange', 'W', (c) => ({ sqlChange: `INSERT INTO "${c}" (a) VALUES (1)` })],
  ['sqlDefine', 'WA', (c) => ({ sqlDefine: `CREATE INDEX s ON "${c}" (a)` })],
]

/** In SQL on its own port: who may. */
const onSql: readonly (readonly [statement: string, who: string])[] = [
  ['SELECT * FROM "$"', 'rW'],
  ['INSERT INTO "$" (a) VALUES (5)', 'W'],
  ['UPDATE "$" SET a = 7 WHERE a = 5', 'W'],
  ['DELETE FROM "$" WHERE a = 7', 'W'],
  ['CREATE INDEX by_a ON "$" (a)', 'WA'],
  ['TRUNCATE "$"', 'WA'],
  ['DROP TABLE "$"', 'WA'],
]

const onKeys: readonly (readonly [words: readonly string[], who: string])[] = [
  [['GET', 'k'], 'rW'],
  [['SCAN', '0'], 'rW'],
  [['HGETALL', 'h'], 'rW'],
  [['SET', 'k', '1'], 'W'],
  [['INCR', 'k'], 'W'],
  [['HSET', 'h', 'f', '1'], 'W'],
  [['LPUSH', 'l', '1'], 'W'],
  [['ZADD', 'z', '1', 'm'], 'W'],
  [['SUBSCRIBE', 'c'], 'rW'],
  [['PUBLISH', 'c', 'm'], 'W'],
  [['FLUSHDB'], 'WA'],
  [['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'], ''],
  [['MONITOR'], ''],
]

interface Room extends LiveGateway {
  readonly operator: MongoClient
  readonly users: ReadonlyMap<Role, MongoClient>
}

async function openRoom(t: Test): Promise<Room> {
  const gateway = await startGateway(t)
  const operator = await MongoClient.connect(gateway.uri)
  t.teardown(() => operator.close())
  const users = new Map<Role, MongoClient>()
  for (const role of roles) {
    const given = role === 'none' ? [] : [role]
    await operator.db('main').command({ createUser: role, pwd: password, roles: given })
    const pwd = encodeURIComponent(password)
    const uri = `mongodb://${role}:${pwd}@127.0.0.1:${gateway.ports.wire}/main`
    const client = await MongoClient.connect(uri)
    t.teardown(() => client.close())
    users.set(role, client)
  }
  await operator.db('main').collection('seen').insertOne({ a: 1 })
  return { ...gateway, operator, users }
}

/** The number of the refusal; 0 where there is none. */
async function codeOf(client: MongoClient, db: string, command: Plain): Promise<number> {
  const isAdmins = 'renameCollection' in command
  try {
    await client.db(isAdmins ? 'admin' : db).command({ ...command })
    return 0
  } catch (error) {
    if (error instanceof MongoServerError) return Number(error.code)
    throw error
  }
}

async function fresh({ operator }: Room, name: string): Promise<void> {
  const db = operator.db('main')
  await db.collection(name).drop()
  await db.collection('renamed').drop()
  await db.collection<{ _id: number }>(name).insertOne({ _id: 1 })
}

t.test('on an unowned collection each role does what its row says', async (t) => {
  const room = await openRoom(t)
  for (const [name, who, command] of onWire) {
    for (const [role, client] of room.users) {
      await fresh(room, 'c')
      const code = await codeOf(client, 'main', command('c'))
      // What every store that gateways share refuses (refused-copies.test.ts).
      const allowed = isOnPostgres && name === 'convertToCapped' ? 115 : 0
      t.equal(code, who.includes(letters[role]) ? allowed : 13, `${role}: ${name}`)
    }
  }
  for (const [role, client] of room.users) {
    for (const [command, who] of [
      [{ create: 'made' }, 'WA'],
      [{ create: 'ruled', validator: { a: 1 } }, 'WA'],
      [{ insert: 'new', documents: [{}] }, 'W'],
      [{ createUser: 'x', pwd: password, roles: [] }, ''],
      [{ updateUser: role, pwd: password }, ''],
      [{ dropUser: 'read' }, ''],
      [{ dropAllUsersFromDatabase: 1 }, ''],
      [{ grantRolesToUser: role, roles: ['dbAdmin'] }, ''],
      [{ revokeRolesFromUser: role, roles: ['read'] }, ''],
      [{ rolesInfo: 1 }, ''],
      [{ dropDatabase: 1 }, 'A'],
    ] as const) {
      await fresh(room, 'c')
      for (const name of ['made', 'ruled', 'new'])
        await room.operator.db('main').collection(name).drop()
      const code = await codeOf(client, 'main', command)
      t.equal(code, who.includes(letters[role]) ? 0 : 13, `${role}: ${JSON.stringify(command)}`)
    }
  }
})

const home = `w_${wallets.owner.toLowerCase()}`

t.test('nothing is open to any role elsewhere', async (t) => {
  const room = await openRoom(t)
  const main = room.operator.db('main')
  for (const mode of ['private', 'public', 'shared']) {
    await main.command({ insert: mode, documents: [{ _id: 1 }] })
    await main.command({ setPrivacy: mode, mode, ownerAddress: wallets.owner })
  }
  await room.operator.db('other').command({ insert: 'c', documents: [{ _id: 1 }] })
  await room.operator.db(home).command({ insert: 'c', documents: [{ _id: 1 }] })
  const targets = [
    ...[
      ['main', 'private'],
      ['main', 'public'],
      ['main', 'shared'],
      ['main', '_audit'],
    ],
    ...[
      ['main', 'memory.default.nodes'],
      ['main', 'memory.made.nodes'],
      ['other', 'c'],
    ],
    ...[
      ['other', 'missing'],
      [home, 'c'],
      [home, 'missing'],
    ],
  ] as const
  for (const [db = '', collection = ''] of targets) {
    for (const [name, , command] of onWire) {
      const asked = command(collection)
      const renamed = { renameCollection: `${db}.${collection}`, to: `${db}.renamed` }
      const sized = { dataSize: `${db}.${collection}` }
      const given = name === 'renameCollection' ? renamed : name === 'dataSize' ? sized : asked
      for (const [role, client] of room.users) {
        const code = await codeOf(client, db, given)
        t.equal(code, 13, `${role}: ${name} on ${db}.${collection}`)
      }
    }
  }
  for (const [role, client] of room.users) {
    const listed = await client.db('main').listCollections({}, { nameOnly: true }).toArray()
    const names = listed.map(({ name }) => name)
    t.notOk(
      names.some((name) => /^(?:private|public|shared|_audit|memory\.)/.test(name)),
      role,
    )
    const { databases } = await client.db('admin').admin().listDatabases()
    t.same(
      databases.map(({ name }) => name),
      role === 'none' ? [] : ['main'],
      role,
    )
    const memory = { rememberMemories: 'made', memories: [{ content: 'x' }] }
    t.equal(await codeOf(client, 'main', memory), 13, `${role}: a graph`)
    const out = { aggregate: 'seen', pipeline: [{ $out: 'private' }], cursor: {} }
    t.equal(await codeOf(client, 'main', out), 13, `${role}: $out`)
    const moved = { renameCollection: 'main.seen', to: 'other.seen' }
    t.equal(await codeOf(client, 'admin', moved), 13, `${role}: into another database`)
  }
})

t.test('the SQL port and the key-value port decide alike', async (t) => {
  const room = await openRoom(t)
  for (const role of roles) {
    const sql = await SqlSession.open(room.ports.sql, { user: role, password, database: 'main' })
    for (const [statement, who] of onSql) {
      await fresh(room, 'c')
      const state = await sql.stateOf(statement.replace('$', 'c'))
      t.equal(state, who.includes(letters[role]) ? '00000' : '42501', `${role}: ${statement}`)
    }
    await room.operator.db('main').command({ insert: 'held', documents: [{ a: 1 }] })
    const held = { setPrivacy: 'held', mode: 'shared', ownerAddress: wallets.owner }
    await room.operator.db('main').command(held)
    for (const [statement] of onSql) {
      const state = await sql.stateOf(statement.replace('$', 'held'))
      t.equal(state, '42501', `${role}: ${statement} on a wallet's`)
    }
    await sql.close()
    for (const [words, who] of onKeys) {
      const keys = await RespClient.open(room.ports.redis)
      t.equal(await keys.call('AUTH', role, password), '+OK')
      const reply = await keys.call(...words)
      const isRefused = typeof reply === 'string' && reply.startsWith('-NOPERM')
      t.equal(!isRefused, who.includes(letters[role]), `${role}: ${words.join(' ')} ${reply}`)
      keys.socket.destroy()
    }
  }
})

t.test('every command of users is decided here', (t) => {
  const named = documentRows.filter(({ name }) => /User|^roles/.test(name)).map(({ name }) => name)
  t.same(named.filter((name) => name !== 'usersInfo').sort(), [
    ...['createUser', 'dropAllUsersFromDatabase', 'dropUser', 'grantRolesToUser'],
    ...['revokeRolesFromUser', 'rolesInfo', 'updateUser'],
  ])
  t.end()
})
