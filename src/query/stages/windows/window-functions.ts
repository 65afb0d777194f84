// The functions of $setWindowFields: accumulators over a window, and functions of a document's
// position in its partition. Each computes one column, a value for every document.

import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { equalValues } from '../../../value/compare.js'
import { fieldsOf } from '../../../value/elements.js'
import {
  type Document,
  documentValue,
  int64Value,
  nullValue,
  type Value,
} from '../../../value/value.js'
import { accumulators } from '../../accumulators.js'
import { jobThen } from '../../detached.js'
import { type AccumulatorPlan, resultInTurns } from '../../expressions/accumulator.js'
import {
  Constant,
  type Env,
  int32Of,
  isNullish,
  location,
  type Result,
} from '../../expressions/operator.js'
import type { StageCompiler } from '../stage.js'
import { SlidingState, slides } from './sliding-state.js'
import { parseBounds, type Sorting, type WindowBounds, wholePartition } from './window-bounds.js'
import { covariance } from './window-covariance.js'
import {
  type Column,
  ColumnValues,
  type CompileFunction,
  columnOf,
  columnUnits,
  type Partition,
  refuseFunction,
  type WindowFunction,
} from './window-function.js'
import { derivative, expMovingAverage, integral, linearFill } from './window-series.js'

/** The function of `{$name: operand, window}`. */
export function compileFunction(
  spec: Value,
  sorting: Sorting,
  compiler: StageCompiler,
): WindowFunction {
  let name: string | undefined
  let operand: Value | undefined
  let window: Value | undefined
  for (const [field, value] of fieldsOf(spec)) {
    if (field === 'window') window = value
    else if (!field.startsWith('$')) {
      throw refuseFunction(`Window function found an unknown argument: ${field}`)
    } else if (name !== undefined) {
      throw refuseFunction(
        `Cannot specify two functions in window function spec: ${name}, ${field}`,
      )
    } else {
      name = field
      operand = value
    }
  }
  if (name === undefined || operand === undefined) {
    throw refuseFunction('Expected a $-prefixed window function')
  }
  const compile = functions.get(name)
  if (compile === undefined) throw refuseFunction(`Unrecognized window function, ${name}`)
  return compile({ name, operand, window, compiler, ...sorting })
}

/** An accumulator over each document's window. */
class Accumulated implements WindowFunction {
  constructor(
    private readonly plan: AccumulatorPlan,
    private readonly bounds: WindowBounds,
  ) {}

  *column(partition: Partition, env: Env): Column {
    const { documents, sortedBy } = partition
    const spanOf = this.bounds.spans(documents.length, sortedBy)
    const column = new ColumnValues(partition)
    let sliding: SlidingState | undefined
    let state = this.plan.create(env)
    partition.hold(state.bytesHeld)
    /** The window that `state` has accumulated, and its result. */
    let from = 0
    let to = -1
    let result: Value | undefined
    let passed = 0
    for (let i = 0; i < documents.length; i++) {
      const span = spanOf(i)
      const grows = this.bounds.growsOnly || span.from === from
      if (sliding === undefined && !grows && slides(this.plan, span)) {
        sliding = new SlidingState(this.plan, partition, env)
      }
      if (sliding !== undefined) {
        column.push(yield* sliding.over(span))
        if (++passed % stepDocumentsMax === 0 || work.isDue) yield
        continue
      }
      if (!grows || span.to < to) {
        partition.hold(-state.bytesHeld)
        state = this.plan.create(env)
        partition.hold(state.bytesHeld)
        from = span.from
        to = span.from - 1
        result = undefined
      }
      for (; to < span.to; to++) {
        const before = state.bytesHeld
        env.root = documentValue(documents[to + 1] as Document)
        let input: Result
        try {
          input = this.plan.input.evaluate(env)
        } catch (error) {
          input = yield* jobThen(error, () => this.plan.input.evaluate(env))
        }
        work.note(columnUnits)
        state.add(input)
        result = undefined
        partition.hold(state.bytesHeld - before)
        if (++passed % stepDocumentsMax === 0 || work.isDue) yield
      }
      if (result === undefined) {
        result = yield* resultInTurns(state)
        column.push(result)
      } else {
        column.repeat(result)
      }
      if (++passed % stepDocumentsMax === 0 || work.isDue) yield
    }
    sliding?.release()
    partition.hold(-state.bytesHeld)
    return column.values
  }
}

const accumulated: CompileFunction = (context) => {
  const { name, operand, window, compiler } = context
  const compiled = accumulators.get(name)?.compile(operand, compiler.scope)
  if (compiled === undefined) throw refuseFunction(`Unrecognized window function, ${name}`)
  const plan = { ...compiled, input: compiler.inputs.add(compiled.input) }
  const bounds = window === undefined ? wholePartition : parseBounds(window, context)
  return new Accumulated(plan, bounds)
}

