// Functions of $setWindowFields that treat a partition as a series of points over a number or a
// date: derivatives, integrals, moving averages and linear interpolation.

import { fail } from '../../../base/errors.js'
import { work } from '../../../base/work/work-budget.js'
import { fieldsOf } from '../../../value/elements.js'
import { addNumbers, multiplyNumbers, numberOf } from '../../../value/numbers.js'
import { bsonType, doubleValue, nullValue, type Value } from '../../../value/value.js'
import { momentOf } from '../../expressions/dates/time-zone.js'
import {
  type Env,
  type Expression,
  int32Of,
  isNullish,
  location,
  type Result,
  typeName,
} from '../../expressions/operator.js'
import {
  parseBounds,
  unitOf,
  type WindowBounds,
  type WindowSpan,
  wholePartition,
} from './window-bounds.js'
import {
  type Column,
  type CompileFunction,
  columnOf,
  columnOfWindows,
  NumberColumn,
  type Partition,
  pointUnits,
  refuseFunction,
  type WindowContext,
  type WindowFunction,
} from './window-function.js'

/** `{input, unit}`, over a window of a partition with one sort field. */
interface Rate {
  readonly input: Expression
  readonly bounds: WindowBounds
  /** Milliseconds of the unit; undefined if the sort is by numbers. */
  readonly unitMs: number | undefined
  readonly name: string
}

/** A function of the points in each window. */
class Rated implements WindowFunction {
  constructor(
    private readonly rate: Rate,
    private readonly of: (
      span: WindowSpan,
      point: (index: number) => Point,
    ) => Generator<unknown, Value, void>,
  ) {}

  *column(partition: Partition, env: Env): Column {
    const { documents, sortedBy } = partition
    const { rate } = this
    const ys = new NumberColumn(documents, rate.input, env)
    yield* ys.read()
    const point = (index: number): Point => {
      const y = ys.at(index)
      return { x: xOf(sortedBy[index], rate), y }
    }
    return yield* columnOfWindows(partition, rate.bounds, (span) => this.of(span, point))
  }
}

interface Point {
  readonly x: number
  /** Undefined if the input is not a number. */
  readonly y: number | undefined
}

function xOf(value: Result, { unitMs, name }: Rate): number {
  if (value?.type === bsonType.date) {
    if (unitMs !== undefined) return momentOf(value) / unitMs
    throw location(5624901, `${name} where the sortBy is a Date requires an 'unit'`)
  }
  if (value?.isNumber === true && unitMs === undefined) return numberOf(value)
  const wanted = unitMs === undefined ? 'numeric' : 'a Date'
  throw location(
    5624902,
    `${name} expects the sortBy field to be ${wanted}, not ${typeName(value)}`,
  )
}

function rateOf(context: WindowContext): Rate {
  const { name, operand, window, compiler, sortsByOne } = context
  if (!sortsByOne) throw refuseFunction(`${name} requires a sortBy with exactly one element`)
  if (operand.type !== bsonType.object) throw refuseFunction(`${name} expects an object`)
  const given = new Map(fieldsOf(operand))
  for (const field of given.keys()) {
    if (field === 'input' || field === 'unit') continue
    throw refuseFunction(`${name} got unexpected argument: ${field}`)
  }
  const input = given.get('input')
  if (input === undefined) throw refuseFunction(`${name} requires an 'input' expression`)
  if (window === undefined && name === '$derivative') {
    throw refuseFunction('$derivative requires explicit window bounds')
  }
  const bounds = window === undefined ? wholePartition : parseBounds(window, context)
  const unit = given.get('unit')
  const unitMs = unit === undefined ? undefined : msOfUnit(name, unit)
  return { name, bounds, unitMs, input: compiler.input(input) }
}

/** Milliseconds of a unit of fixed length. */
function msOfUnit(name: string, value: Value): number {
  const unit = unitOf(value)
  if (unit.kind === 'time') return unit.ms
  if (unit.kind === 'day') return unit.days * 86_400_000
  throw location(5490704, `unit must be 'week' or smaller in ${name}`)
}

/** $derivative: the slope between the first and the last point of the window. */
export const derivative: CompileFunction = (context) =>
  new Rated(rateOf(context), function* ({ from, to }, point) {
    work.note(2 * pointUnits)
    if (work.isDue) yield
    if (to <= from) return nullValue
    const first = point(from)
    const last = point(to)
    if (first.y === undefined || last.y === undefined || first.x === last.x) return nullValue
    return doubleValue((last.y - first.y) / (last.x - first.x))
  })

