// SELECT as a source: tables and joins, WHERE, groups, HAVING, DISTINCT, order, window, results.
// Each is a source or a transform that works in bounded steps and may spill. (docs/sql.md)

import { KiB } from '../../../base/units.js'
import { turnUnits } from '../../../base/work/work-figures.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import { ChainSource } from '../../../engine/sources/chain-source.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import { counted, type QueryMemory } from '../../../engine/sources/query-memory.js'
import { countDocuments, documentsSource, openFind } from '../../../engine/sources/source.js'
import type { Expression, OrderItem, SelectStatement } from '../../../protocol/sql/ast.js'
import { compileFilter } from '../../../query/filter.js'
import { isPure } from '../../../query/pipeline.js'
import type { Workspace } from '../../../query/spill.js'
import { skipPlan } from '../../../query/stages/limit.js'
import { sortPlan } from '../../../query/stages/sort.js'
import type { StagePlan, Transform } from '../../../query/stages/stage.js'
import type { Program } from '../../../store/store.js'
import { type Document, int64Value, nullValue, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { emptyDocument } from '../../document/arguments.js'
import { catalogEvaluator } from '../catalog/catalog-functions.js'
import { Relations } from '../catalog/catalog-relations.js'
import { resultType } from '../catalog/catalog-tables.js'
import { compile } from '../expression/compile.js'
import { compiledParts } from '../expression/compile-parts.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { requireCount, rowCount } from '../expression/row-count.js'
import type { Scope } from '../expression/scope.js'
import { supersetFilter } from '../expression/superset.js'
import { sessionOf, transactionTime } from '../session/session-facts.js'
import { aggregatesOf } from './aggregate.js'
import { type BoundSelect, largePhase, tableNames } from './binding.js'
import { isLookedUp, openTable, type SelectCall, type Table } from './from.js'
import { distinctBy, groupBy } from './group.js'
import { planJoins } from './join-plan.js'
import { allOf, JoinSource } from './join-source.js'
import { LimitSource } from './limit-source.js'
import { lockedRows } from './locked-rows.js'
import { compileOrderKey, sortBy, withTiebreak } from './order.js'
import { openNullsApart, openOrdered } from './ordered-find.js'
import { compileResultsInParts, type Results, resultNames } from './result.js'
import {
  compiledItems,
  joinedRow,
  noRow,
  projection,
  type RowOf,
  type RowStage,
  rowFilter,
  singleRow,
} from './row-stages.js'
import { boundSelect, rowResults, selectTree } from './select-tree.js'
import { withStarPositions } from './star-positions.js'
import { statementMemory } from './statement-memory.js'

/** Above this size, as with a long IN, the filter is built and compiled in turns of its own. */
const sqlLongFilterBytes = 64 * KiB

/** What an item of a list costs a phase: as much as so many nodes. */
const nodesPerItem = 10

interface SelectOptions {
  readonly parameters: readonly Value[]
  /** Maximum rows without a LIMIT. */
  readonly rowsDefault: number | undefined
}

interface OpenedSelect {
  readonly source: Source
  readonly results: Results
}

export function* openSelect(
  tx: CommandReadTx,
  call: SelectCall,
  statement: SelectStatement,
  options: SelectOptions,
): Program<OpenedSelect> {
  // Constants are evaluated during compilation.
  const tree = selectTree(statement)
  const relations = tree.asksCatalog ? yield* Relations.load(tx, call) : undefined
  const outer: Scope = {
    tables: [],
    parameters: options.parameters,
    now: transactionTime(call),
    statementAt: call.now,
    clock: () => call.services.clock.now(),
    session: sessionOf(call),
    replace: (expression, within) => catalogEvaluator(expression, within, relations),
  }
  const tables: Table[] = []
  for (const [at, reference] of tree.references.entries()) {
    tables.push(yield* openTable(tx, call, reference, at, outer, relations))
  }
  if (tree.isAlwaysEmpty) return withColumnsOf(tables, statement, nothing(statement))
  yield* compiledItems(tx, itemsOf(statement))
  const meant = tree.hasStarPositions
    ? yield* withStarPositions(tx, statement, tables, tableNames(statement))
    : statement
  const bound = yield* boundSelect(
    tx,
    meant,
    tables.map(({ known }) => known),
  )
  const scope: Scope = { known: bound.known, ...outer, tables: bound.tables }
  const window = windowOf(statement, scope, options.rowsDefault)
  yield* compiledItems(tx, itemsOf(statement))
  const select = new Select(tx, call, tables, bound, scope, window)
  return yield* select.open()
}

/** Items of the lists of a statement, which may be thousands. */
function itemsOf({ results, groupBy: keys, orderBy }: Lists): number {
  return results.length + keys.length + orderBy.length
}

type Lists = Pick<SelectStatement, 'results' | 'groupBy' | 'orderBy'>

/** `*` of a virtual table has all its columns, even if the table never has rows. */
function withColumnsOf(
  [table, ...others]: readonly Table[],
  { results: [only, ...more] }: SelectStatement,
  opened: OpenedSelect,
): OpenedSelect {
  const isWhole = only?.expression.kind === 'star' && more.length === 0 && others.length === 0
  if (!isWhole || table?.known === undefined) return opened
  const named = [...table.known.columns].map(([name, type]) => ({ name, type: resultType(type) }))
  return { ...opened, results: { ...opened.results, columns: named, named } }
}

/** A query on a table that never has rows; nothing is evaluated. */
function nothing({ results }: SelectStatement): OpenedSelect {
  const named = resultNames(results).flatMap((name) => (name === undefined ? [] : [{ name }]))
  const write = () => emptyDocument
  return { source: documentsSource([]), results: { columns: undefined, named, write } }
}

interface Window {
  readonly offset: number
  /** Undefined means no limit. */
  readonly limit: number | undefined
}

function windowOf(
  { limit, offset }: SelectStatement,
  scope: Scope,
  rowsDefault: number | undefined,
): Window {
  const rows = limit === undefined ? undefined : rowCount(limit, scope, 'LIMIT')
  const skipped = offset === undefined ? undefined : rowCount(offset, scope, 'OFFSET')
  // PostgreSQL computes OFFSET first.
  requireCount(skipped, 'OFFSET')
  requireCount(rows, 'LIMIT')
  return { offset: skipped ?? 0, limit: rows ?? rowsDefault }
}

class Select {
  private readonly transforms: Transform[] = []
  private stage: RowStage
  private held: QueryMemory | undefined
  /** Whether the source returns rows in the requested order. */
  private isOrdered = false
  /** Whether WHERE must still be checked after the joins. */
  private needsWhere = true
  /** The scope of WHERE, with the parts of a large one. */
  private whereScope: Scope

  constructor(
    private readonly tx: CommandReadTx,
    private readonly call: SelectCall,
    private readonly tables: readonly Table[],
    private readonly bound: BoundSelect,
    private readonly scope: Scope,
    private readonly window: Window,
  ) {
    this.whereScope = scope
    this.stage = { scope, rowOf: [noRow, singleRow][tables.length] ?? joinedRow }
  }

  /** Created for the first step that holds rows; most statements have none. */
  private get memory(): QueryMemory {
    this.held ??= statementMemory(this.call.engine, this.call.owner)
    return this.held
  }

  *open(): Program<OpenedSelect> {
    const { results, merged, isDistinct, isGrouped, largeNodes } = this.bound
    const counted = isGrouped ? yield* this.counted() : undefined
    const source = counted ?? (yield* this.rows())
    if (counted === undefined) this.where()
    else this.stage = { ...this.stage, rowOf: singleRow }
    if (isGrouped) yield* this.group(counted !== undefined)
    const { scope } = this.stage
    yield* this.phase()
    const compiled =
      isGrouped || largeNodes > 0
        ? yield* compileResultsInParts(this.tx, results, scope, merged, this.hasOneRow)
        : rowResults(this.bound, scope)
    yield* this.phase()
    if (isDistinct) yield* this.distinct()
    yield* this.phase()
    const items = this.orderItems()
    if (items.length > 0 && !this.isOrdered) yield* this.order(items)
    yield* this.phase()
    this.skip()
    this.lock()
    const written = isDistinct
      ? yield* compileResultsInParts(this.tx, results, this.stage.scope, merged)
      : compiled
    this.project(written)
    const { limit } = this.window
    const { transforms, held } = this
    const whole = transforms.length === 0 ? source : new ChainSource(source, transforms, held)
    return {
      source: limit === undefined ? whole : new LimitSource(whole, limit),
      results: compiled,
    }
  }

  /** Whether there is a row whatever the data are. */
  private get hasOneRow(): boolean {
    const { bound, tables, window } = this
    const isPlain = tables.length === 0 && bound.where === undefined && !bound.isGrouped
    return isPlain && window.limit !== 0 && window.offset === 0
  }

  /** Ends the turn between two phases of a long statement. */
  private phase(): Program<void> {
    const { largeNodes } = this.bound
    const items = itemsOf(this.bound)
    if (largeNodes === 0) return compiledItems(this.tx, items)
    return largePhase(this.tx, largeNodes + items * nodesPerItem)
  }

  /** The rows before WHERE, or already filtered by it. */
  private *rows(): Program<Source> {
    const { tables, bound, scope, window } = this
    const [first, ...others] = tables
    if (bound.largeNodes > 0) this.whereScope = yield* compiledParts(this.tx, [bound.where], scope)
    if (window.limit === 0 && !bound.isGrouped) return documentsSource([])
    if (first === undefined) return documentsSource([emptyDocument])
    if (others.length > 0) return yield* this.joined(first)
    const filter = supersetFilter(bound.where, this.whereScope)
    // A long list costs as much again when its filter is compiled.
    if (filter.length > sqlLongFilterBytes) yield* this.tx.pause(turnUnits)
    const ordered = this.orderedBySource(filter)
    if (ordered !== undefined) {
      this.isOrdered = true
      return ordered
    }
    const { ns } = first
    if (ns === undefined || ns.view !== undefined) return yield* first.open(this.tx, filter)
    const use = this.call.traces
    return openFind(ns, { filter: compileFilter(filter, this.call.context), use })
  }

  private orderedBySource(filter: Document): Source | undefined {
    const { bound, tables, call } = this
    const [table] = tables
    if (bound.isGrouped || bound.isDistinct || table?.ns === undefined) return undefined
    const items = this.orderItems()
    const ordered = openOrdered(table.ns, filter, items, call)
    if (ordered !== undefined || table.known === undefined) return ordered
    return openNullsApart(table.ns, filter, items, call)
  }

  private *joined(first: Table): Program<Source> {
    const { bound, scope, tables, tx } = this
    const plan = planJoins(bound)
    const condition = allOf(plan.conditions)
    const firstScope = yield* compiledParts(tx, [condition], scope)
    const filter = supersetFilter(condition, firstScope, plan.first)
    let source = yield* first.open(tx, filter)
    let rowOf: RowOf = singleRow
    if (condition !== undefined && !plan.keepsWhere) {
      const evaluator = compile(condition, firstScope)
      source = new ChainSource(source, [rowFilter(rowOf, evaluator, condition)])
    }
    for (const step of plan.steps) {
      const table = tables[step.table] as Table
      const path = pathOf(step.keys[0]?.inner)
      const isIndexed = yield* isLookedUp(tx, table, path)
      const { memory } = this
      const within = yield* compiledParts(tx, step.conditions, scope)
      source = new JoinSource(source, rowOf, step, within, { memory, ...table, isIndexed })
      rowOf = joinedRow
    }
    this.needsWhere = plan.keepsWhere
    return source
  }

  private where(): void {
    const { where } = this.bound
    if (where === undefined || !this.needsWhere) return
    const condition = compile(where, this.whereScope)
    this.transforms.push(rowFilter(this.stage.rowOf, condition, where))
  }

  private *group(isCounted: boolean): Program<void> {
    const { bound, stage } = this
    const { groupBy: keys, having, results, orderBy } = bound
    const after = expressionsOf([...results, ...orderBy])
    const grouped = yield* groupBy(
      this.tx,
      keys,
      having === undefined ? after : [...after, having],
      stage,
    )
    if (!isCounted) this.transforms.push(this.counting(grouped))
    this.stage = grouped.stage
    if (having === undefined) return
    const condition = compile(having, yield* compiledParts(this.tx, [having], this.stage.scope))
    this.transforms.push(rowFilter(this.stage.rowOf, condition, having))
  }

  private *distinct(): Program<void> {
    const distinct = yield* distinctBy(this.tx, expressionsOf(this.bound.results), this.stage)
    this.transforms.push(this.counting(distinct))
    this.stage = distinct.stage
  }

  /** ORDER BY, with a tiebreak if only a part of the rows is returned. */
  private orderItems(): readonly OrderItem[] {
    const { bound, window } = this
    const isWhole = window.limit === undefined && window.offset === 0
    const isPlain = !bound.isGrouped && !bound.isDistinct
    if (isWhole || !isPlain || bound.orderBy.length === 0) return bound.orderBy
    return withTiebreak(bound.orderBy, bound.tables)
  }

  private *order(items: readonly OrderItem[]): Program<void> {
    const { rowOf, scope } = this.stage
    const within = yield* compiledParts(this.tx, expressionsOf(items), scope)
    const sort = sortBy(compileOrderKey(items, within), rowOf)
    const { limit, offset } = this.window
    const kept = limit === undefined ? undefined : limit + offset
    const isBounded = kept !== undefined && kept > 0 && Number.isSafeInteger(kept)
    this.add(sortPlan(nullValue, sort, isBounded ? kept : undefined))
  }

  private skip(): void {
    const { offset } = this.window
    if (offset > 0) this.add(skipPlan(offset))
  }

  private lock(): void {
    const { locks } = this.bound
    if (locks === undefined) return
    if (this.bound.isGrouped) {
      const text = `FOR ${locks.strength} is not allowed with aggregate functions`
      throw evaluationError(evaluationState.featureNotSupported, text)
    }
    const names = this.bound.tables
    const named = this.tables.map(({ ns }, at) => ({ name: names[at] ?? '', ns }))
    const transform = lockedRows(this.call, named, locks, this.stage.rowOf)
    if (transform !== undefined) this.transforms.push(transform)
  }

  private add(plan: StagePlan): void {
    if (!isPure(plan)) return
    const holds = plan.kind === 'sort'
    this.transforms.push(holds ? this.counting(plan) : plan.create())
  }

  /** A transform that holds rows, with its memory counted. */
  private counting({ create }: { create(workspace: Workspace): Transform }): Transform {
    return counted(create(this.memory), this.memory)
  }

  private project(results: Results): void {
    const { bound, stage } = this
    const [only] = bound.results
    const isWhole = bound.results.length === 1 && only?.expression.kind === 'star'
    if (isWhole && this.tables.length === 1 && !bound.isDistinct) return
    this.transforms.push(projection(stage.rowOf, results, expressionsOf(bound.results)))
  }

  /** `count(*)` without conditions, from the collection's counter. */
  private *counted(): Program<Source | undefined> {
    const { bound, tables } = this
    const [table] = tables
    const { where, groupBy: keys, isDistinct } = bound
    if (table?.ns === undefined || table.ns.view !== undefined || tables.length > 1)
      return undefined
    if (where !== undefined || keys.length > 0 || isDistinct) return undefined
    if (!countsOnly(bound) || this.tx.notesReads) return undefined
    const filter = compileFilter(emptyDocument, this.call.context)
    const count = int64Value(BigInt(yield* countDocuments(this.tx, table.ns, { filter })))
    return documentsSource([writeDocument((writer) => writer.value('a0', count))])
  }
}

/** Whether the statement only counts rows. */
function countsOnly({ results, orderBy, having }: BoundSelect): boolean {
  const asked = expressionsOf([...results, ...orderBy])
  const all = having === undefined ? asked : [...asked, having]
  return aggregatesOf(all).every(({ isStar, filter }) => isStar && filter === undefined)
}

function expressionsOf(items: readonly { readonly expression: Expression }[]): Expression[] {
  return items.map(({ expression }) => expression)
}

function pathOf(expression: Expression | undefined): readonly (string | number)[] | undefined {
  return expression?.kind === 'column' ? expression.path.slice(1) : undefined
}
