// The rows of the virtual tables, from what the caller may read. A column that a row omits is NULL;
// a table without an entry here has no rows.

import { entryUnits } from '../../../base/work/work-figures.js'
import type { Guarded } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { declaredTable } from '../define/declared-table.js'
import { sessionSettings } from '../session/session-setting-values.js'
import { indexDefinition } from './catalog-functions.js'
import {
  operatorName,
  type Relation,
  type RelationColumn,
  type Relations,
  relationColumns,
  userOf,
} from './catalog-relations.js'
import { type ColumnType, catalogTypes, columnTypeOf } from './catalog-types.js'
import { constraintName } from './constraint-name.js'
import { idColumn } from './known-table.js'
import { isOfColumns, type TablePrivilege, tablePrivileges } from './privileges.js'

type CatalogRow = Readonly<Record<string, unknown>>

/** Which rows a statement needs: those of one table, by name or OID. */
export interface Wanted {
  readonly name: string | undefined
  readonly oid: number | undefined
}

const publicOid = 2200
const schemas = [
  { name: 'pg_catalog', oid: 11 },
  { name: 'public', oid: publicOid },
  { name: 'information_schema', oid: 13_000 },
]
const heapOid = 2
const btreeOid = 403

type RowsOf = (relations: Relations) => CatalogRow[]

const rowsByTable: Readonly<Record<string, RowsOf>> = {
  'information_schema.tables': (relations) =>
    relations.list.map((relation) => ({
      ...placeOf(relation, relations),
      table_type: relation.isView ? 'VIEW' : 'BASE TABLE',
      is_typed: 'NO',
      is_insertable_into: relation.isView ? 'NO' : 'YES',
    })),
  'information_schema.views': (relations) =>
    relations.list
      .filter(({ isView }) => isView)
      .map((relation) => ({
        ...placeOf(relation, relations),
        check_option: 'NONE',
        is_updatable: 'NO',
        is_insertable_into: 'NO',
      })),
  'information_schema.table_privileges': grantRows,
  'information_schema.role_table_grants': grantRows,
  'information_schema.schemata': ({ call }) =>
    schemas.map(({ name }) => ({
      catalog_name: call.db,
      schema_name: name,
      schema_owner: 'operator',
    })),
  'information_schema.table_constraints': (relations) =>
    constraintsOf(relations).map(({ relation, name, isPrimary }) => ({
      ...placeOf(relation, relations),
      constraint_catalog: relations.call.db,
      constraint_schema: 'public',
      constraint_name: name,
      constraint_type: isPrimary ? 'PRIMARY KEY' : 'UNIQUE',
      is_deferrable: 'NO',
      initially_deferred: 'NO',
      enforced: 'YES',
    })),
  'information_schema.key_column_usage': (relations) =>
    constraintsOf(relations).flatMap(({ relation, name, paths }) =>
      paths.map((path, i) => ({
        ...placeOf(relation, relations),
        constraint_catalog: relations.call.db,
        constraint_schema: 'public',
        constraint_name: name,
        column_name: path,
        ordinal_position: i + 1,
      })),
    ),
  pg_namespace: () => schemas.map(({ name, oid }) => ({ oid, nspname: name, nspowner: 10 })),
  pg_class: (relations) => relations.list.flatMap((relation) => classesOf(relation)),
  pg_type: () => catalogTypes.flatMap(typesOf),
  pg_database: ({ databases }) =>
    databases.map((datname, i) => ({
      oid: firstDatabaseOid + i,
      datname,
      datdba: 10,
      encoding: 6,
      datlocprovider: 'c',
      datistemplate: false,
      datallowconn: true,
      datconnlimit: -1,
      dattablespace: 1663,
      datcollate: 'C.UTF-8',
      datctype: 'C.UTF-8',
    })),
  pg_am: () => [
    { oid: heapOid, amname: 'heap', amhandler: 'heap_tableam_handler', amtype: 't' },
    { oid: btreeOid, amname: 'btree', amhandler: 'bthandler', amtype: 'i' },
  ],
  pg_roles: ({ roles }) =>
    [...roles].map(([rolname, oid]) => ({
      oid,
      rolname,
      rolsuper: rolname === 'operator',
      rolinherit: true,
      rolcreaterole: false,
      rolcreatedb: false,
      rolcanlogin: true,
      rolreplication: false,
      rolconnlimit: -1,
      rolpassword: '********',
      rolbypassrls: false,
    })),
  pg_user: ({ roles }) =>
    [...roles].map(([usename, usesysid]) => ({
      usename,
      usesysid,
      usecreatedb: false,
      usesuper: usename === 'operator',
      passwd: '********',
    })),
  pg_settings: () => settingRows,
  pg_tables: (relations) =>
    relations.list
      .filter(({ isView }) => !isView)
      .map(({ ns, owner, indexes }) => ({
        schemaname: 'public',
        tablename: ns.name,
        tableowner: relations.roleName(owner),
        hasindexes: indexes.length > 0,
        hasrules: false,
        hastriggers: false,
        rowsecurity: false,
      })),
  pg_views: (relations) =>
    relations.list
      .filter(({ isView }) => isView)
      .map(({ ns, owner }) => ({
        schemaname: 'public',
        viewname: ns.name,
        viewowner: relations.roleName(owner),
      })),
  pg_indexes: (relations) =>
    relations.list.flatMap((relation) =>
      relation.indexes.map((index) => ({
        schemaname: 'public',
        tablename: relation.ns.name,
        indexname: index.name,
        indexdef: indexDefinition(relation, index),
      })),
    ),
}

