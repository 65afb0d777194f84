// Use, not open: what was a right when something was opened is looked at again when it is used.
// Each test takes a right away and shows that the next use is refused.

import { Long } from 'bson'
import t from 'tap'
import { Slice } from '../../../src/base/bytes/slice.js'
import { systemClock } from '../../../src/base/clock.js'
import { GatewayError } from '../../../src/base/errors.js'
import { Subscriber } from '../../../src/bus/keyvalue/clients/channels.js'
import type { Identity, KeyIdentity, WalletIdentity } from '../../../src/identity/identity.js'
import {
  putWalletKey,
  readKeyState,
  readWalletKey,
} from '../../../src/identity/keys/wallet-keys.js'
import { strictRules } from '../../../src/identity/rights/allow.js'
import { noWallets, WalletRevocation } from '../../../src/identity/rights/revocation-check.js'
import { addToWhitelist, removeFromWhitelist } from '../../../src/identity/rights/whitelist.js'
import { endSession, readSession } from '../../../src/identity/sign-in/sessions.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store } from '../../../src/store/store.js'
import { CommandRoom } from '../../support/command-room.js'
import {
  accesses,
  admit,
  admitOne,
  identities,
  keyOf,
  revocation,
  sessionOf,
  setAccess,
  wallets,
} from '../../support/identities.js'
import { eachKeyValueRoom } from '../../support/key-value-room.js'

const rights = { revocation, rules: strictRules }
const owner = keyOf(wallets.owner, 'read', 'write', 'admin')

/** The key is denied here from now on. */
async function revoke(store: Store, key: KeyIdentity): Promise<void> {
  await store.write(function* (tx) {
    const row = yield* readWalletKey(tx, key)
    if (row !== undefined) putWalletKey(tx, { ...row, revokedAt: 1 })
  })
}

async function openRoom(): Promise<CommandRoom> {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  return new CommandRoom(store, systemClock, { services: rights })
}

async function checked(
  given: WalletRevocation,
  store: Store,
  identity: WalletIdentity,
  now = systemClock.now(),
): Promise<Identity | string> {
  try {
    return await store.read((tx) => given.check(tx, identity, now))
  } catch (error) {
    if (error instanceof GatewayError) return `${error.httpStatus} ${error.extra.reason}`
    throw error
  }
}

t.test('a key stands while its row says so, with the permissions of the row', async (t) => {
  const store = openMemoryStore(systemClock)
  t.equal(await checked(revocation, store, owner), '401 KEY_REVOKED', 'a key that was not issued')
  await admitOne(store, owner, 1)
  t.equal(await checked(revocation, store, owner), owner, 'the very same object')
  const seen = { ...owner, permissions: ['read'] as const, rateLimit: 7 }
  t.same(await checked(revocation, store, seen), owner, 'as it is now, not as login saw it')
  await revoke(store, owner)
  t.equal(await checked(revocation, store, owner), '401 KEY_REVOKED')
})

t.test('a session stands until it is over, for its own wallet', async (t) => {
  const store = openMemoryStore(systemClock)
  const session = sessionOf(wallets.owner)
  t.equal(await checked(revocation, store, session), '401 SESSION_OVER')
  await admitOne(store, session, 1_000)
  t.equal(await checked(revocation, store, session, 2_000), session)
  const other = { ...session, address: wallets.otherWallet }
  t.equal(await checked(revocation, store, other, 2_000), '401 SESSION_OVER')
  const day = 24 * 3_600_000
  t.equal(await checked(revocation, store, session, 1_000 + day - 1), session)
  t.equal(await checked(revocation, store, session, 1_000 + day), '401 SESSION_OVER')
  await store.write((tx) => endSession(tx, session.sid))
  t.equal(await checked(revocation, store, session, 2_000), '401 SESSION_OVER')
})

t.test('the chain has a word on what is registered there, and its silence refuses', async (t) => {
  const store = openMemoryStore(systemClock)
  const whitelist = { enforces: false, isAdministrator: () => false }
  const words = { active: 'active', revoked: 'revoked', unknown: 'unknown' } as const
  const onChain = { ...owner, source: 'onchain', permissions: ['read', 'write'] } as const
  const saying = (word: keyof typeof words) =>
    new WalletRevocation({ readKeyState, readSession, whitelist, keyOnChain: () => word })
  t.same(await checked(saying('active'), store, onChain), onChain)
  t.equal(await checked(saying('revoked'), store, onChain), '401 KEY_REVOKED')
  t.equal(await checked(saying('unknown'), store, onChain), '503 CHAIN_UNAVAILABLE')
  await admitOne(store, owner, 1)
  t.equal(await checked(saying('unknown'), store, owner), owner, 'an issued key needs no chain')
})

