// The rows of UPDATE and DELETE: found by an index on one snapshot, computed one by one, then
// written in one write program. A row that another client changed meanwhile is computed again, as
// PostgreSQL does at READ COMMITTED. Rows added since the snapshot are not changed.
// (docs/design/transactions.md, rules 1 to 3; docs/sql.md, "Changes are all or nothing")

import { type Bytes, equalBytes } from '../../../base/bytes/bytes.js'
import { GatewayError } from '../../../base/errors.js'
import {
  firstPullBytes,
  programBytesMax,
  programPutsMax,
  pullDocumentsMax,
  scanBytesWhenShort,
} from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import {
  removeDocument,
  replaceDocument,
  stagedWrite,
} from '../../../engine/collection/collections.js'
import { documentOfRecord, isRecordOf } from '../../../engine/collection/records.js'
import type { Staged } from '../../../engine/collection/staging.js'
import { choosePlan } from '../../../engine/plan/plan-choice.js'
import { planQuery } from '../../../engine/plan/planner.js'
import { type FoundPlaces, Walk } from '../../../engine/sources/walk.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import type {
  DeleteStatement,
  Expression,
  ResultItem,
  UpdateStatement,
} from '../../../protocol/sql/ast.js'
import { compileFilter, type Filter } from '../../../query/filter.js'
import type { MemoryHolding } from '../../../query/spill.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import type { Document } from '../../../value/value.js'
import { declaredTable } from '../define/declared-table.js'
import { compile } from '../expression/compile.js'
import { compiledParts } from '../expression/compile-parts.js'
import { requireCount, rowCount } from '../expression/row-count.js'
import type { Scope } from '../expression/scope.js'
import { supersetFilter } from '../expression/superset.js'
import type { Evaluator } from '../expression/truth.js'
import { requireRelation } from '../select/from.js'
import type { Results } from '../select/result.js'
import { rowSpender } from '../select/row-stages.js'
import { statementMemory } from '../select/statement-memory.js'
import { takesTooLong, timesOut, tooLarge } from './change-bounds.js'
import { collectionOf, type SqlCall, scopeOf } from './change-call.js'
import { boundChange } from './change-names.js'
import { type Returned, returnedWith, returningOf } from './change-reply.js'
import { namesOneRow } from './one-program.js'

/** Rows that one write program computes again because other clients changed them. */
const sqlRecheckedMax = 100

/** The row after the change; undefined deletes it. */
type AfterOf = (document: Document) => Document | undefined

interface RowsChange<S extends UpdateStatement | DeleteStatement> {
  readonly statement: S
  /**
   * The change for the collection as it is now. Called before any row is read, even if the
   * collection is missing.
   */
  readonly afterIn: (ns: Namespace | undefined, bound: S, scope: Scope) => AfterOf
}

interface ChangedRows {
  readonly matched: number
  readonly modified: number
  /** The output of RETURNING. */
  readonly returned: Returned | undefined
}

interface Row {
  readonly key: Bytes
  readonly before: Document
  readonly after: Document | undefined
  /** Whether the row is deleted or different afterwards. */
  readonly isChanged: boolean
  /** The row's output of RETURNING. */
  readonly returned: Document | undefined
}

interface Decision {
  readonly matches: (document: Document) => boolean
  readonly afterOf: AfterOf
  readonly results: Results | undefined
  /** Called for each row before it is computed. */
  readonly spend: () => void
}

interface Search {
  /** Spare rows beyond LIMIT. */
  readonly spared: number
  readonly holding: MemoryHolding
}

interface FoundRows extends Decision {
  readonly ns: Namespace | undefined
  readonly limit: number
  /** Includes spare rows if other clients took rows in the previous attempt. */
  readonly rows: readonly Row[]
  /** Whether more rows may match. */
  readonly hasMore: boolean
}

/**
 * Runs the change as a whole or not at all. Throws TransactionTooLarge, WriteConflict, and errors
 * of single rows.
 */
export function* changeRows<S extends UpdateStatement | DeleteStatement>(
  call: SqlCall,
  change: RowsChange<S>,
): Sweep<ChangedRows> {
  const holding = statementMemory(call.engine, call.owner).holding()
  try {
    return yield* changeHeld(call, change, holding)
  } finally {
    holding.close()
  }
}

