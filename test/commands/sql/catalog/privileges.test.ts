// has_table_privilege and its brothers tell what the caller may do, by name and by number, for the
// caller and for others; so do the privilege views of information_schema.

import t from 'tap'
import { GatewayError } from '../../../../src/base/errors.js'
import { accesses, identities, setAccess, type Who, wallets } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'

async function openRights() {
  const { room } = await openPlace()
  const owner = room.sessionOf(identities.owner)
  for (const mode of ['private', 'public', 'shared', 'unowned'] as const) {
    await room.insert(mode, { _id: 1, a: 1 })
    await setAccess(room.store, 'test', mode, accesses[mode])
  }
  await room.run({ create: 'seen', viewOn: 'public', pipeline: [] }, 'test', owner)
  await room.run({ setPrivacy: 'seen', mode: 'public' }, 'test', owner)
  /** The one value of a statement's one row, or the SQLSTATE that it ends with. */
  const ask = async (who: Who, expression: string): Promise<unknown> => {
    try {
      const command = { sqlSelect: `SELECT ${expression} AS told` }
      const reply = await room.run(command, 'test', room.sessionOf(identities[who]))
      return reply.cursor.firstBatch[0].told
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return error.extra.sqlState
    }
  }
  const rows = async (who: Who, query: string) => {
    const reply = await room.run({ sqlSelect: query }, 'test', room.sessionOf(identities[who]))
    return reply.cursor.firstBatch
  }
  return { room, ask, rows }
}

const table = (name: string, privilege: string) => `has_table_privilege('${name}', '${privilege}')`

t.test('of a table, for the caller: what the one decision says', async (t) => {
  const { ask } = await openRights()
  const told: [Who, string, string, boolean][] = [
    ['otherWallet', 'private', 'SELECT', false],
    ['otherWallet', 'private', 'INSERT', false],
    ['otherWallet', 'public', 'SELECT', true],
    ['otherWallet', 'public', 'UPDATE', false],
    ['otherWallet', 'shared', 'DELETE', true],
    ['otherWallet', 'shared', 'TRUNCATE', false],
    ['otherWallet', 'unowned', 'SELECT', false],
    ['owner', 'private', 'TRUNCATE', true],
    ['owner', 'private', 'SELECT WITH GRANT OPTION', true],
    ['owner', 'unowned', 'SELECT', false],
    ['owner, reading key', 'private', 'SELECT', true],
    ['owner, reading key', 'private', 'INSERT', false],
    ['owner, writing key', 'private', 'SELECT', false],
    ['owner, writing key', 'private', 'INSERT', true],
    ['owner, writing key', 'private', 'SELECT, INSERT', true],
    ['role 1', 'private', 'SELECT', true],
    ['role 1', 'private', 'UPDATE', false],
    ['role 2', 'private', 'UPDATE', true],
    ['role 2', 'private', 'UPDATE WITH GRANT OPTION', false],
    ['administrator', 'private', 'SELECT', false],
    ['operator', 'private', 'select', true],
    ['otherWallet', 'seen', 'SELECT', true],
    ['owner', 'seen', 'INSERT', false],
    ['otherWallet', 'pg_catalog.pg_class', 'SELECT', true],
    ['otherWallet', 'pg_class', 'INSERT', false],
    ['otherWallet', 'public.private', 'SELECT', false],
    ['otherWallet', '"public"."shared"', 'INSERT', true],
  ]
  for (const [who, name, privilege, held] of told) {
    t.equal(await ask(who, table(name, privilege)), held, `${who} ${name} ${privilege}`)
    if (/TRUNCATE|pg_class|DELETE/.test(`${privilege} ${name}`)) continue
    const any = `has_any_column_privilege('${name}', '${privilege}')`
    t.equal(await ask(who, any), held, `${who} ${any}`)
    const column = `has_column_privilege('${name}', 'a', '${privilege}')`
    t.equal(await ask(who, column), held, `${who} ${column}`)
  }
})

