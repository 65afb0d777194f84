// has_table_privilege, related functions, and the privilege views: the rights decision (allow) in
// PostgreSQL's terms. For another wallet only mode and owner count, which every client may read.
// Roles are visible only to callers that may change them.

import type { Namespace, Privilege } from '../../../engine/types.js'
import { allow } from '../../../identity/rights/allow.js'
import { parseWalletName } from '../../../identity/sign-in/credentials.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, stringOf, type Value } from '../../../value/value.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { operatorName, type Relations, userOf } from './catalog-relations.js'
import { virtualName } from './catalog-tables.js'

/** Sigil's privilege for each privilege of a table. Views cannot be changed. */
const requiredBy: Readonly<Record<string, Privilege>> = {
  SELECT: 'read',
  INSERT: 'write',
  UPDATE: 'write',
  DELETE: 'write',
  TRUNCATE: 'admin',
  REFERENCES: 'own',
  TRIGGER: 'own',
  MAINTAIN: 'index',
}

const columnPrivileges = ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']
const ofViews: ReadonlySet<string> = new Set(['SELECT'])

/** Whether a user has the privilege on a table; undefined stands for a new table. */
type Holder = (required: Privilege, ns: Namespace | undefined) => boolean

/** One requested privilege. */
interface Asked {
  readonly name: string
  /** WITH GRANT OPTION: whether the user may grant it to others. */
  readonly isGrant: boolean
}

export interface TablePrivilege {
  readonly ns: Namespace
  readonly privilege: string
  readonly isGrantable: boolean
}

/** A `has_…_privilege` function by name; NULL if an argument is NULL. */
export function hasPrivilege(
  name: string,
  args: readonly (Value | undefined)[],
  relations: Relations,
): boolean | undefined {
  if (args.some((arg) => arg === undefined || arg.type === bsonType.null)) return undefined
  const given = args as readonly Value[]
  const kind = name.replace(/^has_|_privilege$/g, '')
  const count = kind === 'column' ? 3 : 2
  const holder = given.length > count ? holderOf(given[0] as Value, relations) : own(relations)
  const [object, ...rest] = given.slice(given.length - count) as [Value, ...Value[]]
  const privileges = rest.at(-1) as Value
  switch (kind) {
    case 'schema':
      return ofSchema(object, privileges, holder)
    case 'database':
      return ofDatabase(object, privileges, relations)
    case 'table':
      return ofTable(object, asked(privileges, Object.keys(requiredBy)), holder, relations)
    default:
      return ofTable(object, asked(privileges, columnPrivileges), holder, relations)
  }
}

/** All privileges of the caller on the tables of the database. */
export function tablePrivileges(relations: Relations): TablePrivilege[] {
  const holder = own(relations)
  return relations.all.flatMap((ns) =>
    Object.keys(requiredBy)
      .filter((privilege) => holds(holder, ns, privilege))
      .map((privilege) => ({ ns, privilege, isGrantable: holder('admin', ns) })),
  )
}

export function isOfColumns({ privilege }: TablePrivilege): boolean {
  return columnPrivileges.includes(privilege)
}

function own({ call }: Relations): Holder {
  return (required, ns) => call.mayAt(required, ns ?? { db: call.db, name: '', access: undefined })
}

/** The user by name, or by OID of pg_roles; 0 and `public` stand for all users. */
function holderOf(user: Value, relations: Relations): Holder {
  const { call } = relations
  const name = user.type === bsonType.string ? stringOf(user) : roleIn(user, relations)
  const address = name === undefined ? undefined : parseWalletName(name)?.address
  const self = userOf(call)
  if (name === self || (address !== undefined && address === self)) return own(relations)
  if (name === undefined) return () => false
  if (name === operatorName) return () => true
  if (name === 'public')
    return (required, ns) => required === 'read' && ns?.access.mode === 'public'
  // Without logins the operator has every name.
  if (address === undefined && call.identity.kind === 'operator') return own(relations)
  if (address === undefined) {
    throw evaluationError(evaluationState.undefinedType, `role "${name}" does not exist`)
  }
  const identity = { kind: 'session', address, sid: '', chainId: 0 } as const
  return (required, ns) => {
    const access = ns?.access
    const seesRoles = ns === undefined || call.mayAt('admin', ns)
    return allow(
      identity,
      required,
      seesRoles || access === undefined ? access : { ...access, roles: {} },
    )
  }
}

