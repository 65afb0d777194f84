// The decision about rights, whole: each identity against each kind of collection and each
// privilege. The table is written from docs/rights.md, not from the code.

import t from 'tap'
import type { Access, Privilege } from '../../../src/engine/types.js'
import {
  anonymous,
  type Identity,
  operator,
  type Permission,
} from '../../../src/identity/identity.js'
import {
  allow,
  allowUnder,
  isAdministrator,
  type Rules,
} from '../../../src/identity/rights/allow.js'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const reader = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const writer = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const otherWallet = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const admin = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

const session = (address: string): Identity => ({
  ...{ kind: 'session', address, sid: 'sid', chainId: 31337 },
})
const key = (address: string, ...permissions: readonly Permission[]): Identity => ({
  ...{ kind: 'key', address, hash: '0'.repeat(64), source: 'issued', index: 0, rateLimit: 0 },
  permissions,
})

const roles = { [reader]: 1, [writer]: 2 } as const
const collections: Readonly<Record<string, Access | undefined>> = {
  private: { owner, mode: 'private', roles },
  public: { owner, mode: 'public', roles },
  shared: { owner, mode: 'shared', roles },
  unowned: { owner: null, mode: 'private', roles: {} },
  'unowned, shared': { owner: null, mode: 'shared', roles: {} },
  'unowned, settled': { owner: null, mode: 'private', roles: {}, isSettled: true },
  missing: undefined,
  audit: { owner: null, mode: 'private', roles: {}, audience: 'administrators' },
}

const rules: Rules = {
  anonymousReads: false,
  claimsUnowned: false,
  isAdministrator: (address) => address === admin,
}

const privileges: readonly Privilege[] = ['read', 'write', 'index', 'own', 'admin', 'claim']
/** One letter for each privilege, `-` where it is refused. */
const letters: Readonly<Record<Privilege, string>> = {
  read: 'r',
  write: 'w',
  index: 'i',
  own: 'o',
  admin: 'a',
  claim: 'c',
}

function rightsOf(identity: Identity, access: Access | undefined, given = rules): string {
  return privileges
    .map((privilege) => (allow(identity, privilege, access, given) ? letters[privilege] : '-'))
    .join('')
}

type Row = readonly [name: string, identity: Identity, rights: Readonly<Record<string, string>>]

const nothing = {
  ...{ private: '------', public: '------', shared: '------', unowned: '------' },
  ...{ 'unowned, shared': '------', 'unowned, settled': '------', missing: '------' },
  audit: '------',
}
const whole = 'rwioac'
/** A wallet without a role. */
const foreign = {
  ...nothing,
  ...{ public: 'r-----', shared: 'rw----', 'unowned, shared': 'rw----', missing: whole },
}