t.test('by number, which only readers are told, and of none', async (t) => {
  const { ask } = await openRights()
  const oid = Number(await ask('owner', "'private'::regclass::oid"))
  t.ok(oid > 16_000)
  t.equal(await ask('owner', `has_table_privilege(${oid}, 'SELECT')`), true)
  t.equal(await ask('otherWallet', `has_table_privilege(${oid}, 'SELECT')`), false)
  t.equal(await ask('otherWallet', "has_table_privilege(999999999, 'SELECT')"), null)
  t.equal(await ask('otherWallet', `has_column_privilege(${oid}, 1, 'SELECT')`), false)
  t.equal(await ask('owner', `pg_table_is_visible(${oid})`), true)
  t.equal(await ask('otherWallet', `pg_table_is_visible(${oid})`), false)
  t.equal(await ask('otherWallet', 'pg_table_is_visible(999999999)'), null)
  t.equal(await ask('otherWallet', "has_table_privilege(NULL, 'SELECT')"), null)
  t.equal(await ask('otherWallet', table('nothing', 'SELECT')), '42P01')
  t.equal(await ask('otherWallet', table('public', 'EAT')), '22023')
})

t.test('for another user: what every client may know', async (t) => {
  const { ask } = await openRights()
  const of = (user: string, name: string, privilege: string) =>
    `has_table_privilege('${user}', '${name}', '${privilege}')`
  t.equal(await ask('otherWallet', of(wallets.otherWallet, 'private', 'SELECT')), false)
  t.equal(await ask('otherWallet', of(`${wallets.otherWallet}:s0`, 'public', 'SELECT')), true)
  t.equal(await ask('owner', of(wallets.owner.toLowerCase(), 'private', 'UPDATE')), true)
  t.equal(await ask('otherWallet', of(wallets.owner, 'private', 'UPDATE')), true)
  t.equal(await ask('otherWallet', of(wallets.reader, 'private', 'SELECT')), false, 'no roles')
  t.equal(await ask('owner', of(wallets.reader, 'private', 'SELECT')), true, 'which the owner sees')
  t.equal(await ask('owner', of(wallets.reader, 'private', 'UPDATE')), false)
  t.equal(await ask('otherWallet', of('operator', 'private', 'SELECT')), true)
  t.equal(await ask('otherWallet', of('public', 'private', 'SELECT')), false)
  t.equal(await ask('otherWallet', of('public', 'public', 'SELECT')), true)
  t.equal(await ask('otherWallet', of('unknown', 'public', 'SELECT')), '42704')
  t.equal(await ask('otherWallet', "has_table_privilege(0, 'public', 'SELECT')"), true)
  const self = "has_table_privilege(current_user, 'private', 'SELECT')"
  t.equal(await ask('operator', self), true)
})

t.test('of schemas and databases', async (t) => {
  const { ask } = await openRights()
  const schema = (name: string, privilege: string) =>
    `has_schema_privilege(${name}, '${privilege}')`
  t.equal(await ask('otherWallet', schema("'public'", 'USAGE')), true)
  t.equal(await ask('otherWallet', schema('2200', 'CREATE')), true)
  t.equal(await ask('owner, reading key', schema("'public'", 'CREATE')), false)
  t.equal(await ask('otherWallet', schema("'pg_catalog'", 'CREATE')), false)
  t.equal(await ask('otherWallet', schema("'other'", 'USAGE')), '3F000')
  t.equal(await ask('otherWallet', "has_database_privilege('test', 'CONNECT')"), true)
  t.equal(await ask('otherWallet', "has_database_privilege('test', 'CREATE')"), false)
  t.equal(await ask('otherWallet', "has_database_privilege('hidden', 'CONNECT')"), '3D000')
})

t.test('the views list what the caller holds', async (t) => {
  const { rows } = await openRights()
  const listed = async (who: Who, view: string) => {
    const query =
      `SELECT table_name, privilege_type, grantee FROM information_schema.${view} ` +
      "WHERE table_name IN ('private', 'public', 'shared')"
    const found = (await rows(who, query)) as Record<string, string>[]
    return [...new Set(found.map((row) => `${row.table_name} ${row.privilege_type}`))].sort()
  }
  for (const view of ['table_privileges', 'role_table_grants']) {
    t.same(await listed('otherWallet', view), [
      ...['public SELECT', 'shared DELETE', 'shared INSERT', 'shared SELECT', 'shared UPDATE'],
    ])
    t.same(await listed('owner, reading key', view), [
      ...['private SELECT', 'public SELECT', 'shared SELECT'],
    ])
  }
  for (const view of ['column_privileges', 'role_column_grants']) {
    t.same(await listed('otherWallet', view), [
      ...['public SELECT', 'shared INSERT', 'shared SELECT', 'shared UPDATE'],
    ])
  }
})