t.test('under WHITELIST=enforce only the listed stand; administrators always do', async (t) => {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const isAdministrator = (address: string) => address === wallets.administrator
  const whitelist = { enforces: true, isAdministrator }
  const strict = new WalletRevocation({
    ...{ readKeyState, readSession, whitelist },
    keyOnChain: () => 'unknown',
  })
  const session = sessionOf(wallets.owner)
  t.equal(await checked(strict, store, session), '403 NOT_WHITELISTED', 'empty opens nothing')
  const { administrator } = identities
  t.equal(await checked(strict, store, administrator), administrator)
  await store.write((tx) => addToWhitelist(tx, wallets.owner))
  t.equal(await checked(strict, store, session), session)
  t.equal(await checked(strict, store, owner), owner)
  await store.write(function* (tx) {
    yield* addToWhitelist(tx, wallets.owner)
    removeFromWhitelist(tx, wallets.owner)
  })
  t.equal(await checked(strict, store, owner), '403 NOT_WHITELISTED')
})

t.test('without wallets no wallet is valid', async (t) => {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const room = new CommandRoom(store, systemClock)
  t.equal((await room.run({ ping: 1 }, 'test', room.sessionOf(owner))).ok, 1)
  t.equal((await room.refusal({ find: 'c' }, 'test', room.sessionOf(owner))).code, 13)
  t.throws(() => noWallets.check(undefined as never, owner, 0).next())
  await room.engine.close()
})

t.test('a cursor ends its reader’s rights with them: the key, the role, the mode', async (t) => {
  const room = await openRoom()
  const { store } = room
  await room.insert('c', ...Array.from({ length: 10 }, (_, _id) => ({ _id })))
  const takeAway: Readonly<Record<string, () => Promise<void>>> = {
    'the key is revoked': () => revoke(store, keyOf(wallets.reader, 'read')),
    'the role is taken': () => setAccess(store, 'test', 'c', { ...accesses.private, roles: {} }),
  }
  for (const [what, take] of Object.entries(takeAway)) {
    const reader = keyOf(wallets.reader, 'read')
    await admitOne(store, reader, 1)
    await setAccess(store, 'test', 'c', accesses.private)
    const session = room.sessionOf(reader)
    const { cursor } = await room.run({ find: 'c', batchSize: 2 }, 'test', session)
    const getMore = { getMore: Long.fromNumber(cursor.id), collection: 'c', batchSize: 2 }
    t.equal((await room.run(getMore, 'test', session)).cursor.nextBatch.length, 2)
    await take()
    t.equal((await room.refusal(getMore, 'test', session)).code, 13, what)
  }
  await room.engine.close()
})

t.test('a cursor of another identity answers as an unknown one', async (t) => {
  const room = await openRoom()
  await room.insert('c', { _id: 1 }, { _id: 2 })
  await setAccess(room.store, 'test', 'c', accesses.shared)
  const mine = room.sessionOf(identities.owner)
  const { cursor } = await room.run({ find: 'c', batchSize: 1 }, 'test', mine)
  const getMore = { getMore: Long.fromNumber(cursor.id), collection: 'c' }
  for (const who of ['otherWallet', 'owner, key for all', 'administrator', 'operator'] as const) {
    const error = await room.refusal(getMore, 'test', room.sessionOf(identities[who]))
    t.same([error.code, error.message], [43, `cursor id ${cursor.id} not found`], who)
  }
  t.equal((await room.run(getMore, 'test', mine)).cursor.nextBatch.length, 1)
  await room.engine.close()
})

