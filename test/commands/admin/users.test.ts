// The commands about service users as mongosh and GUIs send them: their grammar, what they refuse
// in the reference server's words, and what usersInfo and rolesInfo tell to whom.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { Audit } from '../../../src/identity/audit.js'
import type { UserIdentity } from '../../../src/identity/identity.js'
import { WalletRevocation } from '../../../src/identity/rights/revocation-check.js'
import { UserService } from '../../../src/identity/users/user-service.js'
import { listUsers, readUserIdentity } from '../../../src/identity/users/users.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { CommandRoom } from '../../support/command-room.js'
import { sessionOf, wallets } from '../../support/identities.js'

const decoySecret = new Uint8Array(32).fill(5)

function openRoom(given: { readonly isOn?: boolean; readonly isLoopback?: boolean } = {}) {
  const { isOn = true, isLoopback = true } = given
  const store = openMemoryStore(systemClock)
  const users = new UserService({ store, decoySecret, isOn, isLoopback })
  const revocation = new WalletRevocation({
    *readKeyState() {
      throw new Error('no keys here')
    },
    *readSession() {
      return { address: wallets.owner, expires: Number.POSITIVE_INFINITY }
    },
    keyOnChain: () => 'unknown',
    whitelist: { enforces: false, isAdministrator: () => false },
    readUser: readUserIdentity,
  })
  const audit = new Audit({ store, database: 'main', clock: systemClock })
  return new CommandRoom(store, systemClock, { services: { users, revocation, audit } })
}

async function userOf(room: CommandRoom, name: string, database = 'main'): Promise<UserIdentity> {
  const found = await room.store.read((tx) => readUserIdentity(tx, { database, name }))
  if (found === undefined) throw new Error(`there is no user ${name}`)
  return found
}

const app = { createUser: 'app', pwd: 'geheim', roles: ['readWrite'] }

t.test('a user is made, changed and dropped', async (t) => {
  const room = openRoom()
  const run = (command: Readonly<Record<string, unknown>>) => room.run(command, 'main')
  t.same(await run({ ...app, customData: { team: 'shop' }, mechanisms: ['SCRAM-SHA-256'] }), {
    ok: 1,
  })
  const [made] = (await run({ usersInfo: 'app' })).users
  t.match(made, {
    _id: 'main.app',
    user: 'app',
    db: 'main',
    customData: { team: 'shop' },
    roles: [{ role: 'readWrite', db: 'main' }],
    mechanisms: ['SCRAM-SHA-256'],
  })
  t.equal(made.userId.sub_type, 4)
  await run({ grantRolesToUser: 'app', roles: [{ role: 'dbAdmin', db: 'main' }, 'read'] })
  t.same((await userOf(room, 'app')).roles, ['read', 'readWrite', 'dbAdmin'])
  await run({ revokeRolesFromUser: 'app', roles: ['read', 'readWrite'] })
  t.same((await userOf(room, 'app')).roles, ['dbAdmin'])
  await run({ updateUser: 'app', roles: [], customData: {} })
  t.same((await userOf(room, 'app')).roles, [])
  const before = await userOf(room, 'app')
  await run({ updateUser: 'app', pwd: 'another' })
  t.same(await userOf(room, 'app'), before, 'with the same id')
  t.same(await run({ dropUser: 'app' }), { ok: 1 })
  t.same((await run({ usersInfo: 1 })).users, [])
  await run(app)
  t.not((await userOf(room, 'app')).id, before.id, 'made again, it is another')
  await room.run({ ...app, createUser: 'other' }, 'shop')
  t.same(await run({ dropAllUsersFromDatabase: 1 }), { n: 1, ok: 1 })
  t.equal((await room.run({ usersInfo: 1 }, 'shop')).users.length, 1)
})

