// The tables of a SELECT: the privileges for reading them, and how each is read. A collection is
// read by the planner, a view through its stages, a virtual table from the catalog.

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
import { compileFilter, type Filter } from '../../../query/filter.js'
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
  | 'traces'
  | 'now'
  | 'request'
  | 'owner'
  | 'identity'
  | 'session'
  | 'services'
  | 'statement'
>

/** One resource for each table. A virtual table needs none: it shows what the caller may read. */
export function selectResources(db: string, text: string, statement: SelectStatement): Resource[] {
  return relationNames(text, statement).map((name) => resourceOf(db, name))
}

export function resourceOf(db: string, name: RelationName): Resource {
  if (isOfCatalog(name)) return { db, privileges: [] }
  return meaning(readable(db, name.written.name), name)
}

/** A table as used by joins and by the first step of a SELECT. */
export interface Table extends JoinInput {
  readonly name: string
  /** The collection; undefined if it is missing or the table is read in another way. */
  readonly ns: Namespace | undefined
  /** Its known columns. */
  readonly known: KnownTable | undefined
}

/**
 * `at` is the table's index in the statement; `scope` is that of function arguments. Throws 42P01
 * for a missing table.
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

/** Only clients of the SQL port get an error for a missing table; elsewhere it is empty. */
export function requireRelation({ session }: Pick<SelectCall, 'session'>, table: TableName): void {
  if (session.protocol !== 'sql') return
  const message = `relation "${table.name}" does not exist`
  throw evaluationError(evaluationState.undefinedTable, message, table.at)
}

type Make = (tx: ReadTx & Guarded, filter: Document) => Program<readonly Document[]>

/** A table whose rows are built on demand. */
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
    open: (tx, filter) => openGiven(make(tx, filter), compileFilter(filter, context)),
  }
}

function* openGiven(rows: Program<readonly Document[]>, filter: Filter): Program<Source> {
  const documents = yield* rows
  return documentsSource(documents.filter((document) => filter.matches(document)))
}

function* ready(documents: readonly Document[]): Program<readonly Document[]> {
  return documents
}

/** Opens the current collection or view, because a cursor outlives its first transaction. */
function openerOf(call: SelectCall, name: string, ns: Namespace | undefined): JoinInput['open'] {
  const { db, context } = call
  // Created with the first source, because a collection that is read alone needs none.
  let made: PipelineEnvironment | undefined
  return (tx, filter) => {
    made ??= environmentOf(call, ns)
    return openPlace(tx, { db, name }, compileFilter(filter, context), made)
  }
}

function* openPlace(
  tx: ReadTx & Guarded,
  { db, name }: { readonly db: string; readonly name: string },
  filter: Filter,
  environment: PipelineEnvironment,
): Program<Source> {
  const place = yield* readPlaceOf(tx, db, name, environment.context)
  return openFiltered(place, filter, [], environment)
}

function environmentOf(call: SelectCall, ns: Namespace | undefined): PipelineEnvironment {
  const { db, context, engine, traces, owner } = call
  return {
    db,
    context: collated(context, undefined, ns),
    use: traces,
    workspace: statementMemory(engine, owner),
  }
}

/** Smaller collections are read once and kept, even if they have indexes. */
const smallDocuments = 1_000

/** Whether looking up single rows by `path` is better than reading the table once. */
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
