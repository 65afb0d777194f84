// Permissions and key patterns of a service user on the key-value protocol: which keys a command
// may name, by reading and by writing, in pipelines, transactions, blocking commands and SORT; and
// that the document commands do not lead around them.

import t from 'tap'
import type { KeyPattern, KeyValueRights, UserIdentity } from '../../../src/identity/identity.js'
import { WalletRevocation } from '../../../src/identity/rights/revocation-check.js'
import { putUser, readUserIdentity } from '../../../src/identity/users/users.js'
import type { Store } from '../../../src/store/store.js'
import { CommandRoom } from '../../support/command-room.js'
import { revocation } from '../../support/identities.js'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../support/key-value-room.js'

const withUsers = new WalletRevocation({
  *readKeyState() {
    throw new Error('no keys here')
  },
  *readSession() {
    return undefined
  },
  keyOnChain: () => 'unknown',
  whitelist: { enforces: false, isAdministrator: () => false },
  readUser: readUserIdentity,
})

function pattern(glob: string, rights: string): KeyPattern {
  return { glob: Buffer.from(glob), read: rights.includes('r'), write: rights.includes('w') }
}

async function userWith(store: Store, keyValue: KeyValueRights): Promise<UserIdentity> {
  const id = new Uint8Array(16).fill(3)
  const identity: UserIdentity = {
    kind: 'user',
    database: 'main',
    name: 'cache',
    id: Buffer.from(id).toString('hex'),
    roles: ['readWrite'],
    keyValue,
  }
  const key = new Uint8Array(32)
  const verifier = { salt: key, iterations: 15_000, storedKey: key, serverKey: key }
  await store.write(function* (tx) {
    putUser(tx, { identity, id, verifier, customData: undefined })
  })
  const stored = await store.read((tx) => readUserIdentity(tx, identity))
  t.same(stored, identity, 'the record keeps all of it')
  return identity
}

const noKey = {
  error: 'NOPERM this user has no permissions to access one of the keys used as arguments',
}

async function fill(room: KeyValueRoom): Promise<void> {
  for (const key of ['cache:1', 'read:1', 'drop:1', 'other']) await room.run('SET', key, '1')
  await room.run('RPUSH', 'cache:list', 'a', 'b')
  await room.run('RPUSH', 'other:list', 'a', 'b')
}

eachKeyValueRoom(
  t,
  'each key that a command names must match a pattern',
  async (t, room) => {
    await fill(room)
    const user = await userWith(room.store, {
      permissions: ['read', 'write', 'admin'],
      patterns: [pattern('cache:*', 'rw'), pattern('read:*', 'r'), pattern('drop:*', 'w')],
    })
    const client = room.client(user)
    const refuses = async (...words: readonly Word[]) => {
      t.same(await client.run(...words), noKey, words.join(' '))
    }
    const answers = async (expected: unknown, ...words: readonly Word[]) => {
      t.same(await client.run(...words), expected, words.join(' '))
    }
    await answers('1', 'GET', 'cache:1')
    await answers('1', 'GET', 'read:1')
    await answers('OK', 'SET', 'drop:1', '2')
    await answers(1, 'DEL', 'drop:1')
    await refuses('GET', 'drop:1')
    await refuses('SET', 'read:1', '2')
    await refuses('GET', 'other')
    await refuses('MGET', 'cache:1', 'other')
    await refuses('MSET', 'cache:1', '1', 'other', '1')
    await refuses('RENAME', 'cache:1', 'other')
    await refuses('GETDEL', 'drop:1')
    await refuses('INCR', 'drop:1')
    await refuses('SET', 'drop:1', '5', 'GET')
    await refuses('LMOVE', 'cache:list', 'other:list', 'LEFT', 'RIGHT')
    await refuses('BLPOP', 'other:list', '0')
    await refuses('OBJECT', 'ENCODING', 'other')
    await refuses('ZUNION', '2', 'cache:1', 'other')
    await refuses('SORT', 'cache:list', 'BY', 'w_*')
    await refuses('SORT', 'cache:list', 'GET', 'other')
    await answers(['a', 'b'], 'SORT', 'cache:list', 'ALPHA')
    await answers('OK', 'MULTI')
    await answers('QUEUED', 'SET', 'cache:2', '2')
    await answers('QUEUED', 'GET', 'other')
    await answers(['OK', noKey], 'EXEC')
    await answers('OK', 'FLUSHDB')
    client.close()
  },
  { kinds: ['memory'], rights: { revocation: withUsers } },
)

eachKeyValueRoom(
  t,
  'permissions take the place of the roles',
  async (t, room) => {
    await fill(room)
    const user = await userWith(room.store, { permissions: ['read'], patterns: undefined })
    const client = room.client(user)
    t.equal(await client.run('GET', 'other'), '1')
    t.same(await client.run('SET', 'other', '2'), noKey)
    t.same(await client.run('FLUSHDB'), noKey)
    await userWith(room.store, { permissions: [], patterns: undefined })
    t.same(await client.run('GET', 'other'), noKey, 'at the next use')
    client.close()
  },
  { kinds: ['memory'], rights: { revocation: withUsers } },
)

eachKeyValueRoom(
  t,
  'a user with patterns does not reach keys as documents',
  async (t, room) => {
    await fill(room)
    const all = { permissions: ['read', 'write', 'admin'] } as const
    const user = await userWith(room.store, { ...all, patterns: [pattern('*', 'rw')] })
    const commands = new CommandRoom(room.store, room.clock, {
      services: { revocation: withUsers },
    })
    const session = commands.sessionOf(user)
    for (const command of [
      { find: 'kv0' },
      { insert: 'kv0', documents: [{ _id: 'x' }] },
      { aggregate: 'c', pipeline: [{ $unionWith: 'kv0' }], cursor: {} },
      { sqlSelect: 'SELECT * FROM kv0' },
      { drop: 'kv0' },
    ]) {
      t.equal((await commands.refusal(command, 'main', session)).code, 13, JSON.stringify(command))
    }
    await userWith(room.store, { ...all, patterns: undefined })
    t.ok((await commands.run({ find: 'kv0' }, 'main', session)).cursor.firstBatch.length > 0)
  },
  { kinds: ['memory'], rights: { revocation: withUsers } },
)

t.test('without service users no service user is valid', async (t) => {
  await eachKeyValueRoom(
    t,
    'USERS=off',
    async (t, room) => {
      const user = await userWith(room.store, { permissions: ['read'], patterns: undefined })
      const client = room.client(user)
      t.match(await client.run('GET', 'other'), { error: /./ })
      client.close()
    },
    { kinds: ['memory'], rights: { revocation } },
  )
})
