// Who owns what: a collection belongs to whom makes it, its name stays with them when it is
// dropped, and unowned collections are claimed or given.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'
import { admit, identities, revocation, wallets } from '../support/identities.js'
import { openPlace } from '../support/rights-room.js'

const plainIndex = { key: { a: 1 }, name: 'a_1' }

t.test('what a wallet makes is its own, under a name that stays its own', async (t) => {
  const { room } = await openPlace()
  const owner = room.sessionOf(identities.owner)
  const otherWallet = room.sessionOf(identities.otherWallet)
  await room.run({ insert: 'mine', documents: [{ _id: 1 }] }, 'test', owner)
  const privacy = async (session = otherWallet) =>
    (await room.run({ getPrivacy: 'mine' }, 'test', session)).privacy
  t.same(await privacy(), { mode: 'private', ownerAddress: wallets.owner })
  t.same(await privacy(room.anonymous()), { mode: 'private', ownerAddress: wallets.owner })
  await room.run(
    { setRole: 'mine', address: wallets.reader, action: 'grant', role: 1 },
    'test',
    owner,
  )
  t.same(await privacy(owner), {
    ...{ mode: 'private', ownerAddress: wallets.owner, contractAddress: null },
    accessRoles: { [wallets.reader]: 1 },
  })
  t.equal((await room.refusal({ find: 'mine' }, 'test', otherWallet)).code, 13)

  await room.run({ drop: 'mine' }, 'test', owner)
  t.same(await privacy(), { mode: 'private', ownerAddress: wallets.owner })
  for (const command of [
    { insert: 'mine', documents: [{}] },
    { create: 'mine' },
    { createIndexes: 'mine', indexes: [plainIndex] },
    { setPrivacy: 'mine', mode: 'public' },
    { setPrivacy: 'mine', release: true },
    { update: 'mine', updates: [{ q: {}, u: { $set: { a: 1 } }, upsert: true }] },
    { drop: 'mine', release: true },
  ]) {
    const error = await room.refusal(command, 'test', otherWallet)
    t.equal(error.code, 13, `${Object.keys(command)[0]} on a reserved name`)
  }
  const rename = { renameCollection: 'test.theirs', to: 'test.mine' }
  await room.run({ create: 'theirs' }, 'test', otherWallet)
  t.equal((await room.refusal(rename, 'admin', otherWallet)).code, 13, 'a rename onto it')
  await room.run({ insert: 'theirs', documents: [{}] })
  await room.run({ insert: 'operators', documents: [{}] })
  await room.run({ renameCollection: 'test.operators', to: 'test.mine' }, 'admin')
  t.equal((await privacy()).ownerAddress, wallets.owner, 'for a move by any wallet')
  await room.run({ drop: 'mine' }, 'test', owner)
  await room.run({ insert: 'mine', documents: [{ _id: 2 }] }, 'test', owner)
  const again = await privacy(owner)
  t.same(again.accessRoles, { [wallets.reader]: 1 }, 'mode and roles came back with it')

  await room.run({ drop: 'mine', release: true }, 'test', owner)
  await room.run({ create: 'mine' }, 'test', otherWallet)
  t.equal((await privacy()).ownerAddress, wallets.otherWallet)
  await room.engine.close()
})

t.test('the owner of a dropped collection may give its name away', async (t) => {
  const { room } = await openPlace()
  const owner = room.sessionOf(identities.owner)
  await room.run({ create: 'mine' }, 'test', owner)
  const give = { setPrivacy: 'mine', release: true }
  t.equal((await room.refusal(give, 'test', owner)).codeName, 'IllegalOperation')
  await room.run({ drop: 'mine' }, 'test', owner)
  t.equal((await room.run(give, 'test', owner)).released, true)
  t.equal((await room.refusal({ getPrivacy: 'mine' }, 'test', owner)).code, 26)
  await room.engine.close()
})

t.test('what the operator makes has no owner until it is claimed or given', async (t) => {
  const { room } = await openPlace()
  const otherWallet = room.sessionOf(identities.otherWallet)
  await room.insert('c', { _id: 1 })
  t.equal((await room.refusal({ setPrivacy: 'c', mode: 'private' }, 'test', otherWallet)).code, 13)
  await room.run({ setPrivacy: 'c', mode: 'public', ownerAddress: wallets.owner.toLowerCase() })
  const { privacy } = await room.run({ getPrivacy: 'c' }, 'test', otherWallet)
  t.same(privacy, { mode: 'public', ownerAddress: wallets.owner })
  const wrong = wallets.owner.replace('f39F', 'F39f')
  const mistyped = await room.refusal({ setPrivacy: 'c', ownerAddress: wrong })
  t.match(mistyped.message, /checksum/)
  await room.engine.close()

  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const rules = { ...strictRules, claimsUnowned: true }
  const open = new CommandRoom(store, systemClock, { services: { revocation, rules } })
  await open.insert('c', { _id: 1 })
  await open.run(
    { setPrivacy: 'c', mode: 'private' },
    'test',
    open.sessionOf(identities.otherWallet),
  )
  const claimed = await open.run({ getPrivacy: 'c' })
  t.equal(claimed.privacy.ownerAddress, wallets.otherWallet)
  const late = open.sessionOf(identities.owner)
  t.equal((await open.refusal({ setPrivacy: 'c', mode: 'public' }, 'test', late)).code, 13)
  await open.insert('settled', { _id: 1 })
  await open.run({ setPrivacy: 'settled', mode: 'private' })
  t.equal((await open.refusal({ setPrivacy: 'settled', mode: 'public' }, 'test', late)).code, 13)
  await open.engine.close()
})

t.test(
  '$out changes no owner, over a collection that is there and over one that was',
  async (t) => {
    const { room, reset } = await openPlace()
    await reset('private')
    const writer = room.sessionOf(identities['role 2'])
    const out = { aggregate: 'open', pipeline: [{ $out: 'c' }], cursor: {} }
    const owner = async () => (await room.run({ getPrivacy: 'c' })).privacy
    await room.run(out, 'test', writer)
    t.match(await owner(), { mode: 'private', ownerAddress: wallets.owner })
    t.equal((await room.all('c')).length, 1)
    await room.run({ drop: 'c' })
    await room.run(out, 'test', writer)
    t.match(await owner(), { mode: 'private', ownerAddress: wallets.owner })
    t.equal((await room.all('c')).length, 1)
    await room.engine.close()
  },
)