/** $integral: the area below the points of the window, by trapezoids. */
export const integral: CompileFunction = (context) =>
  new Rated(rateOf(context), function* ({ from, to }, point) {
    let area = 0
    let before: Point | undefined
    for (let at = from; at <= to; at++) {
      work.note(pointUnits)
      if (work.isDue) yield
      const next = point(at)
      if (next.y === undefined) continue
      if (before?.y !== undefined) area += ((before.y + next.y) / 2) * (next.x - before.x)
      before = next
    }
    return before === undefined ? nullValue : doubleValue(area)
  })

/** $expMovingAvg: each value has weight `alpha`, the average before it the rest. */
export const expMovingAverage: CompileFunction = ({ operand, window, isSorted, compiler }) => {
  if (window !== undefined) throw refuseFunction("$expMovingAvg does not accept a 'window' field")
  if (!isSorted) throw refuseFunction('$expMovingAvg requires an explicit sortBy')
  const given =
    operand.type === bsonType.object ? new Map(fieldsOf(operand)) : new Map<string, Value>()
  const input = given.get('input')
  const isKnown = [...given.keys()].every((name) => ['input', 'N', 'alpha'].includes(name))
  if (input === undefined || !isKnown || given.size !== 2) {
    throw refuseFunction(
      '$expMovingAvg sub object must have exactly two fields: An ' +
        "'input' field, and either an 'N' field or an 'alpha' field",
    )
  }
  const alpha = doubleValue(alphaOf(given.get('N'), given.get('alpha')))
  const rest = doubleValue(1 - numberOf(alpha))
  const expression = compiler.input(input)
  return {
    column(partition, env) {
      let average: Value | undefined
      return columnOf(expression, partition, env, (column, value) => {
        if (value?.isNumber === true) {
          average =
            average === undefined
              ? value
              : addNumbers(multiplyNumbers(value, alpha), multiplyNumbers(average, rest))
        }
        column.push(average ?? nullValue)
      })
    },
  }
}

function alphaOf(count: Value | undefined, alpha: Value | undefined): number {
  if (count !== undefined) {
    const n = int32Of(count)
    if (n !== undefined && n > 0) return 2 / (n + 1)
    throw refuseFunction("'N' field must be an integer greater than zero")
  }
  const share = alpha?.isNumber === true ? numberOf(alpha) : Number.NaN
  if (share > 0 && share < 1) return share
  throw refuseFunction("'alpha' must be between 0 and 1 (exclusive)")
}

/** $linearFill: null and missing between two numbers are interpolated. */
export const linearFill: CompileFunction = ({ operand, window, sortsByOne, compiler }) => {
  if (window !== undefined) throw refuseFunction("$linearFill does not accept a 'window' field")
  if (!sortsByOne) {
    throw location(
      605001,
      '$linearFill must be specified with a top level sortBy expression with exactly one element',
    )
  }
  const expression = compiler.input(operand)
  return { column: (partition, env) => filledColumn(partition, expression, env) }
}

function filledColumn(partition: Partition, expression: Expression, env: Env): Column {
  /** Index of the last number; the values after it wait for the next number. */
  let last = -1
  return columnOf(expression, partition, env, (column, value, i) => {
    column.push(isNullish(value) ? nullValue : value)
    if (isNullish(value)) return
    if (!value.isNumber) {
      const found = typeName(value)
      throw fail(
        'TypeMismatch',
        `Value to be filled must be numeric or nullish, but found type ${found}`,
      )
    }
    if (last >= 0) fillBetween(column.values, last, i, partition.sortedBy)
    last = i
  })
}

function fillBetween(
  values: Result[],
  from: number,
  to: number,
  sortedBy: readonly Result[],
): void {
  const x = (index: number): number => positionOf(sortedBy[index])
  const y = (index: number): number => {
    const value = values[index]
    return value === undefined ? Number.NaN : numberOf(value)
  }
  const [x0, x1, y0, y1] = [x(from), x(to), y(from), y(to)]
  for (let i = from + 1; i <= to; i++) {
    if (x(i) === x(i - 1)) {
      throw location(6050106, 'There can be no repeated values in the sort field')
    }
    if (i < to) values[i] = doubleValue(y0 + ((x(i) - x0) / (x1 - x0)) * (y1 - y0))
  }
}

function positionOf(value: Result): number {
  if (value?.type === bsonType.date) return momentOf(value)
  if (value?.isNumber === true) return numberOf(value)
  const text = `Expected the sortBy field to be numeric or date, but found ${typeName(value)}`
  throw fail('TypeMismatch', text)
}
