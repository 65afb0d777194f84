// Accumulators of the n first, last, smallest, largest and best-sorted values, and their forms as
// expressions over an array.

import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { compareValues } from '../../value/compare.js'
import { countElements, elementsOf, field } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { binaryValue, bsonType, documentOf, nullValue, type Value } from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import { BoundedHeap } from '../heap.js'
import { compileSort, type Sort } from '../sort.js'
import {
  type Accumulator,
  type AccumulatorRow,
  arrayInTurns,
  arraysInTurns,
  bytesOfCopy,
  KeptValues,
  ListAccumulator,
  listStateBytes,
  type ValuesInTurns,
} from './accumulator.js'
import { cut } from './array.js'
import {
  Constant,
  call,
  compileNamed,
  copyOf,
  type Env,
  type Expression,
  isNullish,
  location,
  type NamedArguments,
  namedArguments,
  type OperatorRow,
  type Result,
  typeName,
  valueText,
} from './operator.js'

/** Work units to push a value to a heap, and to copy a kept value: 0.3 µs. */
const heapUnits = 3
const copyUnits = 3
/** Work units to compare two values or sort keys, whose memory lies apart: 0.15 µs. */
const keyUnits = 1.5

/** Memory of an empty ring, and of an empty heap. */
const ringStateBytes = 288
const heapStateBytes = 400
/** Memory of a value with its sort key, beside the bytes of both. */
const keyedOverheadBytes = 416

/** The `n` of an operator: a whole number above zero. */
function countOf(name: string, value: Result): number {
  const n = value?.isNumber === true ? integerOf(value) : undefined
  if (n === undefined) {
    throw location(
      value?.isNumber === true ? 5787903 : 5787902,
      `Value for 'n' must be of integral type, but found ${valueText(value)} in ${name}`,
    )
  }
  if (n <= 0) throw location(5787908, `'n' must be greater than 0, found ${n}`)
  return n
}

function rulesOf(name: string, required: readonly string[]): NamedArguments {
  const codes: Readonly<Record<string, number>> = {
    n: 5787906,
    input: 5787907,
    sortBy: 5788003,
    output: 5788004,
  }
  return {
    notObject: [5787900, `specification must be an object; found ${name}`],
    unknown: (argument) => [5787901, `Unknown argument for '${name}' operator: ${argument}`],
    required: Object.fromEntries(
      required.map((argument) => [
        argument,
        [codes[argument] ?? 5787901, `Missing value for '${argument}'`] as const,
      ]),
    ),
  }
}

class FirstN extends ListAccumulator {
  private readonly values: Value[] = []
  private readonly kept = new KeptValues()

  constructor(private readonly n: number) {
    super()
  }

  get bytesHeld(): number {
    return listStateBytes + this.kept.bytesHeld
  }

  add(value: Result): void {
    if (this.values.length === this.n) return
    work.spend(copyUnits)
    this.values.push(this.kept.copy(value ?? nullValue))
  }

  protected elements(): Iterable<Value> {
    return this.values
  }
}

/** A ring of the last n values. */
class LastN extends ListAccumulator {
  private readonly ring: Value[] = []
  private next = 0
  bytesHeld = ringStateBytes

  constructor(private readonly n: number) {
    super()
  }

  add(value: Result): void {
    work.spend(copyUnits)
    const copy = copyOf(value ?? nullValue)
    this.bytesHeld += bytesOfCopy(copy)
    if (this.ring.length < this.n) {
      this.ring.push(copy)
      return
    }
    this.bytesHeld -= bytesOfCopy(this.ring[this.next] as Value)
    this.ring[this.next] = copy
    this.next = (this.next + 1) % this.n
  }

  protected *elements(): Generator<Value, void, void> {
    const { ring, next } = this
    for (let i = 0; i < ring.length; i++) yield ring[(next + i) % ring.length] as Value
  }
}

