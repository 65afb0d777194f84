// INSERT: all rows first become documents, then one write program puts them. In a declared table
// the columns determine the types and the order of values. (docs/sql.md, "Tables")

import { equalBytes } from '../../../base/bytes/bytes.js'
import type { GatewayError } from '../../../base/errors.js'
import { messageBytesMax } from '../../../base/limits/documents.js'
import { work } from '../../../base/work/work-budget.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import { ensureNamespace, findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { stagedWrite, withId } from '../../../engine/collection/collections.js'
import type { Staged } from '../../../engine/collection/staging.js'
import { idOf } from '../../../engine/index/entries.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import type { Assigned, InsertStatement, Target } from '../../../protocol/sql/ast.js'
import type { MemoryHolding } from '../../../query/spill.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import { type Document, nullValue, type Value } from '../../../value/value.js'
import { emptyDocument } from '../../document/arguments.js'
import {
  columnAt,
  converted,
  type DeclaredColumn,
  declaredColumns,
  missingValue,
  requireColumns,
} from '../define/ddl-columns.js'
import { declaredTable } from '../define/declared-table.js'
import { compile } from '../expression/compile.js'
import type { Scope } from '../expression/scope.js'
import type { Results } from '../select/result.js'
import { statementMemory } from '../select/statement-memory.js'
import { requireShape, takesTooLong, timesOut, tooLarge } from './change-bounds.js'
import { collectionOf, type SqlCall, scopeOf } from './change-call.js'
import { changeError } from './change-error.js'
import { boundChange } from './change-names.js'
import { type Given, PathTree } from './change-path.js'
import { changeReply, type Returned, returnedWith, returningOf } from './change-reply.js'
import { type Conflicts, conflictsOf, insertRow } from './conflict.js'
import { holdsFewValues } from './one-program.js'

/** Rows as documents, with the collection state that they were computed for. */
interface ComputedRows {
  readonly ns: Namespace | undefined
  readonly rows: readonly ComputedRow[]
  readonly conflicts: Conflicts | undefined
  readonly results: Results | undefined
}

interface ComputedRow {
  readonly document: Document
  /** The row's output of RETURNING. */
  readonly returned: Document | undefined
}

interface Inserted {
  readonly ids: readonly Value[]
  /** Number of existing rows that ON CONFLICT changed; undefined without DO UPDATE. */
  readonly updated: number | undefined
  readonly returned: Returned | undefined
}

export function* runInsert(call: SqlCall, statement: InsertStatement): Sweep<Document> {
  const collection = collectionOf(statement.table)
  const { ids, updated, returned } = yield* inserted(call, statement, collection)
  return yield* changeReply(
    call,
    collection,
    (writer) => {
      writer.int32('insertedCount', ids.length).openArray('insertedIds')
      for (const id of ids) writer.push(id)
      writer.close()
      if (updated === undefined) return
      writer.int32('matchedCount', updated).int32('modifiedCount', updated)
    },
    returned,
  )
}

function* inserted(call: SqlCall, statement: InsertStatement, collection: string): Sweep<Inserted> {
  const holding = statementMemory(call.engine, call.owner).holding()
  try {
    if (holdsFewValues(call, statement)) {
      const done = yield* stagedWrite((tx, staged) =>
        insertAtOnce(tx, call, statement, holding, staged),
      )
      if (done !== undefined) return done
    }
    for (let run = 0; ; run++) {
      const computed = yield* readPhase((tx) => prepareRows(tx, call, statement, holding))
      const done = yield* stagedWrite((tx, staged) =>
        insertAll(tx, call, collection, computed, staged),
      )
      if (done !== undefined) return done
      timesOut(run)
    }
  } finally {
    holding.close()
  }
}

/** Computes the rows in the program that writes them. */
function* insertAtOnce(
  tx: Tx & Guarded,
  call: SqlCall,
  statement: InsertStatement,
  holding: MemoryHolding,
  staged: Staged,
): Program<Inserted | undefined> {
  const computed = yield* prepareRows(tx, call, statement, holding)
  return yield* insertAll(tx, call, collectionOf(statement.table), computed, staged)
}

function* prepareRows(
  tx: ReadTx & Guarded,
  call: SqlCall,
  given: InsertStatement,
  holding: MemoryHolding,
): Program<ComputedRows> {
  const ns = yield* findNamespace(tx, call.db, collectionOf(given.table))
  const change = boundChange(given, declaredTable(ns))
  const { statement, tables, known } = change
  const results = returningOf(statement.returning, scopeOf(call, tables, known))
  const conflicts = conflictsOf(call, change)
  const columns = ns === undefined ? undefined : declaredColumns(ns.options)
  const rows = statement.rows ?? [[]]
  const shape = shapeOf(call, statement, columns)
  const scope = scopeOf(call, [])
  const computed: ComputedRow[] = []
  let bytes = 0
  for (const [at, row] of rows.entries()) {
    yield* tx.pause(entryUnits)
    const document = documentOf(call, shape, row, at, scope)
    // With ON CONFLICT, the inserted rows are only known in the write program.
    const returned = statement.conflict === undefined ? results?.write([document]) : undefined
    bytes += document.length + (returned?.length ?? 0)
    if (bytes > messageBytesMax && at > 0) throw tooLarge()
    holding.hold(bytes)
    computed.push({ document, returned })
  }
  return { ns, rows: computed, conflicts, results }
}