/** `holding` counts the rows from their search to the commit. */
function* changeHeld<S extends UpdateStatement | DeleteStatement>(
  call: SqlCall,
  change: RowsChange<S>,
  holding: MemoryHolding,
): Sweep<ChangedRows> {
  if (namesOneRow(call, change.statement)) {
    const done = yield* stagedWrite((tx, staged) => changeOne(tx, call, change, holding, staged))
    if (done !== undefined) return done
  }
  for (let run = 0; ; run++) {
    const spared = run === 0 ? 0 : sparedFirst * 2 ** run
    const chosen = yield* found((tx) => prepareRows(tx, call, change, { spared, holding }))
    if (chosen.rows.length === 0) return noneChanged(chosen)
    const collection = collectionOf(change.statement.table)
    const done = yield* stagedWrite((tx, staged) =>
      changeAll(tx, call.db, collection, chosen, staged),
    )
    if (done !== undefined) return done
    timesOut(run)
  }
}

/** Finds, computes and writes the row in one program; undefined if no unique key leads to it. */
function* changeOne<S extends UpdateStatement | DeleteStatement>(
  tx: Tx & Guarded,
  call: SqlCall,
  change: RowsChange<S>,
  holding: MemoryHolding,
  staged: Staged,
): Program<ChangedRows | undefined> {
  const chosen = yield* prepareOne(tx, call, change, holding)
  if (chosen === undefined) return undefined
  if (chosen.rows.length === 0) return noneChanged(chosen)
  return yield* changeAll(tx, call.db, collectionOf(change.statement.table), chosen, staged)
}

/**
 * Runs the search on one snapshot. If it outlives the snapshot, the search runs again as in the
 * document protocol and reads each part of the collection in its current state.
 */
function* found<T>(program: (tx: ReadTx) => Program<T>): Sweep<T> {
  try {
    return yield* readPhase(program, { snapshot: true })
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind !== 'SnapshotTooOld') throw thrown
    return yield* readPhase(program)
  }
}

/** Spare rows beyond LIMIT after a conflict; doubled with each attempt. */
const sparedFirst = 8

function noneChanged(decision: Decision): ChangedRows {
  return { matched: 0, modified: 0, ...returned(decision, []) }
}

function returned({ results }: Decision, rows: readonly Document[]): Pick<ChangedRows, 'returned'> {
  return { returned: results && returnedWith(results, rows) }
}

function* prepareRows<S extends UpdateStatement | DeleteStatement>(
  tx: ReadTx & Guarded,
  call: SqlCall,
  change: RowsChange<S>,
  { spared, holding }: Search,
): Program<FoundRows> {
  const search = yield* searchOf(tx, call, change)
  const { ns, limit, decision, filter } = search
  if (ns === undefined || limit === 0) return noneFound(search)
  const first = planQuery(ns, { filter })
  const plan = yield* choosePlan(tx, ns, { filter }, first, call.traces.choices)
  call.traces.note(ns, plan)
  const wanted = limit + Math.min(spared, sqlRecheckedMax)
  const rows = yield* rowsOf(tx, new Walk(ns, plan, filter), decision, wanted, holding)
  return { ns, limit, rows, hasMore: rows.length >= wanted, ...decision }
}

/** As prepareRows, if a unique key leads to the row; else undefined. */
function* prepareOne<S extends UpdateStatement | DeleteStatement>(
  tx: ReadTx & Guarded,
  call: SqlCall,
  change: RowsChange<S>,
  holding: MemoryHolding,
): Program<FoundRows | undefined> {
  const search = yield* searchOf(tx, call, change)
  const { ns, limit, decision, filter } = search
  if (ns === undefined || limit === 0) return noneFound(search)
  const plan = planQuery(ns, { filter })
  if (!plan.isSingle) return undefined
  const rows = yield* rowsOf(tx, new Walk(ns, plan, filter), decision, 1, holding)
  return { ns, limit, rows, hasMore: false, ...decision }
}

/** What a change looks for. */
interface RowSearch {
  readonly ns: Namespace | undefined
  readonly limit: number
  readonly decision: Decision
  readonly filter: Filter
}

function noneFound({ decision, ns, limit }: RowSearch): FoundRows {
  return { ns, limit, rows: [], hasMore: false, ...decision }
}

function* searchOf<S extends UpdateStatement | DeleteStatement>(
  tx: ReadTx & Guarded,
  call: SqlCall,
  { statement: given, afterIn }: RowsChange<S>,
): Program<RowSearch> {
  const ns = yield* findNamespace(tx, call.db, collectionOf(given.table))
  if (ns === undefined) requireRelation(call, given.table)
  const { statement, tables, known } = boundChange(given, declaredTable(ns))
  const { where, limit: most, returning } = statement
  const scope = yield* compiledParts(tx, [where], scopeOf(call, tables, known))
  const wantedRows = most === undefined ? undefined : rowCount(most, scope, 'LIMIT')
  requireCount(wantedRows, 'LIMIT')
  const limit = wantedRows ?? Number.POSITIVE_INFINITY
  const decision: Decision = {
    matches: matcherOf(where === undefined ? undefined : compile(where, scope)),
    afterOf: afterIn(ns, statement, scope),
    results: returningOf(returning, scope),
    spend: rowSpender(expressionsOf(statement)),
  }
  return { ns, limit, decision, filter: compileFilter(supersetFilter(where, scope), call.context) }
}

