// $group and $sortByCount: fold documents into one state per key. Keys are equal as values are (1
// and 1.0 are one group, missing and null another). Groups are emitted in the order of their first
// document, or, if they exceeded memory, in the order of their keys on disk.

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'
import { Arena } from '../../../base/heap/arena.js'
import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { KiB } from '../../../base/units.js'
import { work } from '../../../base/work/work-budget.js'
import type { Collation } from '../../../value/collation/collation.js'
import { compareValues } from '../../../value/compare.js'
import { Elements } from '../../../value/elements.js'
import { equalityKey } from '../../../value/key.js'
import { numberOf } from '../../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleValue,
  nullValue,
  stringOf,
  Value,
} from '../../../value/value.js'
import { DocumentWriter, writeDocument } from '../../../value/writer.js'
import { accumulators } from '../../accumulators.js'
import {
  type Accumulator,
  type AccumulatorPlan,
  bytesOfStates,
  resultsInTurns,
} from '../../expressions/accumulator.js'
import { type Env, type Expression, location, type Result } from '../../expressions/operator.js'
import { compileSort } from '../../sort.js'
import { memoryExceeded, memoryOnly, type SpillFigures, type Workspace } from '../../spill.js'
import type { Needs } from '../effects.js'
import { sortPlan } from '../sort.js'
import { Sorter } from '../sorter.js'
import {
  type Emit,
  type StageCompiler,
  type StagePlan,
  type StageRow,
  StreamTransform,
} from '../stage.js'
import { plainStage } from '../stage-facts.js'

/** Work units to find, create or write a group: 0.3 µs. */
const groupUnits = 3
/** Work units to save a state to the disk, and to merge a saved one: 1 µs. */
const savedUnits = 10
/** Memory of a group beside its key and its states, bytes. */
const groupOverheadBytes = 128

interface Group {
  readonly id: Value
  readonly states: Accumulator[]
}

/** One field of a group's document, with its accumulator. */
export interface GroupField {
  readonly name: string
  readonly plan: AccumulatorPlan
}

/** Groups by value; common kinds of keys are found without encoding them. */
class Groups {
  private readonly byNumber = new Shards<number>()
  private readonly byText = new Shards<string>()
  private readonly byKey = new Shards<string>()

  constructor(private readonly collation: Collation | undefined) {}

  find(id: Value): Group | undefined {
    const { collation } = this
    const isText = id.type === bsonType.string && collation === undefined
    if (isText) return ofText(this.byText, textKey(id))
    const number = numberKey(id)
    if (number !== undefined) return this.byNumber.of(number | 0).get(number)
    return ofText(this.byKey, equalityKey(id, collation))
  }

  add(group: Group): void {
    const { id } = group
    if (id.type === bsonType.string && this.collation === undefined) {
      const key = textKey(id)
      this.byText.of(hashOf(key)).set(key, group)
      return
    }
    const number = numberKey(id)
    if (number !== undefined) {
      this.byNumber.of(number | 0).set(number, group)
      return
    }
    const key = equalityKey(id, this.collation)
    this.byKey.of(hashOf(key)).set(key, group)
  }
}

const shards = 64

/** A map in pieces, because resizing a table of a million entries is not a bounded step. */
class Shards<K> {
  private readonly maps: (Map<K, Group> | undefined)[] = []

  of(hash: number): Map<K, Group> {
    const at = (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (shards - 1)
    const map = this.maps[at] ?? new Map<K, Group>()
    this.maps[at] = map
    return map
  }
}

function ofText(map: Shards<string>, key: string): Group | undefined {
  return map.of(hashOf(key)).get(key)
}

/** Hashes the end and the middle of a text, where texts are most likely to differ. */
function hashOf(text: string): number {
  const { length } = text
  const last = text.charCodeAt(length - 1) + text.charCodeAt(length - 2) * 7
  return last + text.charCodeAt(length >> 1) * 13 + text.charCodeAt(length - 5) * 31
}

/** The bytes of a string: faster than decoding and as distinct. */
function textKey(id: Value): string {
  return mapKey(id.bytes, id.start + 4, id.end - 1)
}

/** The double that equals a number exactly; a Map equates -0 with 0, and NaN with itself. */
function numberKey(id: Value): number | undefined {
  if (id.type === bsonType.int32 || id.type === bsonType.double) return numberOf(id)
  if (!id.isNumber) return undefined
  const n = numberOf(id)
  return compareValues(doubleValue(n), id) === 0 ? n : undefined
}

/** Groups that one step of a spill moves to the sorter, or takes from it. */
const movedAtOnce = 8
/** A group that grows by this much counts at once while its parts are put together. */
const countedBytes = 64 * KiB

export class GroupTransform extends StreamTransform {
  private groups: Groups
  private order: Group[] = []
  private held = 0
  /** Receives groups that exceed memory, as documents of `_id` and states. */
  private readonly sorter: Sorter
  private moving: Generator<undefined, void, void> | undefined
  private spills = 0
  private outputBytes = 0
  private readonly seesGroup: boolean
  /** Names of the fields' saved values: their places. */
  private readonly places: readonly string[]
  /** Inputs of the fields for the current document. */
  private readonly inputs: Result[] = []
  /** Ids of groups; released with the groups. */
  private readonly arena = new Arena()