/** The n smallest values of an order, sorted; null and missing are ignored. */
class ExtremeN extends ListAccumulator {
  private readonly heap: BoundedHeap<Value>
  bytesHeld = heapStateBytes

  constructor(n: number, compare: (a: Value, b: Value) => number) {
    super()
    this.heap = new BoundedHeap(n, (a, b) => {
      work.note(keyUnits)
      return compare(a, b)
    })
  }

  add(value: Result): void {
    if (isNullish(value)) return
    const copy = copyOf(value)
    work.spend(heapUnits)
    const dropped = this.heap.push(copy)
    this.bytesHeld += bytesOfCopy(copy) - (dropped === undefined ? 0 : bytesOfCopy(dropped))
  }

  protected *elements(): Generator<Value | undefined, void, void> {
    yield* yield* this.heap.sortedInTurns()
  }
}

/** The sort key and the output of a document as one value, for $top and similar operators. */
class KeyedOutput implements Expression {
  constructor(
    private readonly sort: Sort,
    private readonly output: Expression,
  ) {}

  evaluate(env: Env): Value {
    const key = this.sort.key(documentOf(env.root))
    return keyedValue(key, this.output.evaluate(env) ?? nullValue)
  }
}

function keyedValue(key: Uint8Array, output: Value): Value {
  return new DocumentWriter().value('k', binaryValue(0, key)).value('o', output).finishValue()
}

interface Keyed {
  readonly key: Uint8Array
  readonly sequence: number
  readonly output: Value
}

/** The first of an order, or with `sign` -1 the last. */
class Top implements Accumulator {
  protected readonly heap: BoundedHeap<Keyed>
  private sequence = 0
  bytesHeld = heapStateBytes

  constructor(
    n: number,
    protected readonly sign: 1 | -1,
  ) {
    this.heap = new BoundedHeap(n, (a, b) => {
      work.note(keyUnits + Math.min(a.key.length, b.key.length) / bytesPerUnit)
      return sign * (Buffer.compare(a.key, b.key) || a.sequence - b.sequence)
    })
  }

  add(value: Result): void {
    if (value === undefined) return
    const own = documentOf(copyOf(value))
    const key = field(own, 'k')
    const output = field(own, 'o')
    if (key === undefined || output === undefined) return
    const item = { key: key.payload().subarray(5), sequence: this.sequence++, output }
    work.spend(heapUnits)
    const dropped = this.heap.push(item)
    this.bytesHeld += bytesOfKeyed(item) - (dropped === undefined ? 0 : bytesOfKeyed(dropped))
  }

  result(): Result {
    return this.heap.sorted()[0]?.output
  }

  saved(): ValuesInTurns {
    return arraysInTurns(this.arrivals())
  }

  /** In the order of arrival, which decides between equal keys. */
  private *arrivals(): Generator<Value | undefined, void, void> {
    const items = yield* this.heap.sortedInTurns((a, b) => a.sequence - b.sequence)
    for (const { key, output } of items) yield keyedValue(key, output)
  }

  absorb(saved: Value): void {
    for (const value of elementsOf(saved)) this.add(value)
  }
}

/** The first n, or with `sign` -1 the last; the result is in that order. */
class TopN extends Top {
  override result(): Value {
    return writeArray(this.inOrder(this.heap.sorted()).map(({ output }) => output))
  }

  resultInTurns(): Generator<undefined, Value, void> {
    return arrayInTurns(this.outputs())
  }

  private *outputs(): Generator<Value | undefined, void, void> {
    for (const { output } of this.inOrder(yield* this.heap.sortedInTurns())) yield output
  }

  private inOrder(items: Keyed[]): readonly Keyed[] {
    return this.sign < 0 ? items.reverse() : items
  }
}

function bytesOfKeyed(item: Keyed): number {
  return item.key.length + item.output.end - item.output.start + keyedOverheadBytes
}

type Make = (n: number, collation: Collation | undefined) => Accumulator