function expressionsOf(statement: UpdateStatement | DeleteStatement): readonly Expression[] {
  const { where, returning } = statement
  const set = statement.kind === 'update' ? statement.set : []
  const all = [where, ...set.map(({ value }) => value), ...returning.map(expressionOf)]
  return all.filter((expression) => expression !== undefined)
}

function expressionOf({ expression }: ResultItem): Expression {
  return expression
}

function matcherOf(where: Evaluator | undefined): (document: Document) => boolean {
  return where === undefined ? () => true : (document) => where.truth([document]) === true
}

/** Rows before and after the change, counted as they are read; they must fit a write program. */
function* rowsOf(
  tx: ReadTx,
  walk: Walk,
  decision: Decision,
  limit: number,
  holding: MemoryHolding,
): Program<Row[]> {
  const rows: Row[] = []
  let bytes = 0
  while (!walk.drained && rows.length < limit) {
    const found: FoundPlaces = { documents: [], keys: [] }
    // What is read counts once it is computed, so little is read at once.
    const bytesMax = rows.length === 0 ? firstPullBytes : scanBytesWhenShort
    yield* walk.read(tx, Math.min(pullDocumentsMax, limit - rows.length), found, bytesMax)
    for (const [i, before] of found.documents.entries()) {
      if (work.isDue) {
        yield* tx.pause()
      }
      const row = rowOf(found.keys[i] as Bytes, before, decision)
      if (row === undefined) continue
      rows.push(row)
      bytes += before.length + (row.after?.length ?? 0) + (row.returned?.length ?? 0)
      const isTooMuch = rows.length > programPutsMax || bytes > keptBytesMax
      if (isTooMuch && rows.length > 1) throw tooLarge()
      holding.hold(bytes)
    }
    yield* tx.pause(found.documents.length * entryUnits)
  }
  return rows
}

/** Undefined if the statement does not match the row. */
function rowOf(
  key: Bytes,
  before: Document,
  { matches, afterOf, results, spend }: Decision,
): Row | undefined {
  spend()
  if (!matches(before)) return undefined
  const after = afterOf(before)
  const isChanged = after === undefined || !equalBytes(before, after)
  return { key, before, after, isChanged, returned: results?.write([after ?? before]) }
}

/** Bytes of rows before and after: what one write program compares and puts. */
const keptBytesMax = 4 * programBytesMax

/** Undefined if the statement must restart. */
function* changeAll(
  tx: Tx & Guarded,
  db: string,
  collection: string,
  chosen: FoundRows,
  staged: Staged,
): Program<ChangedRows | undefined> {
  const { rows, limit, hasMore } = chosen
  const ns = yield* findNamespace(tx, db, collection)
  if (ns === undefined || !isSameTable(ns, chosen.ns)) return undefined
  const again = { left: sqlRecheckedMax }
  const shown: Document[] = []
  let matched = 0
  let modified = 0
  for (let i = 0; i < rows.length && matched < limit; i++) {
    if (i > 0 && !work.allows(0)) throw takesTooLong()
    const seen = rows[i] as Row
    const record = yield* tx.get(seen.key)
    const isAsSeen = record !== undefined && isRecordOf(record, seen.before)
    const row = isAsSeen ? seen : yield* rowNow(tx, seen, record, chosen, again)
    if (row === 'stale') return undefined
    if (row === undefined) continue
    const { key, before, after } = row
    if (after === undefined) yield* removeDocument(tx, ns, key, before)
    else if (row.isChanged) {
      yield* replaceDocument(tx, ns, key, before, after, staged)
      modified++
    }
    matched++
    if (row.returned !== undefined) shown.push(row.returned)
  }
  // Other clients took rows, so further rows may match instead.
  if (matched < limit && hasMore) return undefined
  return { matched, modified, ...returned(chosen, shown) }
}

function isSameTable(now: Namespace, seen: Namespace | undefined): boolean {
  return seen !== undefined && now.id === seen.id && equalBytes(now.options, seen.options)
}

/** The current row, if the statement still matches it. */
function* rowNow(
  tx: Tx,
  seen: Row,
  record: Bytes | undefined,
  decision: Decision,
  again: { left: number },
): Program<Row | 'stale' | undefined> {
  const before = record === undefined ? undefined : yield* documentOfRecord(tx, record)
  if (before !== undefined && equalBytes(before, seen.before)) return { ...seen, before }
  if (again.left-- <= 0) return 'stale'
  return before === undefined ? undefined : rowOf(seen.key, before, decision)
}
