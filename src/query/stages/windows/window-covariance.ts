// $covariancePop and $covarianceSamp: two numeric expressions over a window. Welford's method keeps
// precision with large means.

import { work } from '../../../base/work/work-budget.js'
import { elementsOf } from '../../../value/elements.js'
import { bsonType, doubleValue, nullValue, type Value } from '../../../value/value.js'
import type { Env, Expression } from '../../expressions/operator.js'
import { parseBounds, type WindowBounds, type WindowSpan, wholePartition } from './window-bounds.js'
import {
  type Column,
  type CompileFunction,
  columnOfWindows,
  NumberColumn,
  type Partition,
  pointUnits,
  refuseFunction,
  type WindowFunction,
} from './window-function.js'

/** `spare` is 1 for a sample. */
export function covariance(spare: 0 | 1): CompileFunction {
  return (context) => {
    const { name, operand, window, compiler } = context
    const pair = operand.type === bsonType.array ? elementsOf(operand) : []
    const [x, y] = pair.map((value) => compiler.input(value))
    if (x === undefined || y === undefined || pair.length > 2) {
      throw refuseFunction(`${name} requires an array of 2 expressions`)
    }
    const bounds = window === undefined ? wholePartition : parseBounds(window, context)
    return new Covariance(x, y, bounds, spare)
  }
}

class Covariance implements WindowFunction {
  constructor(
    private readonly x: Expression,
    private readonly y: Expression,
    private readonly bounds: WindowBounds,
    private readonly spare: 0 | 1,
  ) {}

  *column(partition: Partition, env: Env): Column {
    const xs = new NumberColumn(partition.documents, this.x, env)
    const ys = new NumberColumn(partition.documents, this.y, env)
    yield* xs.read()
    yield* ys.read()
    return yield* columnOfWindows(partition, this.bounds, (span) => this.of(xs, ys, span))
  }

  private *of(
    xs: NumberColumn,
    ys: NumberColumn,
    { from, to }: WindowSpan,
  ): Generator<unknown, Value, void> {
    const sum = new CoMoment()
    for (let at = from; at <= to; at++) {
      const x = xs.at(at)
      const y = ys.at(at)
      if (x !== undefined && y !== undefined) sum.add(x, y)
      work.note(pointUnits)
      if (work.isDue) yield
    }
    const degrees = sum.count - this.spare
    return degrees > 0 ? doubleValue(sum.product / degrees) : nullValue
  }
}

class CoMoment {
  count = 0
  product = 0
  private meanX = 0
  private meanY = 0

  add(x: number, y: number): void {
    this.count++
    const delta = x - this.meanX
    this.meanX += delta / this.count
    this.meanY += (y - this.meanY) / this.count
    this.product += delta * (y - this.meanY)
  }
}