  constructor(
    private readonly name: string,
    private readonly id: Expression,
    private readonly fields: readonly GroupField[],
    private readonly env: Env,
    private readonly groupEnv: Env,
    private readonly workspace: Workspace,
  ) {
    super()
    this.seesGroup = fields.some(({ plan }) => plan.seesGroup === true)
    this.places = fields.map((_, i) => String(i))
    this.groups = new Groups(env.collation)
    // Spilled groups pass through the sorter; a part of the bound suffices for sorted runs.
    const memoryBytesMax = Math.floor(workspace.memoryBytesMax / 4)
    this.sorter = new Sorter({ name, workspace: { ...workspace, memoryBytesMax } })
  }

  override get bytesHeld(): number {
    return this.held + this.sorter.bytesHeld + this.sorter.bytesReading
  }

  override get figures(): SpillFigures {
    return { ...this.sorter.figures, spills: this.spills, inputBytes: this.outputBytes }
  }

  close(): void {
    this.sorter.close()
  }

  override get pending(): boolean {
    return this.moving !== undefined || this.sorter.pending
  }

  push(document: Document): void {
    const { env, fields } = this
    work.note(groupUnits + fields.length)
    env.root = documentValue(document)
    const id = this.id.evaluate(env) ?? nullValue
    // Evaluates all inputs before the first is added: a document that fails here is retried.
    const { inputs } = this
    for (let i = 0; i < fields.length; i++) {
      inputs[i] = (fields[i] as GroupField).plan.input.evaluate(env)
    }
    const group = this.groups.find(id) ?? this.begin(id)
    const { states } = group
    for (let i = 0; i < fields.length; i++) {
      const state = states[i] as Accumulator
      const before = state.bytesHeld
      state.add(inputs[i])
      this.held += state.bytesHeld - before
    }
    if (this.held > this.workspace.memoryBytesMax) this.overflow()
  }

  /** Moves some groups to the sorter, or continues its spill. */
  override resume(): void {
    const { sorter, moving } = this
    if (sorter.pending) {
      sorter.work()
      return
    }
    if (moving?.next().done === true) this.moving = undefined
  }

  private *move(groups: readonly Group[]): Generator<undefined, void, void> {
    let moved = 0
    for (const group of groups) {
      yield* this.moveGroup(group)
      work.note(groupUnits * (1 + this.fields.length))
      if (++moved % movedAtOnce === 0 || this.sorter.pending || work.isDue) yield
    }
  }

  /** As a document of `_id` and saved values by the place of their field; long ones as several. */
  private *moveGroup({ id, states }: Group): Generator<undefined, void, void> {
    const { sorter, places } = this
    const key = Buffer.from(equalityKey(id, this.env.collation), 'latin1')
    const bytesMax = Math.max(countedBytes, 2 * (id.end - id.start))
    let writer = new DocumentWriter().value('_id', id)
    for (const [i, state] of states.entries()) {
      for (const saved of state.saved()) {
        if (saved !== undefined) writer.value(places[i] as string, saved)
        work.note(savedUnits)
        if (writer.length > bytesMax) {
          sorter.push(writer.finish(), key)
          if (sorter.pending) yield
          writer = new DocumentWriter().value('_id', id)
        }
        if (work.isDue) yield
      }
    }
    sorter.push(writer.finish(), key)
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    if (this.spills > 0) return yield* this.finishSpilled(emit)
    let emitted = 0
    const order: (Group | undefined)[] = this.order
    this.order = []
    // No group is looked up any more, and each ends with its document.
    this.groups = new Groups(this.env.collation)
    for (let i = 0; i < order.length; i++) {
      const group = order[i] as Group
      order[i] = undefined
      const isLong = bytesOfGroup(group) > countedBytes
      emit(this.documentOf(group, isLong ? yield* resultsInTurns(group.states) : undefined))
      this.held -= bytesOfGroup(group)
      work.note(groupUnits * (1 + this.fields.length))
      if (++emitted % stepDocumentsMax === 0 || work.isDue) yield
    }
    this.held = 0
  }

