// $group and $sortByCount: documents are folded into one state per key. Keys are equal as values
// are (1 and 1.0 are one group, missing and null another); groups come out in the order they began.

import { bufferOf } from '../../base/bytes.js'
import { stepDocumentsMax } from '../../base/limits.js'
import { compareValues } from '../../value/compare.js'
import { Elements } from '../../value/elements.js'
import { equalityKey } from '../../value/key.js'
import { numberOf } from '../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleValue,
  nullValue,
  stringOf,
  type Value,
} from '../../value/value.js'
import { DocumentWriter, writeDocument } from '../../value/writer.js'
import { accumulators } from '../accumulators.js'
import type { Accumulator, AccumulatorPlan } from '../expressions/accumulator.js'
import { copyOf, type Env, type Expression, location } from '../expressions/operator.js'
import { compileSort } from '../sort.js'
import { sortPlan } from './sort.js'
import {
  type Emit,
  requireMemory,
  type StageCompiler,
  type StagePlan,
  type StageRow,
  StreamTransform,
} from './stage.js'

/** What a group costs beside its key and the values that its accumulators keep. */
const groupOverheadBytes = 128

interface Group {
  readonly id: Value
  readonly states: Accumulator[]
}

/** One field of a group's document, and what it accumulates. */
export interface GroupField {
  readonly name: string
  readonly plan: AccumulatorPlan
}

/** Groups by value: the usual kinds of key are found without encoding them. */
class Groups {
  private readonly byNumber = new Map<number, Group>()
  private readonly byText = new Map<string, Group>()
  private readonly byKey = new Map<string, Group>()

  find(id: Value): Group | undefined {
    if (id.type === bsonType.string) return this.byText.get(textKey(id))
    const number = numberKey(id)
    return number === undefined ? this.byKey.get(equalityKey(id)) : this.byNumber.get(number)
  }

  add(group: Group): void {
    const { id } = group
    if (id.type === bsonType.string) {
      this.byText.set(textKey(id), group)
      return
    }
    const number = numberKey(id)
    if (number === undefined) this.byKey.set(equalityKey(id), group)
    else this.byNumber.set(number, group)
  }
}

/** The bytes of a string, one character each: quicker than decoding, and as distinct. */
function textKey(id: Value): string {
  return bufferOf(id.bytes).toString('latin1', id.start + 4, id.end - 1)
}

/** The double that a number is exactly; -0 and NaN are what a Map makes of them. */
function numberKey(id: Value): number | undefined {
  if (id.type === bsonType.int32 || id.type === bsonType.double) return numberOf(id)
  if (!id.isNumber) return undefined
  const n = numberOf(id)
  return compareValues(doubleValue(n), id) === 0 ? n : undefined
}

class GroupTransform extends StreamTransform {
  private readonly groups = new Groups()
  private readonly order: Group[] = []
  private held = 0

  constructor(
    private readonly id: Expression,
    private readonly fields: readonly GroupField[],
    private readonly env: Env,
    private readonly groupEnv: Env,
  ) {
    super()
  }

  override get bytesHeld(): number {
    return this.held
  }

  push(document: Document): void {
    const { env, fields } = this
    env.root = documentValue(document)
    const id = this.id.evaluate(env) ?? nullValue
    const group = this.groups.find(id) ?? this.begin(id)
    const { states } = group
    for (let i = 0; i < fields.length; i++) {
      const state = states[i] as Accumulator
      const before = state.bytesHeld
      state.add((fields[i] as GroupField).plan.input.evaluate(env))
      this.held += state.bytesHeld - before
    }
    requireMemory('$group', this.held)
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    let emitted = 0
    for (let i = 0; i < this.order.length; i++) {
      emit(this.documentOf(this.order[i] as Group))
      if (++emitted % stepDocumentsMax === 0) yield
    }
    this.order.length = 0
    this.held = 0
  }

