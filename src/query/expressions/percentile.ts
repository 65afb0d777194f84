// $percentile and $median, as accumulators and over an array. All numbers are kept and sorted, so
// the result is exact where MongoDB's may be approximate.

import { work } from '../../base/work/work-budget.js'
import { elementsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, doubleValue, nullValue, stringOf, type Value } from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import {
  type Accumulator,
  type AccumulatorRow,
  arraysInTurns,
  type ValuesInTurns,
} from './accumulator.js'
import {
  Constant,
  call,
  location,
  type NamedArguments,
  namedArguments,
  type OperatorRow,
  type Result,
  type Scope,
  typeName,
  valueText,
} from './operator.js'

/** Memory of a number, and of a state without any. */
const numberBytes = 8
const stateBytes = 224
/** Numbers are sorted in runs of so many while they come, so no step sorts all of them. */
const runNumbers = 8_192

class Percentiles implements Accumulator {
  private readonly runs: Float64Array[] = []
  /** Those that are in no run yet. */
  private latest: number[] = []

  /** `isOne`: the result is a value instead of an array of one. */
  constructor(
    private readonly shares: readonly number[],
    private readonly isOne: boolean,
  ) {}

  get bytesHeld(): number {
    return stateBytes + this.size * numberBytes
  }

  private get size(): number {
    return this.runs.length * runNumbers + this.latest.length
  }

  add(value: Result): void {
    if (value?.isNumber !== true) return
    const n = numberOf(value)
    if (Number.isNaN(n)) return
    this.latest.push(n)
    if (this.latest.length < runNumbers) return
    this.runs.push(inOrder(this.latest))
    this.latest = []
  }

  result(): Value {
    const { size } = this
    const runs = this.latest.length === 0 ? this.runs : [...this.runs, inOrder(this.latest)]
    const found = this.shares.map((share) =>
      size === 0 ? nullValue : doubleValue(ranked(runs, Math.max(0, Math.ceil(share * size) - 1))),
    )
    return this.isOne ? (found[0] ?? nullValue) : writeArray(found)
  }

  saved(): ValuesInTurns {
    return arraysInTurns(this.numbers())
  }

  private *numbers(): Generator<Value, void, void> {
    for (const run of [...this.runs, this.latest]) for (const n of run) yield doubleValue(n)
  }

  absorb(saved: Value): void {
    for (const value of elementsOf(saved)) this.add(value)
  }
}

function inOrder(numbers: readonly number[]): Float64Array {
  work.spend(numbers.length * (1 + Math.log2(numbers.length + 1) * 0.05))
  return Float64Array.from(numbers).sort()
}

/** The number with `rank` others before it, in all runs together; there are more than `rank`. */
function ranked(runs: readonly Float64Array[], rank: number): number {
  let parts: readonly RunPart[] = runs.map((run) => ({ run, from: 0, end: run.length }))
  for (;;) {
    work.spend(parts.length)
    const { run, from, end } = parts.reduce((a, b) => (b.end - b.from > a.end - a.from ? b : a))
    const pivot = run[(from + end) >>> 1] as number
    const below = parts.map((part) => countIn(part, (n) => n < pivot))
    const upTo = parts.map((part) => countIn(part, (n) => n <= pivot))
    if (rank < sum(below)) {
      parts = parts.map(({ run, from }, i) => ({ run, from, end: below[i] as number }))
    } else if (rank < sum(upTo)) return pivot
    else parts = parts.map(({ run, end }, i) => ({ run, from: upTo[i] as number, end }))
  }
}

interface RunPart {
  readonly run: Float64Array
  readonly from: number
  readonly end: number
}

/** How many numbers of the run come before the first one of the part that does not pass. */
function countIn({ run, from, end }: RunPart, passes: (n: number) => boolean): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(run[middle] as number)) low = middle + 1
    else high = middle
  }
  return low
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

function rulesOf(name: string, required: readonly string[]): NamedArguments {
  return {
    notObject: [7429703, `specification must be an object; found ${name}`],
    unknown: (argument) => [40415, `BSON field '${name}.${argument}' is an unknown field.`],
    required: Object.fromEntries(
      required.map((argument) => [
        argument,
        [40414, `BSON field '${name}.${argument}' is missing but a required field`] as const,
      ]),
    ),
  }
}

/** The requested percentiles and the input. */
function optionsOf(
  name: '$percentile' | '$median',
  operand: Value,
  scope: Scope,
): { readonly input: Value; readonly create: () => Accumulator } {
  const isMedian = name === '$median'
  const required = isMedian ? ['input', 'method'] : ['input', 'p', 'method']
  const given = namedArguments(operand, rulesOf(name, required))
  const method = given.get('method') as Value
  if (method.type !== bsonType.string || stringOf(method) !== 'approximate') {
    throw location(7436102, "Currently only 'approximate' can be used as percentile 'method'.")
  }
  const shares = isMedian ? [0.5] : sharesOf(given.get('p') as Value, scope)
  return { input: given.get('input') as Value, create: () => new Percentiles(shares, isMedian) }
}

function sharesOf(value: Value, scope: Scope): number[] {
  const compiled = scope.compile(value)
  const list = compiled instanceof Constant ? compiled.value : undefined
  const elements = list?.type === bsonType.array ? elementsOf(list) : []
  if (elements.length === 0) {
    throw location(
      7750300,
      "The $percentile 'p' field must be an array of constant values, but found: " +
        `${valueText(value)}.`,
    )
  }
  return elements.map((element) => {
    const share = element.isNumber ? numberOf(element) : Number.NaN
    if (share >= 0 && share <= 1) return share
    throw location(
      7750303,
      "The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found: " +
        `${valueText(element)} (${typeName(element)}).`,
    )
  })
}

function accumulator(name: '$percentile' | '$median'): AccumulatorRow {
  return {
    name,
    readsRoot: false,
    inWindows: true,
    compile: (operand, scope) => {
      const { input, create } = optionsOf(name, operand, scope)
      return { input: scope.compile(input), create }
    },
  }
}

/** Over the elements of an array, or one number. */
function overArray(name: '$percentile' | '$median'): OperatorRow {
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const { input, create } = optionsOf(name, operand, scope)
      return call(
        ([value]) => {
          const state = create()
          const elements = value?.type === bsonType.array ? elementsOf(value) : [value]
          for (const element of elements) state.add(element)
          return state.result()
        },
        [scope.compile(input)],
      )
    },
  }
}

export const percentileAccumulators: readonly AccumulatorRow[] = [
  accumulator('$percentile'),
  accumulator('$median'),
]

export const percentileOperators: readonly OperatorRow[] = [
  overArray('$percentile'),
  overArray('$median'),
]