  /** Parts of one group are adjacent, in the order of their documents. */
  private *finishSpilled(emit: Emit): Generator<void, void, void> {
    this.overflow()
    while (this.pending) {
      this.resume()
      yield
    }
    yield* this.sorter.settle()
    let open: { key: Bytes; group: Group } | undefined
    let absorbed = 0
    for (const { key, document } of this.sorter.drainItems()) {
      const saved = new Elements(document)
      const id = saved.next() ? saved.value() : nullValue
      if (open === undefined || Buffer.compare(open.key, key) !== 0) {
        if (open !== undefined) {
          emit(this.documentOf(open.group, yield* resultsInTurns(open.group.states)))
        }
        open = { key, group: this.started(id) }
      }
      while (saved.next()) {
        open.group.states[Number(saved.name())]?.absorb(saved.value())
        work.note(savedUnits)
        if (work.isDue) yield
      }
      const held = bytesOfGroup(open.group)
      const hasGrown = held > this.held + countedBytes
      this.held = held
      work.note(groupUnits * (1 + this.fields.length))
      if (++absorbed % movedAtOnce === 0 || hasGrown || work.isDue) yield
    }
    if (open !== undefined) {
      emit(this.documentOf(open.group, yield* resultsInTurns(open.group.states)))
    }
    this.held = 0
  }

  /** Begins to move all groups out of memory. */
  private overflow(): void {
    if (this.workspace.open === undefined) throw memoryExceeded(this.name, this.workspace)
    this.moving = this.move(this.order)
    this.order = []
    this.groups = new Groups(this.env.collation)
    this.held = 0
    this.spills++
  }

  private begin(id: Value): Group {
    const group = this.started(id)
    this.groups.add(group)
    this.order.push(group)
    this.held += bytesOfGroup(group)
    return group
  }

  private started(id: Value): Group {
    const { arena, fields, groupEnv } = this
    arena.put(id.bytes, id.start, id.end)
    const own = new Value(id.type, arena.bytes, arena.start, arena.start + id.end - id.start)
    if (this.seesGroup) {
      groupEnv.root = documentValue(new DocumentWriter().value('_id', own).finish())
    }
    work.note(fields.length)
    const states = new Array<Accumulator>(fields.length)
    for (let i = 0; i < fields.length; i++) {
      states[i] = (fields[i] as GroupField).plan.create(groupEnv)
    }
    return { id: own, states }
  }

  private documentOf(group: Group, results?: readonly Value[]): Document {
    const writer = new DocumentWriter().value('_id', group.id)
    for (const [i, { name }] of this.fields.entries()) {
      writer.value(name, results?.[i] ?? group.states[i]?.result() ?? nullValue)
    }
    this.outputBytes += writer.length
    return writer.finish()
  }
}

function bytesOfGroup({ id, states }: Group): number {
  return groupOverheadBytes + id.end - id.start + bytesOfStates(states)
}

/** The plan of a stage that groups by `id`. */
export function groupPlan(
  name: string,
  spec: Value,
  id: Expression,
  fields: readonly GroupField[],
  compiler: StageCompiler,
): StagePlan {
  const create = (workspace = memoryOnly): GroupTransform => {
    const { environment } = compiler
    return new GroupTransform(name, id, fields, environment(), environment(), workspace)
  }
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
    if (name !== '_id') {
      if (fields.some((one) => one.name === name)) {
        throw location(16406, `duplicate field name specified in $group: ${name}`)
      }
      fields.push({ name, plan: accumulatorOf(name, value, compiler) })
    } else if (id !== undefined) {
      throw location(15948, "a group's _id may only be specified once")
    } else id = compiler.input(value)
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
  const plan = row.compile(operand, compiler.scope)
  return { ...plan, input: compiler.inputs.add(plan.input) }
}

/** A field that counts the documents of a group. */
export function countField(compiler: StageCompiler): GroupField {
  const one = documentValue(writeDocument((writer) => writer.int32('$sum', 1)))
  return { name: 'count', plan: accumulatorOf('count', one, compiler) }
}

/** Groups by the expression, then sorts by size, largest first. */
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
    groupPlan('$sortByCount', spec, compiler.input(spec), fields, compiler),
    sortPlan(documentValue(order), compileSort(order)),
  ]
}

function groupNeeds(spec: Value, needs: Needs): boolean {
  needs.expression(spec)
  return true
}

export const groupStages: readonly StageRow[] = [
  { ...plainStage, name: '$group', needs: groupNeeds, compile: compileGroup },
  { ...plainStage, name: '$sortByCount', needs: groupNeeds, compile: compileSortByCount },
]
