// GROUP BY and DISTINCT: collects rows in groups, in memory or on disk. Afterwards a grouped
// expression means a key of the group, and an aggregate a field.

import { turnUnits } from '../../../base/work/work-figures.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import {
  type Accumulator,
  bytesOfStates,
  resultInTurns,
} from '../../../query/expressions/accumulator.js'
import { Env } from '../../../query/expressions/operator.js'
import type { Workspace } from '../../../query/spill.js'
import { type GroupField, GroupTransform } from '../../../query/stages/groups/group.js'
import { type Emit, StreamTransform, type Transform } from '../../../query/stages/stage.js'
import type { Program } from '../../../store/store.js'
import {
  type Document,
  documentOf,
  documentValue,
  nullValue,
  type Value,
} from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'
import { emptyDocument } from '../../document/arguments.js'
import type { Call } from '../expression/call.js'
import { compile } from '../expression/compile.js'
import { compiledParts } from '../expression/compile-parts.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { ExpressionPlaces } from '../expression/expression-key.js'
import { operandsOf } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import type { Evaluator, Row } from '../expression/truth.js'
import { type Aggregate, addAggregates, compileAggregate, isAggregate } from './aggregate.js'
import { NthElements } from './nth-elements.js'
import {
  compiledEach,
  fieldEvaluator,
  keyEvaluator,
  type RowStage,
  rowSpender,
  singleRow,
} from './row-stages.js'

interface Grouped {
  readonly stage: RowStage
  readonly create: (workspace: Workspace) => Transform
}

const noVariables: ReadonlyMap<string, Value> = new Map()

/** `after`: the expressions that are evaluated on groups. They may be thousands. */
export function* groupBy(
  tx: CommandReadTx,
  keys: readonly Expression[],
  after: readonly Expression[],
  { rowOf, scope }: RowStage,
): Program<Grouped> {
  const calls: Call[] = []
  const places = new ExpressionPlaces()
  yield* compiledEach(tx, after, (expression) => addAggregates(expression, calls, places))
  const operands = calls.flatMap(operandsOf)
  const within = yield* compiledParts(tx, [...keys, ...operands], scope)
  const aggregates = yield* compiledEach(tx, calls, (call) => compileAggregate(call, within))
  const evaluators = yield* compiledEach(tx, keys, (key) => compile(key, within))
  // The weight of large expressions is another walk over their nodes.
  if (within !== scope) yield* tx.pause(turnUnits)
  const spend = rowSpender([...keys, ...aggregates.map(({ call }) => call)])
  const stage = { rowOf: singleRow, scope: groupedScope(keys, aggregates, scope) }
  if (keys.length === 0) return { stage, create: () => new WholeGroup(aggregates, rowOf, spend) }
  const id = tupleOf(evaluators, rowOf, spend)
  const fields = aggregates.map(({ input, create }, i): GroupField => {
    const evaluate = ({ root }: Env) => input(rowOf(documentOf(root)))
    return { name: fieldName(i), plan: { input: { evaluate }, create } }
  })
  return { stage, create: (workspace) => groupTransform(id, fields, workspace) }
}

function groupTransform(
  id: { evaluate(env: Env): Value },
  fields: readonly GroupField[],
  workspace: Workspace,
): Transform {
  const env = () => new Env(documentValue(emptyDocument), noVariables, 0)
  return new GroupTransform('GROUP BY', id, fields, env(), env(), workspace)
}

/** The values of several expressions as one key of groups. */
function tupleOf(
  evaluators: readonly Evaluator[],
  rowOf: (document: Document) => Row,
  spend: () => void,
): { evaluate(env: Env): Value } {
  return {
    evaluate: ({ root }) => {
      spend()
      const row = rowOf(documentOf(root))
      return writeArray(evaluators.map(({ value }) => value(row) ?? nullValue))
    },
  }
}

function fieldName(index: number): string {
  return `a${index}`
}

function groupedScope(
  keys: readonly Expression[],
  aggregates: readonly Aggregate[],
  scope: Scope,
): Scope {
  const keyPlaces = new ExpressionPlaces(keys)
  const callPlaces = new ExpressionPlaces(aggregates.map(({ call }) => call))
  const [keysInOrder, fieldsInOrder] = [new NthElements(), new NthElements()]
  // Aggregates stand behind the key.
  const firstField = keys.length === 0 ? 0 : 1
  return {
    ...scope,
    replace: (expression, within) => {
      const key = keyPlaces.of(expression)
      if (key !== undefined) return keyEvaluator(0, key, keysInOrder)
      if (isAggregate(expression)) {
        const at = callPlaces.of(expression)
        if (at !== undefined) return fieldEvaluator(firstField + at, fieldsInOrder)
      }
      if (expression.kind === 'column') throw ungrouped(expression.path.join('.'))
      if (expression.kind === 'star') throw ungrouped('*')
      return scope.replace?.(expression, within)
    },
  }
}

