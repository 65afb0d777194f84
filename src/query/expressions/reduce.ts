// $reduce. If its body ends by adding to `$$value` ($concatArrays at either end, $concat,
// $mergeObjects, $setUnion, also below $cond), the addition is made in place. No other expression
// can see the growing value.

import { Elements, elementsOf, fieldsOf } from '../../value/elements.js'
import { bsonType, nullValue, stringOf, type Value } from '../../value/value.js'
import { Condition } from './boolean.js'
import { frontGrowth, type Growing, type Growth, growths } from './growth.js'
import {
  type Env,
  type Expression,
  isNullish,
  location,
  namedArguments,
  type OperatorRow,
  type Result,
  type Scope,
  usualRules,
  valueText,
} from './operator.js'

/** The result of one $reduce evaluation, shared by its Grow nodes. */
interface Built {
  growth: Growth | undefined
  growing: Growing | undefined
  /** The value of `growing`; only if `$$value` is this same object may it grow. */
  tip: Result
}

class Reduce implements Expression {
  constructor(
    private readonly input: Expression,
    private readonly initial: Expression,
    private readonly slots: readonly [item: number, total: number],
    private readonly body: Expression,
    private readonly built: Built,
  ) {}

  evaluate(env: Env): Result {
    const array = this.input.evaluate(env)
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(40080, `$reduce requires that 'input' be an array, found: ${valueText(array)}`)
    }
    const { built } = this
    const [item, total] = this.slots
    let result = this.initial.evaluate(env)
    const elements = new Elements(array.bytes, array.start)
    built.tip = undefined
    while (elements.next()) {
      env.step()
      env.slots[item] = elements.value()
      env.slots[total] = result
      result = this.body.evaluate(env)
    }
    const { growing, tip } = built
    if (growing !== undefined && tip === result) result = growing.value()
    built.growing = undefined
    built.tip = undefined
    return result
  }
}

/** The last step of a body: an operator with `$$value` as first operand, or at the end. */
class Grow implements Expression {
  constructor(
    private readonly plain: Expression,
    private readonly operands: readonly Expression[],
    private readonly growth: Growth,
    private readonly total: number,
    private readonly built: Built,
    /** Whether the body also reads `$$value` elsewhere. */
    private readonly isSeen: boolean,
  ) {}

  evaluate(env: Env): Result {
    const { built, growth, operands } = this
    const before = env.slots[this.total]
    if (!growth.takes(before)) return this.plain.evaluate(env)
    const values: Value[] = []
    for (const operand of operands) {
      const value = operand.evaluate(env)
      env.step()
      if (growth.skipsNull === true && isNullish(value)) continue
      if (!growth.takes(value)) return this.plain.evaluate(env)
      values.push(value)
    }
    if (built.tip !== before || built.growth !== growth) {
      built.growing = growth.begin(before, env)
      built.growth = growth
    }
    const { growing } = built
    env.step()
    if (growing === undefined) return this.plain.evaluate(env)
    if (growth.isReversed === true) values.reverse()
    for (const value of values.map((each) => growing.apart(each))) growing.add(value)
    const isMade = !growth.isLazy || this.isSeen || built.tip !== before
    built.tip = isMade ? growing.value() : before
    return built.tip
  }
}

const reduceRules = usualRules('$reduce', {
  notObject: 40075,
  unknown: 40076,
  required: { input: 40077, initialValue: 40078, in: 40079 },
})

function compileReduce(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, reduceRules(operand))
  const { slots, scope: inner } = scope.bind(['this', 'value'])
  const built: Built = { growth: undefined, growing: undefined, tip: undefined }
  const input = scope.compile(given.get('input') as Value)
  const initial = scope.compile(given.get('initialValue') as Value)
  const spec = given.get('in') as Value
  const total = slots[1] as number
  const isSeen = mentions(spec) > 1
  const body = lastAct(spec, inner, { total, built, isSeen })
  return new Reduce(input, initial, slots as [number, number], body, built)
}

interface Place {
  readonly total: number
  readonly built: Built
  readonly isSeen: boolean
}

function lastAct(spec: Value, scope: Scope, place: Place): Expression {
  const plain = scope.compile(spec)
  if (spec.type !== bsonType.object) return plain
  const [first] = fieldsOf(spec)
  if (first === undefined) return plain
  const [name, operand] = first
  if (name === '$cond') return conditional(plain, operand, scope, place)
  const growth = growths.get(name)
  if (growth === undefined || operand.type !== bsonType.array) return plain
  const given = elementsOf(operand)
  const { total, built, isSeen } = place
  const grown = (how: Growth, others: readonly Value[]): Expression => {
    const operands = others.map((other) => scope.compile(other))
    return new Grow(plain, operands, how, total, built, isSeen)
  }
  if (isTotal(given[0])) return grown(growth, given.slice(1))
  const isFront = name === '$concatArrays' && !isSeen && isTotal(given.at(-1))
  return isFront ? grown(frontGrowth, given.slice(0, -1)) : plain
}

/** `plain` is the whole $cond, already checked. */
function conditional(plain: Expression, operand: Value, scope: Scope, place: Place): Expression {
  if (!(plain instanceof Condition)) return plain
  const given = new Map(fieldsOf(operand))
  const names = operand.type === bsonType.array ? ['1', '2'] : ['then', 'else']
  const [yes, no] = names.map((name) => given.get(name))
  if (yes === undefined || no === undefined) return plain
  return plain.with(lastAct(yes, scope, place), lastAct(no, scope, place))
}

function isTotal(value: Value | undefined): boolean {
  return value?.type === bsonType.string && stringOf(value) === '$$value'
}

/** Upper bound of the uses of `$$value` in a body; those in literals count too. */
function mentions(spec: Value): number {
  if (spec.type === bsonType.string) return Number(/^\$\$value(?:\.|$)/.test(stringOf(spec)))
  if (spec.type !== bsonType.object && spec.type !== bsonType.array) return 0
  let count = 0
  for (const [, value] of fieldsOf(spec)) count += mentions(value)
  return count
}

export const reduceOperators: readonly OperatorRow[] = [
  { name: '$reduce', readsRoot: false, compile: compileReduce },
]