/** `{n, input}`. */
function counted(name: string, make: Make): AccumulatorRow {
  return {
    name,
    readsRoot: false,
    inWindows: true,
    compile: (operand, scope) => {
      const rules = rulesOf(name, ['n', 'input'])
      const [n, input] = compileNamed(operand, scope, rules, ['n', 'input']) as [
        Expression,
        Expression,
      ]
      if (n instanceof Constant) countOf(name, n.value)
      const { collation } = scope.context
      const create = (group: Env) => make(countOf(name, n.evaluate(group)), collation)
      return { input, seesGroup: !(n instanceof Constant), create }
    },
  }
}

/** `{n?, sortBy, output}`. */
function sorted(name: string, sign: 1 | -1, isSingle: boolean): AccumulatorRow {
  return {
    name,
    readsRoot: true,
    inWindows: true,
    compile: (operand, scope) => {
      const required = isSingle ? ['sortBy', 'output'] : ['n', 'sortBy', 'output']
      const given = namedArguments(operand, rulesOf(name, required))
      const sortBy = given.get('sortBy') as Value
      if (sortBy.type !== bsonType.object) {
        throw location(10065, `invalid parameter: expected an object (sortBy)`)
      }
      const count = given.get('n')
      const n = count === undefined ? undefined : scope.compile(count)
      if (n instanceof Constant) countOf(name, n.value)
      const output = scope.compile(given.get('output') as Value)
      return {
        input: new KeyedOutput(compileSort(documentOf(sortBy), scope.context.collation), output),
        seesGroup: n !== undefined && !(n instanceof Constant),
        create: (group) =>
          isSingle
            ? new Top(n === undefined ? 1 : countOf(name, n.evaluate(group)), sign)
            : new TopN(countOf(name, (n as Expression).evaluate(group)), sign),
      }
    },
  }
}

/** By the sign: the smallest or the largest first. */
function extreme(sign: 1 | -1): Make {
  return (n, collation) => new ExtremeN(n, (a, b) => sign * compareValues(a, b, collation))
}

function extremeOf(sign: 1 | -1): Choose {
  return (array, n, collation) => {
    const heap = new BoundedHeap<Value>(n, (a, b) => sign * compareValues(a, b, collation))
    for (const element of elementsOf(array)) {
      if (isNullish(element)) continue
      work.spend(heapUnits)
      heap.push(element)
    }
    return writeArray(heap.sorted())
  }
}

export const rankedAccumulators: readonly AccumulatorRow[] = [
  counted('$firstN', (n) => new FirstN(n)),
  counted('$lastN', (n) => new LastN(n)),
  counted('$minN', extreme(1)),
  counted('$maxN', extreme(-1)),
  sorted('$top', 1, true),
  sorted('$topN', 1, false),
  sorted('$bottom', -1, true),
  sorted('$bottomN', -1, false),
]

/** The `n` chosen elements of an array, which outlives them: no element is copied first. */
type Choose = (array: Value, n: number, collation: Collation | undefined) => Value

function overArray(name: string, choose: Choose): OperatorRow {
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const operands = compileNamed(operand, scope, rulesOf(name, ['n', 'input']), ['n', 'input'])
      return call(([n, array]) => {
        const count = countOf(name, n)
        if (isNullish(array)) return nullValue
        if (array.type !== bsonType.array) {
          throw location(
            5788200,
            `${name}'s 'input' must be an array, but was of type: ${typeName(array)}`,
          )
        }
        return choose(array, count, scope.context.collation)
      }, operands)
    },
  }
}

export const rankedOperators: readonly OperatorRow[] = [
  overArray('$firstN', (array, n) => cut(array, 0, n)),
  overArray('$lastN', (array, n) => cut(array, Math.max(0, countElements(array) - n))),
  overArray('$minN', extremeOf(1)),
  overArray('$maxN', extremeOf(-1)),
]