/** The targets of a row's values, and the casts before. */
interface Shape {
  /** Name of the table. */
  readonly name: string
  readonly tree: PathTree
  readonly targets: readonly Target[]
  readonly declared: readonly DeclaredColumn[] | undefined
  readonly columns: readonly (DeclaredColumn | undefined)[]
}

function shapeOf(
  call: SqlCall,
  statement: InsertStatement,
  declared: readonly DeclaredColumn[] | undefined,
): Shape {
  const targets = statement.columns ?? targetsOf(call, statement, declared)
  const tree = new PathTree(targets, (target) => clash(call.target, target))
  const wanted = statement.columns === undefined ? undefined : targets.length
  requireRows(call, statement, targets, wanted)
  const { name } = statement.table
  return {
    name,
    tree,
    targets,
    declared,
    columns: targets.map(({ path }) => columnAt(path, declared)),
  }
}

/** The order of columns is that of CREATE TABLE; other collections have none. */
function targetsOf(
  { target: text }: SqlCall,
  { rows, table }: InsertStatement,
  declared: readonly DeclaredColumn[] | undefined,
): readonly Target[] {
  if (declared !== undefined) return declared.map(({ name }) => ({ at: table.at, path: [name] }))
  if (rows === undefined) return []
  const message =
    `INSERT into "${table.name}" needs a list of columns: ` +
    'only collections made by CREATE TABLE have an order of columns'
  throw changeError('BadValue', '42601', message, { text, offset: table.at })
}

function requireRows(
  { target: text }: SqlCall,
  { rows = [], table }: InsertStatement,
  targets: readonly Target[],
  wanted: number | undefined,
): void {
  const length = rows[0]?.length ?? 0
  const most = targets.length
  const refuse = (message: string, node: { readonly at: number } | undefined) => {
    const offset = node?.at ?? rows[0]?.[0]?.at ?? table.at
    return changeError('BadValue', '42601', message, { text, offset })
  }
  const other = rows.find((row) => row.length !== length)
  if (other !== undefined) throw refuse('VALUES lists must all be the same length', other[0])
  if (length > most) {
    throw refuse('INSERT has more expressions than target columns', rows[0]?.[most])
  }
  if (wanted !== undefined && rows.length > 0 && length < wanted) {
    throw refuse('INSERT has more target columns than expressions', targets[length])
  }
}

function clash(text: string, { at, path }: Target): GatewayError {
  const message = `column "${path.join('.')}" specified more than once`
  return changeError('BadValue', '42701', message, { text, offset: at })
}

function documentOf(
  call: SqlCall,
  { name, tree, targets, columns, declared }: Shape,
  row: readonly Assigned[],
  at: number,
  scope: Scope,
): Document {
  const given: Given = row.map((value, i) => {
    if (value === undefined) return undefined
    const made = compile(value, scope).value([])
    if (made !== undefined) return converted(columns[i], made, value)
    if (targets[i]?.path.length === 1 && targets[i]?.path[0] === '_id')
      throw missingValue('_id', name)
    return nullValue
  })
  const document = withId(tree.write(emptyDocument, given), () => call.objectId(at))
  requireColumns(declared, document, name, call.isBlind)
  requireShape(document)
  return document
}

/** Undefined if the collection was replaced meanwhile. */
function* insertAll(
  tx: Tx & Guarded,
  call: SqlCall,
  collection: string,
  computed: ComputedRows,
  staged: Staged,
): Program<Inserted | undefined> {
  const { ns: seen, conflicts, results } = computed
  const found = yield* findNamespace(tx, call.db, collection)
  if (!isSameTable(found, seen)) return undefined
  const ns = found ?? (yield* ensureNamespace(tx, call.db, collection, call.creation()))
  const arbiter = conflicts?.arbiterIn(ns)
  const ids: Value[] = []
  const rows: Document[] = []
  let updated = 0
  for (const [at, { document, returned }] of computed.rows.entries()) {
    if (at > 0 && !work.allows(0)) throw takesTooLong()
    const outcome = yield* insertRow(tx, ns, document, arbiter, staged)
    if (outcome === undefined) continue
    if (outcome.isNew) ids.push(idOf(outcome.document))
    else updated++
    const shown = returned ?? results?.write([outcome.document])
    if (shown !== undefined) rows.push(shown)
  }
  return {
    ids,
    updated: conflicts?.updates === true ? updated : undefined,
    returned: results && returnedWith(results, rows),
  }
}

/** Whether the values were typed and ordered for the current table. */
function isSameTable(now: Namespace | undefined, seen: Namespace | undefined): boolean {
  return equalBytes(now?.options ?? emptyDocument, seen?.options ?? emptyDocument)
}