function roleIn(user: Value, { roles }: Relations): string | undefined {
  const oid = integerOf(user)
  if (oid === 0) return 'public'
  for (const [name, known] of roles) if (known === oid) return name
  return undefined
}

/** Parses privileges separated by commas; having one of them is enough. */
function asked(privileges: Value, known: readonly string[]): readonly Asked[] {
  return stringOf(privileges)
    .split(',')
    .map((part) => {
      const text = part.trim().toUpperCase()
      const name = text.replace(/\s+WITH GRANT OPTION$/, '')
      if (!known.includes(name)) {
        const shown = `unrecognized privilege type: "${part.trim()}"`
        throw evaluationError(evaluationState.badArgument, shown)
      }
      return { name, isGrant: name !== text }
    })
}

function ofTable(
  table: Value,
  privileges: readonly Asked[],
  holder: Holder,
  relations: Relations,
): boolean | undefined {
  if (table.type !== bsonType.string) {
    const ns = relations.namespaceByOid(integerOf(table) ?? 0)
    return ns && privileges.some((one) => grants(holder, ns, one))
  }
  const text = stringOf(table)
  const parts = [...text.matchAll(/"((?:[^"]|"")*)"|([^".]+)/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  )
  const [name = '', schema] = parts.reverse()
  const isOfServer =
    schema !== 'public' &&
    virtualName({ at: 0, name, ...(schema === undefined ? {} : { schema }) }) !== undefined
  if (isOfServer) return privileges.some(({ name: each, isGrant }) => each === 'SELECT' && !isGrant)
  const isPublic = schema === undefined || schema === 'public'
  const ns = isPublic ? relations.namespaceByName(name) : undefined
  if (ns === undefined) {
    throw evaluationError(evaluationState.undefinedTable, `relation "${text}" does not exist`)
  }
  return privileges.some((one) => grants(holder, ns, one))
}

function grants(holder: Holder, ns: Namespace, { name, isGrant }: Asked): boolean {
  return holds(holder, ns, name) && (!isGrant || holder('admin', ns))
}

function holds(holder: Holder, ns: Namespace, privilege: string): boolean {
  const required = requiredBy[privilege]
  if (required === undefined || (ns.view !== undefined && !ofViews.has(privilege))) return false
  return holder(required, ns)
}

const schemas = new Map([
  ['pg_catalog', 11],
  ['public', 2200],
  ['information_schema', 13_000],
])

/** Every collection is in `public`. A caller that may write may create one. */
function ofSchema(schema: Value, privileges: Value, holder: Holder): boolean | undefined {
  const isName = schema.type === bsonType.string
  const name = isName ? stringOf(schema) : nameOfSchema(integerOf(schema))
  if (name === undefined) return undefined
  if (!schemas.has(name)) {
    throw evaluationError(evaluationState.undefinedSchema, `schema "${name}" does not exist`)
  }
  return asked(privileges, ['USAGE', 'CREATE']).some(
    (one) =>
      !one.isGrant && (one.name === 'USAGE' || (name === 'public' && holder('write', undefined))),
  )
}

function nameOfSchema(oid: number | undefined): string | undefined {
  for (const [name, known] of schemas) if (known === oid) return name
  return undefined
}

/** Every login may connect to a database; only collections can be created in it. */
function ofDatabase(
  database: Value,
  privileges: Value,
  { databases }: Relations,
): boolean | undefined {
  const known = ['CONNECT', 'CREATE', 'TEMP', 'TEMPORARY']
  const held = asked(privileges, known).some(({ name, isGrant }) => name === 'CONNECT' && !isGrant)
  if (database.type !== bsonType.string) return held
  const name = stringOf(database)
  if (databases.includes(name)) return held
  throw evaluationError(evaluationState.undefinedDatabase, `database "${name}" does not exist`)
}