function ungrouped(name: string): Error {
  const why = 'must appear in the GROUP BY clause or be used in an aggregate function'
  return evaluationError(evaluationState.misplacedAggregate, `column "${name}" ${why}`)
}

/** All rows as one group, which exists even without rows. */
class WholeGroup extends StreamTransform {
  private states: readonly Accumulator[]
  private held: number

  constructor(
    private readonly aggregates: readonly Aggregate[],
    private readonly rowOf: (document: Document) => Row,
    private readonly spend: () => void,
  ) {
    super()
    this.states = aggregates.map(({ create }) => create())
    this.held = bytesOfStates(this.states)
  }

  override get bytesHeld(): number {
    return this.held
  }

  push(document: Document): void {
    this.spend()
    const row = this.rowOf(document)
    for (const [i, state] of this.states.entries()) {
      const before = state.bytesHeld
      state.add(this.aggregates[i]?.input(row))
      this.held += state.bytesHeld - before
    }
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    const writer = new DocumentWriter()
    for (const [i, state] of this.states.entries()) {
      const result = yield* resultInTurns(state)
      // The copy of a list of all rows takes a turn of its own.
      yield
      writer.value(fieldName(i), result)
      yield
    }
    this.states = []
    this.held = 0
    const row = writer.finish()
    yield
    emit(row)
    yield
  }
}

/**
 * Merges rows with equal results. The stage has the documents of `*` and the results; ordering by
 * anything else is 42P10.
 */
export function* distinctBy(
  tx: CommandReadTx,
  results: readonly Expression[],
  before: RowStage,
): Program<Grouped> {
  const { rowOf, scope } = before
  const tables = scope.tables.length
  const plain = results.filter(({ kind }) => kind !== 'star')
  const within = yield* compiledParts(tx, plain, scope)
  const evaluators = plain.map((expression) => compile(expression, within))
  const starred = starredTables(results, scope)
  const spend = rowSpender(results)
  const id = {
    evaluate: ({ root }: Env): Value => {
      spend()
      const row = rowOf(documentOf(root))
      const documents = starred.map((table) => {
        const document = row[table]
        return document === undefined ? nullValue : documentValue(document)
      })
      return writeArray([...documents, ...evaluators.map(({ value }) => value(row) ?? nullValue)])
    },
  }
  const inOrder = new NthElements()
  const keys = plain.map((_, i) => keyEvaluator(tables, starred.length + i, inOrder))
  const stage: RowStage = {
    rowOf: (document) => distinctRow(document, starred, tables),
    scope: { ...scope, replace: distinctReplace(plain, keys, starred, scope) },
  }
  return { stage, create: (workspace) => groupTransform(id, [], workspace) }
}

/** The documents of `*` at their indexes, and the group at the end. */
function distinctRow(document: Document, starred: readonly number[], tables: number): Row {
  const row = new Array<Document | undefined>(tables + 1).fill(undefined)
  const inOrder = new NthElements()
  for (const [i, table] of starred.entries()) {
    const value = keyEvaluator(0, i, inOrder).value([document])
    if (value !== undefined) row[table] = documentOf(value)
  }
  row[tables] = document
  return row
}

function starredTables(results: readonly Expression[], { tables }: Scope): readonly number[] {
  const starred = new Set<number>()
  for (const result of results) {
    if (result.kind !== 'star') continue
    for (const [i, name] of tables.entries()) {
      if (result.table === undefined || result.table === name) starred.add(i)
    }
  }
  return [...starred].sort((a, b) => a - b)
}

function distinctReplace(
  results: readonly Expression[],
  keys: readonly Evaluator[],
  starred: readonly number[],
  { tables, replace }: Scope,
): NonNullable<Scope['replace']> {
  const places = new ExpressionPlaces(results)
  return (expression, within) => {
    const at = places.of(expression)
    if (at !== undefined) return keys[at]
    if (expression.kind === 'column') {
      const table = tables.indexOf(String(expression.path[0]))
      if (!starred.includes(table)) {
        const message = 'for SELECT DISTINCT, ORDER BY expressions must appear in select list'
        throw evaluationError(evaluationState.badColumnReference, message)
      }
    }
    return isAggregate(expression) ? undefined : replace?.(expression, within)
  }
}
