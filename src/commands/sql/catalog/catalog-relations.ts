// The data of the virtual tables: the collections and views that the caller may read, with their
// indexes, owners and columns. Their OIDs stay the same as long as they exist.

import type { Call } from '../../../bus/document/call.js'
import { shownNamespaces } from '../../../engine/collection/catalog/catalog.js'
import { secondaryIndexes } from '../../../engine/collection/kinds/capped-order.js'
import { idIndexName } from '../../../engine/index/index-spec.js'
import { openFind } from '../../../engine/sources/source.js'
import type { Guarded, IndexDescriptor, Namespace } from '../../../engine/types.js'
import { walletOf } from '../../../identity/identity.js'
import { compileFilter } from '../../../query/filter.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { emptyDocument } from '../../document/arguments.js'
import { eachReachable, type Reader } from '../../document/collections/reachable.js'
import { declaredTable } from '../define/declared-table.js'
import { type ColumnType, columnTypeOf } from './catalog-types.js'
import { constraintName } from './constraint-name.js'
import { idColumn, type KnownTable } from './known-table.js'
import { sampledColumns } from './sampled-columns.js'

/** OIDs below this are PostgreSQL's own. */
const firstOid = 16_384
/** OIDs of indexes on `_id`, which have no descriptor. */
const firstIdIndexOid = 1_000_000_000
const firstRoleOid = 10

/** What reading the catalog needs from a call. */
type CatalogCall = Reader & Pick<Call<unknown, unknown>, 'db' | 'context'>

export const operatorName = 'operator'

export interface Relation {
  readonly oid: number
  readonly ns: Namespace
  readonly isView: boolean
  readonly owner: number
  readonly indexes: readonly RelationIndex[]
}

export interface RelationIndex {
  readonly oid: number
  readonly name: string
  readonly isPrimary: boolean
  readonly isUnique: boolean
  readonly keys: readonly { readonly path: string; readonly descends: boolean }[]
}

export interface RelationColumn {
  readonly name: string
  readonly type: ColumnType
  readonly isRequired: boolean
}

export class Relations {
  private constructor(
    readonly call: CatalogCall,
    readonly list: readonly Relation[],
    /** Every collection and view of the database, readable or not. */
    readonly all: readonly Namespace[],
    /** Databases in which the caller may read something. */
    readonly databases: readonly string[],
    /** OIDs of owners, the operator and the caller, by name. */
    readonly roles: ReadonlyMap<string, number>,
  ) {}

  static *load(tx: ReadTx & Guarded, call: CatalogCall): Program<Relations> {
    const roles = new Map([[operatorName, firstRoleOid]])
    const roleOf = (name: string): number => {
      const known = roles.get(name)
      if (known !== undefined) return known
      const oid = firstRoleOid + roles.size
      roles.set(name, oid)
      return oid
    }
    roleOf(userOf(call))
    const list: Relation[] = []
    const databases = new Set([call.db])
    yield* eachReachable(tx, call, function* (ns) {
      // The server's own collections are not tables of users.
      if (ns.access.audience !== undefined) return
      databases.add(ns.db)
      if (ns.db === call.db) list.push(relationOf(ns, roleOf(ns.access.owner ?? operatorName)))
    })
    // Includes collections that the caller may not read, because privileges are listed for each.
    const here = (yield* shownNamespaces(tx, call.db)).filter(
      ({ access }) => access.audience === undefined,
    )
    return new Relations(call, list, here, [...databases].sort(), roles)
  }

  roleName(oid: number): string {
    for (const [name, known] of this.roles) if (known === oid) return name
    return `unknown (OID=${oid})`
  }

  /** Searches all collections, readable or not. */
  namespaceByOid(oid: number): Namespace | undefined {
    return this.all.find(({ id }) => firstOid + id === oid)
  }

  /** Searches the name as written, then in lower case. */
  namespaceByName(name: string): Namespace | undefined {
    const named = (wanted: string) => this.all.find((ns) => ns.name === wanted)
    return named(name) ?? named(name.toLowerCase())
  }

  byOid(oid: number): Relation | undefined {
    return this.list.find((relation) => relation.oid === oid)
  }

  byName(name: string): Relation | undefined {
    return this.list.find(({ ns }) => ns.name === name)
  }

  indexByOid(oid: number): { relation: Relation; index: RelationIndex } | undefined {
    for (const relation of this.list) {
      const index = relation.indexes.find((one) => one.oid === oid)
      if (index !== undefined) return { relation, index }
    }
    return undefined
  }
}

export function userOf({ identity }: CatalogCall): string {
  if (identity.kind === 'user') return identity.name
  return walletOf(identity) ?? (identity.kind === 'operator' ? operatorName : 'anonymous')
}

function relationOf(ns: Namespace, owner: number): Relation {
  const isView = ns.view !== undefined
  return { oid: firstOid + ns.id, ns, isView, owner, indexes: isView ? [] : indexesOf(ns) }
}

/** A declared table has the keys of its CREATE TABLE; `_id` is not one of its columns. */
function indexesOf(ns: Namespace): readonly RelationIndex[] {
  const known = declaredTable(ns)
  const secondary = secondaryIndexes(ns)
  const primary = known && secondary.find((index) => isPrimaryKey(index, known))
  const own = secondary.map((index) => indexOf(index, index === primary))
  if (known !== undefined && !known.columns.has(idColumn)) return own
  const ofId: RelationIndex = {
    oid: firstIdIndexOid + ns.id,
    name: known === undefined ? idIndexName : constraintName(ns.name, idIndexName),
    isPrimary: primary === undefined,
    isUnique: true,
    keys: [{ path: idColumn, descends: false }],
  }
  return [ofId, ...own]
}

/** Whether CREATE TABLE would make this index as a primary key. */
function isPrimaryKey(
  { name, unique, fields }: IndexDescriptor,
  { required }: KnownTable,
): boolean {
  return unique && name.endsWith('_pkey') && fields.every(({ path }) => required.has(path))
}

function indexOf({ id, name, fields, unique }: IndexDescriptor, isPrimary: boolean): RelationIndex {
  const keys = fields.map(({ path, direction }) => ({ path, descends: direction === -1 }))
  return { oid: firstOid + id, name, isPrimary, isUnique: unique, keys }
}

/** The columns of CREATE TABLE, else those of the first documents; a view is not sampled. */
export function* relationColumns(
  tx: ReadTx & Guarded,
  { ns, isView }: Relation,
  call: CatalogCall,
): Program<readonly RelationColumn[]> {
  if (isView) return []
  const known = declaredTable(ns)
  if (known !== undefined) {
    return [...known.columns].map(([name, type]) => {
      return { name, isRequired: known.required.has(name), type: columnTypeOf(type) }
    })
  }
  const source = openFind(ns, { filter: compileFilter(emptyDocument, call.context) })
  const columns = yield* sampledColumns(tx, source)
  return columns.map(({ name, type }) => {
    return { name, type: columnTypeOf(type), isRequired: name === idColumn }
  })
}
