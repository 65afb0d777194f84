// What a home costs: nothing until something is written, one record then, nothing again when it is
// empty; and how many there may be.

import t from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { listNamespaces } from '../../../src/engine/collection/catalog/catalog.js'
import { nameOfId } from '../../../src/engine/collection/catalog/catalog-index.js'
import { countHomes } from '../../../src/engine/collection/catalog/databases.js'
import { homeOf } from '../../../src/engine/collection/catalog/homes.js'
import { strictRules } from '../../../src/identity/rights/allow.js'
import { admit, identities, revocation, wallets } from '../../support/identities.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'

const settings = { SHARED_SPACES: 'own' }
const rights = { rules: strictRules, revocation }
const home = homeOf(wallets.owner)

async function namesIn(room: KeyValueRoom, db: string): Promise<string[]> {
  const found = await room.store.read((tx) => listNamespaces(tx, db))
  return found.map(({ name }) => name)
}

const homesOf = (room: KeyValueRoom) => room.store.read(countHomes)

await eachKeyValueRoom(
  t,
  'a home is made by its first write and is gone with its last key',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const wallet = room.client(identities.owner)
    const idle = ['get k', 'keys *', 'dbsize', 'del k', 'lpop l', 'hdel h f', 'flushdb', 'flushall']
    for (const line of [...idle, 'swapdb 0 1', 'expire k 5', 'set k v xx']) {
      await wallet.line(line)
      t.same(await namesIn(room, home), [], `${line} leaves nothing behind`)
    }
    t.equal(await homesOf(room), 0)
    t.equal(await wallet.line('set k v'), 'OK')
    t.same(await namesIn(room, home), ['kv0'])
    t.equal(await homesOf(room), 1)
    const [ns] = await room.store.read((tx) => listNamespaces(tx, home))
    const found = await room.store.read((tx) => nameOfId(tx, ns?.id ?? 0))
    t.same(found, { db: home, name: 'kv0' }, 'found by its id')
    t.match(ns?.access, { owner: wallets.owner, mode: 'private' })
    t.equal(await wallet.line('copy k other db 3'), 1)
    t.same(await namesIn(room, home), ['kv0', 'kv3'])
    t.equal(await wallet.line('del k'), 1)
    t.same(await namesIn(room, home), ['kv3'])
    // Several at once, of which one is emptied again: ids that were foreseen are not given twice.
    await wallet.line('multi')
    for (const line of ['set a 1', 'select 4', 'set b 2', 'flushdb', 'select 5', 'set c 3']) {
      await wallet.line(line)
    }
    t.same(await wallet.line('exec'), ['OK', 'OK', 'OK', 'OK', 'OK', 'OK'])
    t.equal(await wallet.line('get c'), '3')
    await wallet.line('select 0')
    t.equal(await wallet.line('get a'), '1')
    t.same(await namesIn(room, home), ['kv0', 'kv3', 'kv5'])
    t.equal(await wallet.line('flushall'), 'OK')
    t.same(await namesIn(room, home), [])
    t.equal(await homesOf(room), 0)
    t.equal(await wallet.line('dbsize'), 0)
    t.same(await checkStore(room.store), [])
  },
  { settings, rights },
)

await eachKeyValueRoom(
  t,
  'the last key of a home that expires takes its record along',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const wallet = room.client(identities.owner)
    await wallet.line('set k v px 5')
    t.same(await namesIn(room, home), ['kv0'])
    room.clock.ms += 10
    while (await room.bus.expiry.round()) t.pass('a step')
    t.same(await namesIn(room, home), [])
  },
  { settings, rights },
)

await eachKeyValueRoom(
  t,
  'homes are bounded, in all and by address; the operator and homes that exist are not',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const [owner, other] = [room.client(identities.owner), room.client(identities.otherWallet)]
    t.equal(await owner.line('set k v'), 'OK')
    t.match(await other.line('set k v'), { error: /homes/ })
    t.equal(await other.line('get k'), null, 'reading needs none')
    t.equal(await owner.line('set k w'), 'OK')
    t.equal(await room.line('set k v'), 'OK')
    const operator = room.client(undefined, homeOf(wallets.otherWallet))
    t.equal(await operator.line('set k v'), 'OK', 'the operator makes it all the same')
    t.equal(await other.line('get k'), 'v', 'and it is the wallet that has it')
  },
  { settings, rights, homes: { all: 1, perAddress: 0 } },
)

await eachKeyValueRoom(
  t,
  'so many homes of one address in an hour',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const [owner, other] = [room.client(identities.owner), room.client(identities.otherWallet)]
    t.equal(await owner.line('set k v'), 'OK')
    t.equal(await owner.line('del k'), 1)
    t.equal(await owner.line('set k v'), 'OK', 'the same home is not counted twice')
    t.match(await other.line('set k v'), { error: /from this address/ })
    room.clock.ms += 3_600_001
    t.equal(await other.line('set k v'), 'OK')
  },
  { settings, rights, homes: { all: 0, perAddress: 1 } },
)

/** More than one write program takes. */
const manyCommands = 2_600

await eachKeyValueRoom(
  t,
  'EXEC of many commands in the home of another wallet, which does not exist, is refused',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const other = room.client(identities.otherWallet, home)
    await other.line('multi')
    for (let n = 0; n < manyCommands; n++) await other.line(`set k${n} v`)
    const replies = (await other.line('exec')) as unknown[]
    t.equal(replies.length, manyCommands)
    t.match(replies[0], { error: /^NOPERM/ })
    t.match(replies.at(-1), { error: /^NOPERM/ })
    t.same(await namesIn(room, home), [])
  },
  { settings, rights },
)
