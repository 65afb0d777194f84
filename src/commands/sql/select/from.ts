// The tables of a SELECT: what reading them needs, and how each is read — a collection by the
// planner, a view through its stages, a virtual table from what the catalog tells.

import type { Call } from '../../../bus/document/call.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import { countOf } from '../../../engine/collection/counters.js'
import { isSequenced } from '../../../engine/collection/kinds/capped-order.js'
import { viewsName } from '../../../engine/collection/kinds/view-options.js'
import { readPlaceOf, viewDocuments } from '../../../engine/collection/kinds/views.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import { openFiltered, type PipelineEnvironment } from '../../../engine/sources/pipeline-source.js'
import { documentsSource } from '../../../engine/sources/source.js'
import type { Guarded, Namespace, Resource } from '../../../engine/types.js'
import type { SelectStatement, TableName, TableReference } from '../../../protocol/sql/ast.js'
import { compileFilter } from '../../../query/filter.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { collated } from '../../document/arguments.js'
import { readable } from '../../document/reading/view-reads.js'
import { isVirtual, knownVirtual, virtualDocuments } from '../catalog/catalog.js'
import { Relations } from '../catalog/catalog-relations.js'
import type { KnownTable } from '../catalog/known-table.js'
import { declaredTable } from '../define/declared-table.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Scope } from '../expression/scope.js'
import { isOfCatalog, meaning, type RelationName, relationNames } from '../relation-names.js'
import { functionTable } from './function-table.js'
import type { JoinInput } from './join-source.js'
import { statementMemory } from './statement-memory.js'

export type SelectCall = Pick<
  Call<unknown, unknown>,
  | 'db'
  | 'context'
  | 'mayAt'
  | 'readsAll'
  | 'engine'
  | 'now'
  | 'owner'
  | 'identity'
  | 'session'
  | 'services'
>

/**
 * What the statement names, a resource for each table: virtual ones tell what the caller may read.
 */
export function selectResources(db: string, text: string, statement: SelectStatement): Resource[] {
  return relationNames(text, statement).map((name) => resourceOf(db, name))
}

export function resourceOf(db: string, name: RelationName): Resource {
  if (isOfCatalog(name)) return { db, privileges: [] }
  return meaning(readable(db, name.written.name), name)
}

/** One table as a join and the first step of a SELECT read it. */
export interface Table extends JoinInput {
  readonly name: string
  /** The collection itself; undefined where there is none, or it is read in another way. */
  readonly ns: Namespace | undefined
  /** What is known of its columns. */
  readonly known: KnownTable | undefined
}

/**
 * `at`: which of the statement's tables it is; arguments of a function in FROM are of `scope`.
 * Throws 42P01 for a table that is not there.
 */
export function* openTable(
  tx: CommandReadTx,
  call: SelectCall,
  reference: TableReference,
  at: number,
  scope: Scope,
  known?: Relations,
): Program<Table> {
  const { name } = reference
  if (reference.call !== undefined) {
    const { known: columns, rows } = functionTable({ ...reference, call: reference.call }, scope)
    return given(name, columns, call, () => ready(rows))
  }
  if (isVirtual(reference)) {
    const columns = knownVirtual(reference)
    const relations = known ?? (yield* Relations.load(tx, call))
    return given(name, columns, call, (inside, filter) =>
      virtualDocuments(inside, reference, relations, filter),
    )
  }
  if (name === viewsName) {
    const documents = yield* viewDocuments(tx, call.db, (privilege, place) =>
      call.mayAt(privilege, place),
    )
    return given(name, undefined, call, () => ready(documents))
  }
  const ns = tx.namespace(at)
  if (ns === undefined) requireRelation(call, reference)
  return { name, ns, isIndexed: false, known: declaredTable(ns), open: openerOf(call, name, ns) }
}

/** Clients of the SQL port are told of a missing table; elsewhere it is an empty collection. */
export function requireRelation({ session }: Pick<SelectCall, 'session'>, table: TableName): void {
  if (session.protocol !== 'sql') return
  const message = `relation "${table.name}" does not exist`
  throw evaluationError(evaluationState.undefinedTable, message, table.at)
}

type Make = (tx: ReadTx & Guarded, filter: Document) => Program<readonly Document[]>

/** A table whose rows are made when they are asked for. */
function given(
  name: string,
  known: KnownTable | undefined,
  { context }: SelectCall,
  make: Make,
): Table {
  return {
    name,
    known,
    ns: undefined,
    isIndexed: false,
    *open(tx, filter) {
      const compiled = compileFilter(filter, context)
      const documents = yield* make(tx, filter)
      return documentsSource(documents.filter((document) => compiled.matches(document)))
    },
  }
}

function* ready(documents: readonly Document[]): Program<readonly Document[]> {
  return documents
}

/** What the collection or view is at that time: a cursor outlives its first transaction. */
function openerOf(call: SelectCall, name: string, ns: Namespace | undefined): JoinInput['open'] {
  const { db, context } = call
  // Made with the first source: a collection that is read by itself needs none.
  let made: PipelineEnvironment | undefined
  return function* (tx: ReadTx & Guarded, filter: Document): Program<Source> {
    made ??= environmentOf(call, ns)
    const place = yield* readPlaceOf(tx, db, name, made.context)
    return openFiltered(place, compileFilter(filter, context), [], made)
  }
}

function environmentOf(call: SelectCall, ns: Namespace | undefined): PipelineEnvironment {
  const { db, context, engine, owner } = call
  return {
    db,
    context: collated(context, undefined, ns),
    use: engine.indexUse,
    workspace: statementMemory(engine, owner),
  }
}

/** Fewer documents than these are read once and kept, whatever indexes there are. */
const smallDocuments = 1_000

/** Whether rows of the table are better looked up, one by one, by `path`. */
export function* isLookedUp(
  tx: ReadTx,
  { ns }: Table,
  path: readonly (string | number)[] | undefined,
): Program<boolean> {
  if (ns === undefined || ns.view !== undefined || path === undefined) return false
  const text = path.join('.')
  const isServed =
    (text === '_id' && ns.collation === undefined && !isSequenced(ns)) ||
    ns.indexes.some(({ fields, state, partial, hidden, collation, wildcard }) => {
      const isPlain = partial === undefined && hidden !== true && wildcard === undefined
      return isPlain && state === 'ready' && collation === undefined && fields[0]?.path === text
    })
  return isServed && (yield* countOf(tx, ns)).documents > smallDocuments
}
