// Logins of service users below the protocols: which verifier a name gets, that a name that is not
// there cannot be told from one that is, and that the password decides.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { UserService } from '../../../src/identity/users/user-service.js'
import { addUser, removeUser } from '../../../src/identity/users/users.js'
import { openMemoryStore } from '../../../src/store/memory.js'

const decoySecret = new Uint8Array(32).fill(9)

async function openService(isOn = true) {
  const store = openMemoryStore(systemClock)
  const users = new UserService({ store, decoySecret, isOn, isLoopback: true })
  const make = async (name: string, password: string, database = 'main') => {
    const verifier = await users.verifierOf({ database, name }, password)
    const id = new Uint8Array(16).fill(1)
    const kind = 'user' as const
    const identity = { kind, database, name, id: 'a', roles: [], keyValue: undefined }
    await store.write((tx) => addUser(tx, { identity, id, verifier, customData: undefined }))
  }
  return { store, users, make }
}

t.test('a name looks the same before it is there, while it is, and afterwards', async (t) => {
  const { store, users, make } = await openService()
  const seen = async (name = 'app', databases = ['main']) => {
    const { verifier } = await users.account(name, databases)
    return { salt: Buffer.from(verifier.salt).toString('hex'), iterations: verifier.iterations }
  }
  const before = await seen()
  t.equal(before.iterations, 15_000)
  await make('app', 'geheim')
  t.same(await seen(), before)
  await store.write((tx) => removeUser(tx, { database: 'main', name: 'app' }))
  t.same(await seen(), before)
  t.not((await seen('app', ['shop'])).salt, before.salt, 'of another database')
  t.not((await seen('App')).salt, before.salt)
})

t.test('the password decides, and the first database that has the name', async (t) => {
  const { users, make } = await openService()
  await make('app', 'geheim')
  await make('app', 'of the shop', 'shop')
  const who = (password: string, ...databases: string[]) =>
    users.identityOf('app', password, databases)
  t.match(await who('geheim', 'main'), { kind: 'user', database: 'main', name: 'app' })
  t.match(await who('of the shop', 'shop'), { database: 'shop' })
  t.match(await who('geheim', 'missing', 'main', 'shop'), { database: 'main' })
  t.equal(await who('of the shop', 'main', 'shop'), undefined)
  t.equal(await who('Geheim', 'main'), undefined)
  t.equal(await who('', 'main'), undefined)
  t.equal(await who('\u0007', 'main'), undefined, 'what SASLprep refuses is no password')
  t.equal(await who('geheim', 'missing'), undefined)
  t.equal(await who('geheim'), undefined)
})

t.test('under USERS=off a user that is stored is not there', async (t) => {
  const { store, make } = await openService()
  await make('app', 'geheim')
  const users = new UserService({ store, decoySecret, isOn: false, isLoopback: true })
  t.equal(await users.identityOf('app', 'geheim', ['main']), undefined)
  t.throws(() => users.requireOn('createUser'), { code: 20 })
})