/** $rank, $denseRank and $documentNumber: their operand is `{}`, and the sort has one field. */
function ranking(next: (place: Place) => number): CompileFunction {
  return ({ name, operand, window, sortsByOne, compiler }) => {
    const isEmpty = operand.bytes[operand.start] === 5 && operand.bytes[operand.start + 4] === 0
    if (!isEmpty) throw location(5371603, `${name} must be specified with '{}' as the value`)
    if (window !== undefined) {
      throw location(5371601, 'Rank style window functions take no other arguments')
    }
    if (!sortsByOne) {
      throw location(
        5371602,
        `${name} must be specified with a top level sortBy expression with exactly one element`,
      )
    }
    return {
      *column(partition) {
        const { documents, sortedBy } = partition
        const column = new ColumnValues(partition)
        let rank = 0
        for (let i = 0; i < documents.length; i++) {
          const isTie = i > 0 && same(sortedBy[i - 1], sortedBy[i], compiler)
          rank = next({ index: i, isTie, rank })
          column.push(int64Value(BigInt(rank)))
          if (i % stepDocumentsMax === stepDocumentsMax - 1 || work.isDue) yield
        }
        return column.values
      },
    }
  }
}

interface Place {
  readonly index: number
  /** Whether it sorts equal to the document before. */
  readonly isTie: boolean
  /** Rank of the document before. */
  readonly rank: number
}

function same(a: Result, b: Result, { context }: StageCompiler): boolean {
  if (a === undefined || b === undefined) return a === b
  return equalValues(a, b, context.collation)
}

/** $shift: the value of the document at a relative position. */
const shift: CompileFunction = ({ operand, window, isSorted, compiler }) => {
  const given = new Map(fieldsOf(operand))
  const output = given.get('output')
  const by = given.get('by')
  if (window !== undefined) throw refuseFunction("$shift does not accept a 'window' field")
  if (!isSorted) throw refuseFunction("'$shift' requires a sortBy")
  if (output === undefined || by === undefined) {
    throw refuseFunction("$shift requires 'output' and 'by' fields.")
  }
  for (const name of given.keys()) {
    if (['output', 'by', 'default'].includes(name)) continue
    throw refuseFunction(`Unknown argument in $shift: ${name}`)
  }
  const places = int32Of(by)
  if (places === undefined) throw refuseFunction("'$shift:by' field must be an integer")
  const expression = compiler.input(output)
  const beyond = defaultOf(given.get('default'), compiler)
  return {
    *column(partition, env) {
      const { documents } = partition
      const column = new ColumnValues(partition)
      for (let i = 0; i < documents.length; i++) {
        const other = documents[i + places]
        if (other === undefined) column.push(beyond)
        else {
          env.root = documentValue(other)
          try {
            column.push(expression.evaluate(env) ?? nullValue)
          } catch (error) {
            column.push((yield* jobThen(error, () => expression.evaluate(env))) ?? nullValue)
          }
        }
        if (i % stepDocumentsMax === stepDocumentsMax - 1 || work.isDue) yield
      }
      return column.values
    },
  }
}

function defaultOf(value: Value | undefined, compiler: StageCompiler): Value {
  if (value === undefined) return nullValue
  const compiled = compiler.scope.compile(value)
  if (compiled instanceof Constant) return compiled.value ?? nullValue
  throw refuseFunction("'$shift:default' expression must yield a constant value.")
}

/** $locf: the last value that was not null. */
const lastObserved: CompileFunction = ({ operand, window, isSorted, compiler }) => {
  if (window !== undefined) throw refuseFunction("$locf does not accept a 'window' field")
  if (!isSorted) throw refuseFunction('$locf requires a sortBy')
  const expression = compiler.input(operand)
  return {
    column(partition, env) {
      let last: Result = nullValue
      return columnOf(expression, partition, env, (column, value) => {
        if (!isNullish(value)) last = value
        column.push(last)
      })
    },
  }
}

const functions: ReadonlyMap<string, CompileFunction> = new Map<string, CompileFunction>([
  ...[...accumulators.values()]
    .filter(({ inWindows }) => inWindows)
    .map(({ name }): [string, CompileFunction] => [name, accumulated]),
  ['$documentNumber', ranking(({ index }) => index + 1)],
  ['$rank', ranking(({ index, isTie, rank }) => (isTie ? rank : index + 1))],
  ['$denseRank', ranking(({ isTie, rank }) => (isTie ? rank : rank + 1))],
  ['$shift', shift],
  ['$locf', lastObserved],
  ['$linearFill', linearFill],
  ['$derivative', derivative],
  ['$integral', integral],
  ['$expMovingAvg', expMovingAverage],
  ['$covariancePop', covariance(0)],
  ['$covarianceSamp', covariance(1)],
])

/** Every function of $setWindowFields, for the reference. */
export const windowFunctionNames: readonly string[] = [...functions.keys()]