t.test('permissions that are taken from a key count from its next command', async (t) => {
  const room = await openRoom()
  const session = room.sessionOf(owner)
  await room.run({ insert: 'c', documents: [{ _id: 1 }] }, 'test', session)
  const row = { label: '', createdAt: 1, revokedAt: 0, prefix: '' }
  const verifiers = { storedKey: new Uint8Array(32), serverKey: new Uint8Array(32) }
  await room.store.write(function* (tx) {
    putWalletKey(tx, { ...owner, ...row, ...verifiers, permissions: ['read'] })
  })
  t.equal((await room.run({ count: 'c' }, 'test', session)).n, 1)
  const write = { insert: 'c', documents: [{ _id: 2 }] }
  t.equal((await room.refusal(write, 'test', session)).code, 13)
  await revoke(room.store, owner)
  for (const command of [{ count: 'c' }, { listCommands: 1 }, { killAllSessions: [] }]) {
    const error = await room.refusal(command, 'test', session)
    t.same([error.code, error.httpStatus], [13, 401], JSON.stringify(command))
  }
  await room.engine.close()
})

await eachKeyValueRoom(
  t,
  'a revoked key gets no reply more, nor what it waits for',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const client = room.client(owner)
    t.equal(await client.line('get k'), null)
    const waiting = client.line('blpop list 0')
    await room.line('set other 1')
    await revoke(room.store, owner)
    await room.line('rpush list a')
    const denied = { error: 'NOAUTH the key is not valid' }
    t.same(await waiting, denied)
    t.same(await room.line('lrange list 0 -1'), ['a'], 'it took nothing')
    for (const line of ['get k', 'set k v', 'subscribe c', 'publish c m', 'client list', 'info']) {
      t.same(await client.line(line), denied, line)
    }
    t.equal(await client.line('multi').then(() => 'answered'), 'answered')
  },
  { rights },
)

await eachKeyValueRoom(
  t,
  'EXEC looks at the key again, for every command that was queued before',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const client = room.client(owner)
    for (const line of ['multi', 'set k v', 'get k', 'publish c m']) await client.line(line)
    await revoke(room.store, owner)
    t.same(await client.line('exec'), { error: 'NOAUTH the key is not valid' })
    t.equal(await room.line('get k'), null)
  },
  { rights },
)

await eachKeyValueRoom(
  t,
  'a wallet hears what is published while it stands and may read the channels',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const reader = keyOf(wallets.reader, 'read')
    await admitOne(room.store, reader, 1)
    const wallet = room.client(reader)
    const operator = room.client()
    await wallet.line('subscribe c')
    await operator.line('subscribe c')
    const heard = ({ pushed }: typeof wallet, message: string) =>
      pushed.filter((each) => (each as unknown[])[2] === message).length
    const publish = async (message: string) => {
      await room.line(`publish c ${message}`)
      // A store that answers later tells later, and all who listen at once.
      while (heard(operator, message) === 0) await room.line('dbsize')
      return heard(wallet, message)
    }
    t.equal(await publish('one'), 1)
    await setAccess(room.store, 'main', 'pubsub', accesses.unowned)
    t.equal(await publish('two'), 0, 'the channels were made private')
    await setAccess(room.store, 'main', 'pubsub', accesses.private)
    t.equal(await publish('three'), 1, 'it has role 1')
    await revoke(room.store, reader)
    t.equal(await publish('four'), 0, 'the key was revoked')
    t.equal(operator.pushed.filter((each) => (each as unknown[])[0] === 'message').length, 4)
  },
  { rights },
)

await eachKeyValueRoom(
  t,
  'events of keys go to those who may read that database, and no client can forge one',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    await room.line('config set notify-keyspace-events KEA')
    await setAccess(room.store, 'main', 'kv0', accesses.private)
    const heard: Record<string, number> = {}
    for (const who of ['owner', 'role 1', 'otherWallet', 'operator'] as const) {
      heard[who] = 0
      const session = { identity: identities[who] }
      const subscriber = new Subscriber(session, room.bus.spaces.main, () => {
        heard[who] = (heard[who] ?? 0) + 1
      })
      room.bus.services.channels.subscribePattern(subscriber, Slice.ofText('__key*'))
    }
    await room.line('set k v')
    t.same(heard, { owner: 2, 'role 1': 2, otherWallet: 0, operator: 2 })
    const made = await room.client(identities.owner).run('publish', '__keyspace@0__:k', 'set')
    t.match(made, { error: /^NOPERM/ })
  },
  { kinds: ['memory'], rights },
)