  private begin(id: Value): Group {
    const own = copyOf(id)
    this.groupEnv.root = documentValue(new DocumentWriter().value('_id', own).finish())
    const group: Group = {
      id: own,
      states: this.fields.map(({ plan }) => plan.create(this.groupEnv)),
    }
    this.groups.add(group)
    this.order.push(group)
    this.held += groupOverheadBytes + id.end - id.start
    return group
  }

  private documentOf(group: Group): Document {
    const writer = new DocumentWriter().value('_id', group.id)
    for (const [i, { name }] of this.fields.entries()) {
      writer.value(name, group.states[i]?.result() ?? nullValue)
    }
    return writer.finish()
  }
}

/** The plan of a stage that groups by `id`. */
export function groupPlan(
  name: string,
  spec: Value,
  id: Expression,
  fields: readonly GroupField[],
  compiler: StageCompiler,
): StagePlan {
  const create = (): GroupTransform =>
    new GroupTransform(id, fields, compiler.environment(), compiler.environment())
  return { kind: 'transform', name, spec, create }
}

function compileGroup(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    throw location(15947, "a group's fields must be specified in an object")
  }
  let id: Expression | undefined
  const fields: GroupField[] = []
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (name !== '_id') fields.push({ name, plan: accumulatorOf(name, value, compiler) })
    else if (id !== undefined) {
      throw location(15948, "a group's _id may only be specified once")
    } else id = compiler.scope.compile(value)
  }
  if (id === undefined) throw location(15955, 'a group specification must include an _id')
  return [groupPlan('$group', spec, id, fields, compiler)]
}

/** A field's accumulator object, compiled. */
export function accumulatorOf(
  name: string,
  value: Value,
  compiler: StageCompiler,
): AccumulatorPlan {
  if (name.includes('.')) {
    throw location(40235, `The field name '${name}' cannot contain '.'`)
  }
  if (name.startsWith('$')) {
    throw location(40236, `The field name '${name}' cannot be an operator name`)
  }
  const isObject = value.type === bsonType.object && value.bytes[value.start + 4] !== 0
  if (!isObject) throw location(40234, `The field '${name}' must be an accumulator object`)
  const elements = new Elements(value.bytes, value.start)
  elements.next()
  const operator = elements.name()
  const operand = elements.value()
  if (!operator.startsWith('$')) {
    throw location(40234, `The field '${name}' must be an accumulator object`)
  }
  if (elements.next()) {
    throw location(40238, `The field '${name}' must specify one accumulator`)
  }
  const row = accumulators.get(operator)
  if (row === undefined) throw location(15952, `unknown group operator '${operator}'`)
  return row.compile(operand, compiler.scope)
}

/** The field that tells how many documents a group has. */
export function countField(compiler: StageCompiler): GroupField {
  const one = documentValue(writeDocument((writer) => writer.int32('$sum', 1)))
  return { name: 'count', plan: accumulatorOf('count', one, compiler) }
}

/** Groups by the expression, and the largest groups first. */
function compileSortByCount(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type === bsonType.object) {
    if (spec.bytes[spec.start + 5] !== 0x24) {
      throw location(
        40147,
        'the sortByCount field must be defined as a $-prefixed path or an expression inside an ' +
          'object',
      )
    }
  } else if (spec.type === bsonType.string) {
    if (!stringOf(spec).startsWith('$')) {
      throw location(
        40148,
        'the sortByCount field must be defined as a $-prefixed path or an expression inside an ' +
          'object',
      )
    }
  } else {
    throw location(40149, 'the sortByCount field must be specified as a string or as an object')
  }
  const fields = [countField(compiler)]
  const order = new DocumentWriter().int32('count', -1).finish()
  return [
    groupPlan('$sortByCount', spec, compiler.scope.compile(spec), fields, compiler),
    sortPlan(documentValue(order), compileSort(order)),
  ]
}

export const groupStages: readonly StageRow[] = [
  { name: '$group', compile: compileGroup },
  { name: '$sortByCount', compile: compileSortByCount },
]