const firstDatabaseOid = 5

const settingRows = Object.entries(sessionSettings).map(([name, setting]) => ({
  name,
  setting,
  context: 'user',
  vartype: 'string',
  source: 'default',
}))

/** The privileges of the caller; those of other users are not listed. */
function grantRows(relations: Relations): CatalogRow[] {
  return tablePrivileges(relations).map((held) => ({
    ...grantOf(held, relations),
    with_hierarchy: held.privilege === 'SELECT' ? 'YES' : 'NO',
  }))
}

function grantOf({ ns, privilege, isGrantable }: TablePrivilege, { call }: Relations): CatalogRow {
  return {
    grantor: ns.access.owner ?? operatorName,
    grantee: userOf(call),
    table_catalog: call.db,
    table_schema: 'public',
    table_name: ns.name,
    privilege_type: privilege,
    is_grantable: isGrantable ? 'YES' : 'NO',
  }
}

function* columnGrants(
  tx: ReadTx & Guarded,
  relation: Relation,
  relations: Relations,
): Program<CatalogRow[]> {
  const held = tablePrivileges(relations).filter(
    (one) => one.ns.id === relation.ns.id && isOfColumns(one),
  )
  const columns = yield* relationColumns(tx, relation, relations.call)
  return columns.flatMap(({ name }) =>
    held.map((one) => ({ ...grantOf(one, relations), column_name: name })),
  )
}

/** Tables whose rows need sampled columns. */
const sampled: Readonly<
  Record<
    string,
    (tx: ReadTx & Guarded, relation: Relation, all: Relations) => Program<CatalogRow[]>
  >
> = {
  'information_schema.column_privileges': columnGrants,
  'information_schema.role_column_grants': columnGrants,
  'information_schema.columns': function* (tx, relation, relations) {
    const columns = yield* relationColumns(tx, relation, relations.call)
    return columns.map(({ name, type, isRequired }, i) => ({
      ...placeOf(relation, relations),
      column_name: name,
      ordinal_position: i + 1,
      data_type: type.words,
      is_nullable: isRequired ? 'NO' : 'YES',
      udt_catalog: relations.call.db,
      udt_schema: 'pg_catalog',
      udt_name: type.name,
      is_identity: 'NO',
      is_generated: 'NEVER',
      is_updatable: 'YES',
    }))
  },
  pg_attribute: function* (tx, relation, relations) {
    const columns = yield* relationColumns(tx, relation, relations.call)
    const types = new Map(columns.map(({ name, type }) => [name, type]))
    const own = columns.map((column, i) => attributeOf(relation.oid, i, column))
    const indexed = relation.indexes.flatMap(({ oid, keys }) =>
      keys.map(({ path }, i) => {
        const type = types.get(path) ?? columnTypeOf('text')
        return attributeOf(oid, i, { name: path, type, isRequired: false })
      }),
    )
    return [...own, ...indexed]
  },
  pg_index: function* (tx, relation, relations) {
    const numbers = yield* columnNumbers(tx, relation, relations)
    return indexesOf(relation, numbers)
  },
  pg_constraint: function* (tx, relation, relations) {
    const numbers = yield* columnNumbers(tx, relation, relations)
    return constraintsOf({ list: [relation] }).map(({ name, oid, isPrimary, paths }) => ({
      oid,
      conname: name,
      connamespace: publicOid,
      contype: isPrimary ? 'p' : 'u',
      condeferrable: false,
      condeferred: false,
      convalidated: true,
      conrelid: relation.oid,
      contypid: 0,
      conindid: oid,
      conparentid: 0,
      confrelid: 0,
      conislocal: true,
      coninhcount: 0,
      connoinherit: true,
      conkey: paths.map((path) => numbers(path)),
    }))
  },
}

/** The number of a column in its table. A path below a column has 0, like an expression. */
function* columnNumbers(
  tx: ReadTx & Guarded,
  relation: Relation,
  { call }: Relations,
): Program<(path: string) => number> {
  // Most collections have no key but `_id`, which is the first field of a document.
  const isById = relation.indexes.every(({ keys }) => keys.every(({ path }) => path === idColumn))
  if (isById && declaredTable(relation.ns) === undefined) return () => 1
  const columns = yield* relationColumns(tx, relation, call)
  return (path) => columns.findIndex(({ name }) => name === path) + 1
}

function attributeOf(
  attrelid: number,
  at: number,
  { name, type, isRequired }: RelationColumn,
): CatalogRow {
  return {
    attrelid,
    attname: name,
    atttypid: type.oid,
    attstattarget: -1,
    attlen: -1,
    attnum: at + 1,
    attndims: 0,
    atttypmod: type.modifier,
    attbyval: false,
    attstorage: storageOf(type),
    attnotnull: isRequired,
    atthasdef: false,
    atthasmissing: false,
    attidentity: '',
    attgenerated: '',
    attisdropped: false,
    attislocal: true,
    attinhcount: 0,
    attcollation: 0,
    attcompression: '',
  }
}