t.test('refusals have the codes and words of the reference server', async (t) => {
  const room = openRoom()
  const fails = (command: Readonly<Record<string, unknown>>, db = 'main') => room.fails(command, db)
  await room.run(app, 'main')
  t.same(await fails(app), [51003, 'User "app@main" already exists'])
  t.same(await fails({ dropUser: 'x' }), [11, "User 'x@main' not found"])
  t.same(await fails({ updateUser: 'x', pwd: 'y' }), [11, 'User x@main not found'])
  t.same(await fails({ grantRolesToUser: 'x', roles: [] }), [11, 'User x@main not found'])
  t.same(await fails({ updateUser: 'app' }), [
    2,
    'Must specify at least one field to update in updateUser',
  ])
  const role = async (given: unknown) => fails({ ...app, createUser: 'x', roles: [given] })
  t.same(await role('root'), [31, 'Could not find role: root@main'])
  t.same(await role({ role: 'root', db: 'admin' }), [31, 'Could not find role: root@admin'])
  t.match(await role({ role: 'read', db: 'shop' }), [31, /^Could not find role: read@shop: /])
  t.same(await role(5), [2, 'Role names must be either strings or objects'])
  t.same(await role({ role: 'read' }), [4, 'Missing expected field "db"'])
  for (const [more, code, text] of [
    [{ pwd: undefined }, 2, /^Must provide a 'pwd' field for all user documents, except/],
    [{ pwd: '' }, 2, /^Password cannot be empty$/],
    [{ pwd: 5 }, 14, /^BSON field 'createUser\.pwd' is the wrong type 'int'/],
    [{ pwd: 'a\u0007' }, 2, /prohibited|RFC 4013|ASCII/],
    [{ roles: undefined }, 40414, /^BSON field 'createUser\.roles' is missing/],
    [{ mechanisms: [] }, 2, /^mechanisms field must not be empty$/],
    [{ mechanisms: ['BAD'] }, 2, /^Unknown auth mechanism 'BAD'$/],
    [{ mechanisms: ['SCRAM-SHA-1'] }, 2, /^SCRAM-SHA-1 is not supported/],
    [{ digestPassword: false }, 2, /^Use of SCRAM-SHA-256 requires undigested passwords$/],
    [{ authenticationRestrictions: [{ clientSource: ['::1'] }] }, 2, /not supported$/],
    [{ customData: { text: 'x'.repeat(5_000) } }, 2, /^customData of a user has at most/],
    [{ nonsense: 1 }, 40415, /nonsense/],
  ] as const) {
    const command = { ...app, createUser: 'x', ...more }
    const sent = Object.fromEntries(
      Object.entries(command).filter(([, value]) => value !== undefined),
    )
    const [found, words] = await fails(sent)
    t.equal(found, code, JSON.stringify(more))
    t.match(words, text)
  }
  const { address } = sessionOf(wallets.owner)
  const names = ['', 'a~b', 'a:0', 'operator', 'Operator', 'default', 'svc_x', 'SVC_live_1']
  for (const name of [...names, address, address.toUpperCase(), `${address}x`, `w_${address}`]) {
    t.equal((await fails({ ...app, createUser: name }))[0], 2, name)
  }
  t.equal((await fails({ ...app, createUser: 'x'.repeat(129) }))[0], 2)
  t.equal((await fails({ ...app, createUser: 'a\nb' }))[0], 2)
  for (const db of ['admin', 'config', 'local', '$external', `w_${address.toLowerCase()}`]) {
    t.equal((await fails(app, db))[0], 2, db)
  }
  t.equal((await fails(app, 'W_0X1'))[0], 2, 'every database that is like a home')
  t.equal((await room.store.read((tx) => listUsers(tx))).length, 1, 'none of them was made')
})

t.test('a password on a network has twelve characters', async (t) => {
  const room = openRoom({ isLoopback: false })
  t.match(await room.fails({ ...app, pwd: 'eleven char' }, 'main'), [2, /at least 12 characters/])
  t.same(await room.run({ ...app, pwd: 'twelve chars' }, 'main'), { ok: 1 })
  t.match(await room.fails({ updateUser: 'app', pwd: 'short' }, 'main'), [2, /at least 12/])
})

t.test('USERS=off refuses what makes or changes users, not what removes them', async (t) => {
  const room = openRoom({ isOn: false })
  for (const command of [
    app,
    { updateUser: 'app', roles: [] },
    { grantRolesToUser: 'app', roles: [] },
    { revokeRolesFromUser: 'app', roles: [] },
  ]) {
    t.match(await room.fails(command, 'main'), [20, /: the setting USERS is off$/])
  }
  t.same(await room.run({ dropAllUsersFromDatabase: 1 }, 'main'), { n: 0, ok: 1 })
})