const table: readonly Row[] = [
  [
    'the operator',
    operator,
    {
      ...{ private: whole, public: whole, shared: whole, unowned: whole, missing: whole },
      ...{ 'unowned, shared': whole, 'unowned, settled': whole, audit: 'r-----' },
    },
  ],
  ['an anonymous client', anonymous, nothing],
  [
    'the owner by a session',
    session(owner),
    { ...foreign, private: whole, public: whole, shared: whole },
  ],
  ['role 1', session(reader), { ...foreign, private: 'r-----' }],
  [
    'role 2',
    session(writer),
    { ...foreign, private: 'rwi---', public: 'rwi---', shared: 'rwi---' },
  ],
  ['another wallet', session(otherWallet), foreign],
  ['an administrator', session(admin), { ...foreign, audit: 'r-----' }],
  [
    'the owner by a key for all',
    key(owner, 'read', 'write', 'admin'),
    { ...foreign, private: whole, public: whole, shared: whole },
  ],
  [
    'the owner by a reading key',
    key(owner, 'read'),
    {
      ...nothing,
      ...{ private: 'r-----', public: 'r-----', shared: 'r-----', missing: 'r-----' },
      'unowned, shared': 'r-----',
    },
  ],
  [
    'the owner by a writing key',
    key(owner, 'write'),
    {
      ...nothing,
      ...{ private: '-wio--', public: '-wio--', shared: '-wio--', missing: '-wio--' },
      'unowned, shared': '-w----',
    },
  ],
  [
    'the owner by an administering key',
    key(owner, 'admin'),
    {
      ...nothing,
      ...{ private: '----ac', public: '----ac', shared: '----ac', missing: '----ac' },
    },
  ],
  ['the owner by a key for nothing', key(owner), nothing],
  [
    'role 2 by a reading key',
    key(writer, 'read'),
    {
      ...nothing,
      ...{ private: 'r-----', public: 'r-----', shared: 'r-----', missing: 'r-----' },
      'unowned, shared': 'r-----',
    },
  ],
  [
    'role 1 by a key for all',
    key(reader, 'read', 'write', 'admin'),
    { ...foreign, private: 'r-----' },
  ],
  ['another wallet by a key for all', key(otherWallet, 'read', 'write', 'admin'), foreign],
  [
    'an administrator by a reading key',
    key(admin, 'read'),
    {
      ...nothing,
      ...{ public: 'r-----', shared: 'r-----', 'unowned, shared': 'r-----', missing: 'r-----' },
      audit: 'r-----',
    },
  ],
  [
    'an administrator by a writing key',
    key(admin, 'write'),
    { ...nothing, shared: '-w----', 'unowned, shared': '-w----', missing: '-wio--' },
  ],
]

for (const [name, identity, rights] of table) {
  t.test(`${name} may do what the table says, and no more`, async (t) => {
    t.same(Object.keys(rights).sort(), Object.keys(collections).sort())
    for (const [kind, access] of Object.entries(collections)) {
      t.equal(rightsOf(identity, access), rights[kind], kind)
    }
  })
}

t.test('ANONYMOUS=read opens what is public to be read, and nothing else', async (t) => {
  const open = { ...rules, anonymousReads: true }
  for (const [kind, access] of Object.entries(collections)) {
    const expected = kind === 'public' ? 'r-----' : '------'
    t.equal(rightsOf(anonymous, access, open), expected, kind)
  }
  t.equal(rightsOf(session(otherWallet), collections.private, open), '------')
})

t.test('the first wallet may claim an unowned collection without a chosen mode', async (t) => {
  const first = { ...rules, claimsUnowned: true }
  const claims = (identity: Identity, kind: string) =>
    allow(identity, 'claim', collections[kind], first)
  t.ok(claims(session(otherWallet), 'unowned'))
  t.ok(claims(key(otherWallet, 'admin'), 'unowned'))
  t.notOk(claims(key(otherWallet, 'read', 'write'), 'unowned'))
  t.notOk(claims(session(otherWallet), 'unowned, settled'))
  t.notOk(claims(session(otherWallet), 'private'))
  t.notOk(claims(session(writer), 'private'))
  t.notOk(claims(session(otherWallet), 'audit'))
  t.notOk(claims(anonymous, 'unowned'))
  t.equal(rightsOf(session(otherWallet), collections.unowned, first), '-----c')
})

t.test('the rules are the strictest where none are given', async (t) => {
  t.notOk(allow(anonymous, 'read', collections.public))
  t.notOk(allow(session(admin), 'read', collections.audit))
  t.notOk(allow(session(otherWallet), 'claim', collections.unowned))
  t.ok(allowUnder(rules)(session(admin), 'read', collections.audit))
})

t.test('administrators are the operator and the wallets of ADMIN_ADDRESSES', async (t) => {
  t.ok(isAdministrator(operator, rules, 'admin'))
  t.ok(isAdministrator(session(admin), rules, 'admin'))
  t.ok(isAdministrator(key(admin, 'admin'), rules, 'admin'))
  t.notOk(isAdministrator(key(admin, 'read', 'write'), rules, 'admin'))
  t.notOk(isAdministrator(session(owner), rules, 'admin'))
  t.notOk(isAdministrator(anonymous, rules, 'admin'))
})
