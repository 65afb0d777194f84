// The audit: an act and its entry are one, no command writes it, administrators read it,
// it holds no secret, and it does not grow for ever.

import t from 'tap'
import { Audit } from '../../src/identity/audit.js'
import { operator } from '../../src/identity/identity.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'
import { ManualClock } from '../support/engine-room.js'
import { admit, everybody, identities, keyOf, revocation, wallets } from '../support/identities.js'
import { eachKeyValueRoom } from '../support/key-value-room.js'

async function openRoom(entriesMax?: number) {
  const clock = new ManualClock()
  const store = openMemoryStore(clock)
  await admit(store, clock.now())
  const options = { store, database: 'test', clock }
  const audit = new Audit(entriesMax === undefined ? options : { ...options, entriesMax })
  const isAdministrator = (address: string) => address === wallets.administrator
  const rules = { ...strictRules, isAdministrator }
  const room = new CommandRoom(store, clock, { services: { revocation, rules, audit } })
  return { room, audit, clock }
}

t.test('acts on privacy, roles and the whitelist are told with who did them', async (t) => {
  const { room, clock } = await openRoom()
  const owner = room.sessionOf(keyOf(wallets.owner, 'read', 'write', 'admin'))
  await room.run({ setPrivacy: 'mine', mode: 'public' }, 'test', owner)
  const role = { setRole: 'mine', address: wallets.reader, action: 'grant', role: 1 }
  await room.run(role, 'test', owner)
  await room.run({ setWhitelist: 1, address: wallets.owner, action: 'add' })
  const entries = await room.all('_audit')
  const by = {
    kind: 'key',
    address: wallets.owner,
    key: owner.identity.kind === 'key' && owner.identity.hash.slice(0, 8),
  }
  const shared = { at: new Date(clock.now()), protocol: 'internal' }
  t.match(entries, [
    {
      ...shared,
      _id: 1,
      act: 'setPrivacy',
      by,
      peer: 'test:2',
      ns: 'test.mine',
      details: { mode: 'public' },
    },
    { ...shared, _id: 2, act: 'setRole', by, details: { address: wallets.reader, role: 1 } },
    {
      ...shared,
      _id: 3,
      act: 'setWhitelist',
      by: { kind: 'operator' },
      details: { action: 'add' },
    },
  ])
  await room.engine.close()
})

t.test('an act that is refused leaves no entry', async (t) => {
  const { room } = await openRoom()
  await room.run({ create: 'c' })
  const otherWallet = room.sessionOf(identities.otherWallet)
  await room.refusal({ setPrivacy: 'c', mode: 'public' }, 'test', otherWallet)
  await room.refusal({ setPrivacy: 'c', ownerAddress: 'unknown' })
  t.same(await room.all('_audit'), [])
  await room.engine.close()
})

t.test('the audit is read by administrators and written by no command', async (t) => {
  const { room, audit } = await openRoom()
  await audit.record({
    act: 'test',
    identity: operator,
    protocol: 'http',
    remoteAddress: '127.0.0.1',
  })
  const readers = new Set(['operator', 'administrator'])
  for (const who of everybody) {
    const session = room.sessionOf(identities[who])
    const reads = { find: '_audit' }
    if (readers.has(who)) {
      t.equal((await room.run(reads, 'test', session)).cursor.firstBatch.length, 1, who)
    } else t.equal((await room.refusal(reads, 'test', session)).code, 13, who)
    for (const command of [
      { insert: '_audit', documents: [{ _id: 9 }] },
      { update: '_audit', updates: [{ q: {}, u: { $set: { act: 'other' } } }] },
      { delete: '_audit', deletes: [{ q: {}, limit: 0 }] },
      { findAndModify: '_audit', remove: true },
      { drop: '_audit' },
      { createIndexes: '_audit', indexes: [{ key: { at: 1 }, name: 'at_1' }] },
      { setPrivacy: '_audit', mode: 'public' },
      { setRole: '_audit', address: wallets.otherWallet, action: 'grant', role: 1 },
    ]) {
      const error = await room.refusal(command, 'test', session)
      t.equal(error.code, 13, `${Object.keys(command)[0]} by ${who}`)
    }
    for (const names of [
      { renameCollection: 'test._audit', to: 'test.mine' },
      { renameCollection: 'test.c', to: 'test._audit', dropTarget: true },
    ]) {
      await room.run({ insert: 'c', documents: [{}] })
      t.equal((await room.refusal(names, 'admin', session)).code, 13, who)
    }
  }
  const aggregate = { aggregate: 'c', pipeline: [{ $out: '_audit' }], cursor: {} }
  t.equal((await room.refusal(aggregate)).code, 13)
  await room.run({ dropDatabase: 1 })
  t.equal((await room.all('_audit')).length, 1, 'it outlives its database')
  await room.engine.close()
})

t.test('names that are the server’s cannot be made by commands', async (t) => {
  const { room } = await openRoom()
  for (const name of ['_audit', 'system.users', 'memory.notes.nodes']) {
    t.equal((await room.refusal({ create: name })).code, 73, name)
    t.equal((await room.refusal({ setPrivacy: name, mode: 'public' })).code, 73, name)
  }
  for (const db of ['admin', 'config', 'local']) {
    t.equal((await room.refusal({ create: 'c' }, db)).code, 73, db)
  }
  await room.engine.close()
})

t.test('what wallets do pushes out nothing that the operator did', async (t) => {
  const { room, audit } = await openRoom(2)
  const shared = { protocol: 'http', remoteAddress: '' }
  await audit.record({ act: 'kept', identity: operator, ...shared })
  const identity = identities.otherWallet
  for (let i = 0; i < 5; i++) await audit.record({ act: `${i}`, identity, ...shared })
  const entries = await room.all('_audit')
  t.same(
    entries.map(({ _id, act }) => [_id, act]),
    [
      [1, 'kept'],
      [5, '3'],
      [6, '4'],
    ],
  )
  await room.engine.close()
})

t.test('the oldest entries go when there are too many, and texts are cut', async (t) => {
  const { room, audit } = await openRoom(3)
  for (let i = 1; i <= 5; i++) {
    const details = { text: 'x'.repeat(1_000), i, none: null, yes: true }
    await audit.record({
      act: 'test',
      identity: operator,
      protocol: 'http',
      remoteAddress: '',
      details,
    })
  }
  const entries = await room.all('_audit')
  t.same(
    entries.map(({ _id }) => _id),
    [3, 4, 5],
  )
  t.match(entries[0]?.details, { i: 3, none: null, yes: true })
  t.equal(entries[0]?.details.text.length, 256)
  await room.engine.close()
})

await eachKeyValueRoom(
  t,
  'what the operator changes of the key-value server is told without its words',
  async (t, room) => {
    await room.line('config set maxclients 10')
    await room.line('client unpause')
    await room.line('slowlog reset')
    await room.line('config set')
    const documents = new CommandRoom(room.store, room.clock)
    const told = await documents.drain({ find: '_audit', sort: { _id: 1 } }, 'main')
    const acts = ['config|set', 'client|unpause', 'slowlog|reset']
    t.same(
      told.map(({ act, by, protocol }) => [act, by.kind, protocol]),
      acts.map((name) => [`redis:${name}`, 'operator', 'resp']),
    )
    t.notMatch(JSON.stringify(told), /maxclients/)
    await documents.engine.close()
  },
  {
    kinds: ['memory'],
    rights: (store, clock) => ({ audit: new Audit({ store, database: 'main', clock }) }),
  },
)