t.test('usersInfo shows no credentials, and others nothing of the users', async (t) => {
  const room = openRoom()
  await room.run(app, 'main')
  await room.run({ ...app, createUser: 'ro', roles: ['read'] }, 'main')
  await room.run({ ...app, createUser: 'ro', roles: ['read'] }, 'shop')
  const names = async (command: Readonly<Record<string, unknown>>, db = 'main') =>
    (await room.run(command, db)).users.map(({ _id }: { readonly _id: string }) => _id)
  t.same(await names({ usersInfo: 1 }), ['main.app', 'main.ro'])
  t.same(await names({ usersInfo: 'ro' }, 'shop'), ['shop.ro'])
  t.same(await names({ usersInfo: { user: 'ro', db: 'shop' } }), ['shop.ro'])
  t.same(await names({ usersInfo: ['app', { user: 'ro', db: 'shop' }] }), ['main.app', 'shop.ro'])
  const all = { usersInfo: { forAllDBs: true } }
  t.same(await names(all), ['admin.operator', 'main.app', 'main.ro', 'shop.ro'])
  t.same(await names({ ...all, filter: { 'roles.role': 'read' } }), ['main.ro', 'shop.ro'])
  const shown = await room.run(
    { usersInfo: 'app', showCredentials: true, showPrivileges: true },
    'main',
  )
  const [{ inheritedPrivileges, credentials }] = shown.users
  t.equal(credentials, undefined)
  t.notMatch(JSON.stringify(shown), /storedKey|serverKey|salt/)
  t.match(inheritedPrivileges, [{ resource: { db: 'main', collection: '' } }])
  const ro = room.sessionOf(await userOf(room, 'ro'))
  t.match(await room.run(all, 'main', ro), { users: [{ _id: 'main.ro' }] })
  t.equal((await room.run(all, 'main', ro)).users.length, 1)
  const wallet = room.sessionOf(sessionOf(wallets.owner))
  t.match(await room.run(all, 'main', wallet), { users: [{ user: wallets.owner, db: 'admin' }] })
  const { authInfo } = await room.run({ connectionStatus: 1, showPrivileges: true }, 'main', ro)
  t.match(authInfo, {
    authenticatedUsers: [{ user: 'ro', db: 'main' }],
    authenticatedUserRoles: [{ role: 'read', db: 'main' }],
    authenticatedUserPrivileges: [{ resource: { db: 'main' } }],
  })
})

t.test('rolesInfo tells the built-in roles', async (t) => {
  const room = openRoom()
  const names = async (rolesInfo: unknown, db = 'main', more = {}) =>
    (await room.run({ rolesInfo, ...more }, db)).roles.map(
      ({ role, db: of }: { readonly role: string; readonly db: string }) => `${role}@${of}`,
    )
  t.same(await names(1), [])
  t.same(await names(1, 'main', { showBuiltinRoles: true }), [
    ...['read@main', 'readWrite@main', 'dbAdmin@main'],
  ])
  t.same(await names('read'), ['read@main'])
  t.same(await names({ role: 'root', db: 'admin' }), ['root@admin'])
  t.same(await names(['read', 'nothing', { role: 'dbAdmin', db: 'x' }]), ['read@main', 'dbAdmin@x'])
})

t.test('acts on users are in the audit, without passwords', async (t) => {
  const room = openRoom()
  await room.run(app, 'main')
  await room.run({ updateUser: 'app', pwd: 'a new secret' }, 'main')
  await room.run({ dropUser: 'app' }, 'main')
  const entries = await room.drain({ find: '_audit' }, 'main')
  t.match(entries, [
    { act: 'createUser', details: { user: 'app', db: 'main', roles: 'readWrite' } },
    { act: 'updateUser', details: { user: 'app', db: 'main', password: true } },
    { act: 'dropUser', details: { user: 'app', db: 'main' } },
  ])
  t.notMatch(JSON.stringify(entries), /geheim|secret/)
})

t.test('a view of a user reads what the user may, for every reader', async (t) => {
  const room = openRoom()
  await room.run({ ...app, roles: ['readWrite', 'dbAdmin'] }, 'main')
  const user = room.sessionOf(await userOf(room, 'app'))
  const view = { create: 'all', viewOn: 'later', pipeline: [] }
  t.same(await room.run(view, 'main', user), { ok: 1 })
  const wallet = room.sessionOf(sessionOf(wallets.owner))
  await room.run({ insert: 'later', documents: [{ secret: 1 }] }, 'main', wallet)
  const read = { find: 'all' }
  t.equal((await room.refusal(read, 'main', user)).code, 13, "a wallet's collection came under it")
  t.equal((await room.refusal(read, 'main')).code, 13, 'and the operator does not lend its rights')
  await room.run({ create: 'open', viewOn: 'free', pipeline: [] }, 'main')
  await room.run({ insert: 'free', documents: [{ a: 1 }] }, 'main')
  t.equal((await room.run({ find: 'open' }, 'main', user)).cursor.firstBatch.length, 1)
  const changed = { collMod: 'open', viewOn: 'soon', pipeline: [] }
  t.match(await room.run(changed, 'main', user), { ok: 1 })
  await room.run({ insert: 'soon', documents: [{ secret: 1 }] }, 'main', wallet)
  const refused = await room.refusal({ find: 'open' }, 'main', user)
  t.equal(refused.code, 13, "a view of the operator's that a user has changed is the user's")
})