/** The rows of a table. Tables that sample collections sample only the wanted ones. */
export function* catalogRows(
  tx: ReadTx & Guarded,
  table: string,
  relations: Relations,
  wanted: Wanted,
): Program<readonly CatalogRow[]> {
  const look = sampled[table]
  if (look === undefined) return rowsByTable[table]?.(relations) ?? []
  const rows: CatalogRow[] = []
  for (const relation of relations.list) {
    if (wanted.name !== undefined && wanted.name !== relation.ns.name) continue
    if (wanted.oid !== undefined && !hasOid(relation, wanted.oid)) continue
    rows.push(...(yield* look(tx, relation, relations)))
    yield* tx.pause(entryUnits)
  }
  return rows
}

/** `p`: fixed length; `x`: variable length, compressed if long. */
function storageOf({ name }: ColumnType): string {
  const length = catalogTypes.find((type) => type.name === name)?.length ?? -1
  return length > 0 ? 'p' : 'x'
}

/** Whether the OID is that of the relation or of one of its indexes. */
function hasOid({ oid, indexes }: Relation, wanted: number): boolean {
  return oid === wanted || indexes.some((index) => index.oid === wanted)
}

function placeOf({ ns }: Relation, { call }: Relations): CatalogRow {
  return { table_catalog: call.db, table_schema: 'public', table_name: ns.name }
}

function classesOf({ oid, ns, isView, owner, indexes }: Relation): CatalogRow[] {
  const shared = {
    relnamespace: publicOid,
    reltype: 0,
    reloftype: 0,
    relowner: owner,
    reltablespace: 0,
    relpages: 0,
    reltuples: -1,
    relallvisible: 0,
    reltoastrelid: 0,
    relisshared: false,
    relpersistence: 'p',
    relchecks: 0,
    relhasrules: false,
    relhastriggers: false,
    relhassubclass: false,
    relrowsecurity: false,
    relforcerowsecurity: false,
    relispopulated: true,
    relreplident: 'd',
    relispartition: false,
  }
  const own = {
    oid,
    relname: ns.name,
    relkind: isView ? 'v' : 'r',
    relam: isView ? 0 : heapOid,
    relfilenode: oid,
    relhasindex: indexes.length > 0,
    relnatts: declaredTable(ns)?.columns.size ?? 0,
    ...shared,
  }
  return [
    own,
    ...indexes.map((index) => ({
      oid: index.oid,
      relname: index.name,
      relkind: 'i',
      relam: btreeOid,
      relfilenode: index.oid,
      relhasindex: false,
      relnatts: index.keys.length,
      ...shared,
    })),
  ]
}

function indexesOf({ oid, indexes }: Relation, numbers: (path: string) => number): CatalogRow[] {
  return indexes.map(({ keys, ...index }) => ({
    indexrelid: index.oid,
    indrelid: oid,
    indnatts: keys.length,
    indnkeyatts: keys.length,
    indisunique: index.isUnique,
    indisexclusion: false,
    indnullsnotdistinct: true,
    indisprimary: index.isPrimary,
    indimmediate: true,
    indisclustered: false,
    indisvalid: true,
    indisready: true,
    indislive: true,
    indisreplident: false,
    indkey: keys.map(({ path }) => numbers(path)),
    indoption: keys.map(({ descends }) => (descends ? 3 : 0)),
  }))
}

function typesOf({ name, oid, arrayOid, length, category }: (typeof catalogTypes)[number]) {
  const shared = {
    typnamespace: 11,
    typowner: 10,
    typtype: 'b',
    typispreferred: false,
    typdelim: ',',
    typisdefined: true,
    typrelid: 0,
    typnotnull: false,
    typbasetype: 0,
    typtypmod: -1,
    typndims: 0,
    typcollation: 0,
    typbyval: false,
  }
  return [
    {
      oid,
      typname: name,
      typlen: length,
      typcategory: category,
      typelem: 0,
      typarray: arrayOid,
      ...shared,
    },
    {
      oid: arrayOid,
      typname: `_${name}`,
      typlen: -1,
      typcategory: 'A',
      typelem: oid,
      typarray: 0,
      ...shared,
    },
  ]
}

interface Constraint {
  readonly relation: Relation
  readonly oid: number
  readonly name: string
  readonly isPrimary: boolean
  readonly paths: readonly string[]
}

/** Primary keys and unique indexes as constraints. */
function constraintsOf({ list }: Pick<Relations, 'list'>): Constraint[] {
  return list.flatMap((relation) =>
    relation.indexes
      .filter(({ isUnique }) => isUnique)
      .map(({ oid, name, isPrimary, keys }) => ({
        relation,
        oid,
        isPrimary,
        paths: keys.map(({ path }) => path),
        name: constraintName(relation.ns.name, name),
      })),
  )
}
