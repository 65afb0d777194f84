// $densify: adds documents for missing values in a series of numbers or dates. Documents are sorted
// by partition and value, and new ones fill the gaps, one step apart.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { densifyDocumentsMax } from '../../../base/limits/documents.js'
import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import type { Collation } from '../../../value/collation/collation.js'
import { compareValues, equalValues } from '../../../value/compare.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { encodeKey } from '../../../value/key.js'
import { addNumbers, integerOf, numberOf } from '../../../value/numbers.js'
import { expressionValue, type FieldPath, parsePath } from '../../../value/path.js'
import {
  bsonType,
  type Document,
  documentValue,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { QueryContext } from '../../context.js'
import { movedDate, type Unit } from '../../expressions/dates/date-math.js'
import { location, typeName, valueText } from '../../expressions/operator.js'
import { requirePath } from '../../projection-spec.js'
import { memoryOnly, type Workspace } from '../../spill.js'
import { FieldSetter } from '../setter.js'
import { SortingTransform } from '../sorting.js'
import type { Emit, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'
import { unitOf } from './window-bounds.js'

interface DensifyPlan {
  readonly field: string
  readonly partitionFields: readonly string[]
  /** A number; with `unit` a count of units. */
  readonly step: Value
  readonly unit: Unit | undefined
  /** `partition`: the range of each partition; `full`: of all; or two values. */
  readonly bounds: 'full' | 'partition' | readonly [low: Value, high: Value]
}

/** The single partition, if there are no partition fields. */
const noPartition = writeDocument(() => {})

/** The smallest and the largest value. */
interface Range {
  low: Value
  high: Value
}

class Densify extends SortingTransform {
  private readonly path: FieldPath
  private readonly partitionPaths: readonly FieldPath[]
  private readonly setter: FieldSetter
  private readonly partitionSetters: readonly FieldSetter[]
  private readonly collation: Collation | undefined
  private all: Range | undefined
  private made = 0

  constructor(
    private readonly plan: DensifyPlan,
    context: QueryContext,
    workspace: Workspace,
  ) {
    super({ name: '$densify', workspace })
    this.collation = context.collation
    this.path = parsePath(plan.field)
    this.partitionPaths = plan.partitionFields.map(parsePath)
    this.setter = new FieldSetter(plan.field, context)
    this.partitionSetters = plan.partitionFields.map((field) => new FieldSetter(field, context))
  }

  push(document: Document): void {
    const value = this.valueIn(document)
    const partition = encodeKey(documentValue(this.partitionOf(document)), false, this.collation)
    this.sorted.push(document, concatBytes(partition, encodeKey(value ?? nullValue)))
    if (value === undefined) return
    const own = value.detach()
    this.all ??= { low: own, high: own }
    if (compareValues(own, this.all.low) < 0) this.all.low = own
    if (compareValues(own, this.all.high) > 0) this.all.high = own
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    let partition: Document | undefined
    let next: Value | undefined
    let passed = 0
    yield* this.sorted.settle()
    for (const document of this.sorted.drain()) {
      if (++passed % stepDocumentsMax === 0 || work.isDue) yield
      const value = this.valueIn(document)
      if (value === undefined) {
        emit(document)
        continue
      }
      const own = this.partitionOf(document)
      if (partition === undefined || !sameDocument(partition, own, this.collation)) {
        if (partition !== undefined) yield* this.upTo(next, this.end(), true, partition, emit)
        partition = own
        next = this.start() ?? value
      }
      next = yield* this.upTo(next, value, false, partition, emit)
      if (next !== undefined && compareValues(next, value) === 0) next = this.after(next)
      emit(document)
    }
    // Explicit bounds are filled even without input, if there are no partition fields.
    const isWhole = this.partitionPaths.length === 0
    if (partition === undefined && !isWhole) return
    const last = partition ?? noPartition
    yield* this.upTo(partition === undefined ? this.start() : next, this.end(), true, last, emit)
  }

  /** The value of the field; undefined for null and missing, whose documents pass unchanged. */
  private valueIn(document: Document): Value | undefined {
    const value = expressionValue(documentValue(document), this.path)
    if (value === undefined || value.isNullish) return undefined
    const { unit } = this.plan
    if (unit === undefined && !value.isNumber) {
      const found = typeName(value)
      throw location(5733201, `Densify field type must be numeric with no unit, found ${found}`)
    }
    if (unit !== undefined && value.type !== bsonType.date) {
      throw location(
        6053600,
        `Densify field type must be a date with a unit, found ${typeName(value)}`,
      )
    }
    return value
  }

  private partitionOf(document: Document): Document {
    return writeDocument((writer) => {
      for (const [i, path] of this.partitionPaths.entries()) {
        const value = expressionValue(documentValue(document), path)
        if (value !== undefined) writer.value(String(i), value)
      }
    })
  }

  /** The first value of each partition; undefined: its own first value. */
  private start(): Value | undefined {
    const { bounds } = this.plan
    if (bounds === 'partition') return undefined
    return bounds === 'full' ? this.all?.low : bounds[0]
  }

  private end(): Value | undefined {
    const { bounds } = this.plan
    if (bounds === 'partition') return undefined
    return bounds === 'full' ? this.all?.high : bounds[1]
  }

  /**
   * Emits from `next` to below `end` (including `end` with `full`); returns the first value not
   * emitted.
   */
  private *upTo(
    next: Value | undefined,
    end: Value | undefined,
    isLast: boolean,
    partition: Document,
    emit: Emit,
  ): Generator<void, Value | undefined, void> {
    const { bounds } = this.plan
    const limit = typeof bounds === 'string' ? undefined : bounds[1]
    let at = next
    while (at !== undefined && end !== undefined) {
      const order = compareValues(at, end)
      if (order > 0 || (order === 0 && !(isLast && bounds === 'full'))) break
      if (limit !== undefined && compareValues(at, limit) >= 0) break
      emit(this.document(at, partition))
      at = this.after(at)
      if (this.made % stepDocumentsMax === 0 || work.isDue) yield
    }
    return at
  }

  private document(value: Value, partition: Document): Document {
    if (++this.made > densifyDocumentsMax) {
      const text = `Generated ${densifyDocumentsMax} documents in $densify, which is over the limit`
      throw location(5897900, `${text}. Increase the 'step' or narrow the 'bounds'`)
    }
    let document = noPartition
    for (const [name, part] of fieldsOf(documentValue(partition))) {
      document = this.partitionSetters[Number(name)]?.set(document, part) ?? document
    }
    return this.setter.set(document, value)
  }

  private after(value: Value): Value {
    const { step, unit } = this.plan
    if (unit === undefined) return addNumbers(value, step)
    return movedDate(value, unit, numberOf(step))
  }
}

function sameDocument(a: Document, b: Document, collation: Collation | undefined): boolean {
  return equalValues(documentValue(a), documentValue(b), collation)
}

function refuse(text: string): GatewayError {
  return fail('FailedToParse', text)
}

function compileDensify(spec: Value, compiler: StageCompiler): StagePlan[] {
  const given = optionsOf('$densify', ['field', 'range', 'partitionByFields'], spec)
  const field = given.get('field')
  const range = given.get('range')
  if (field === undefined || range === undefined) {
    const name = field === undefined ? 'field' : 'range'
    throw location(40414, `BSON field '$densify.${name}' is missing but a required field`)
  }
  if (field.type !== bsonType.string) {
    throw fail('TypeMismatch', `'$densify.field' must be a string, found ${typeName(field)}`)
  }
  requirePath(stringOf(field))
  const partitionFields = partitionFieldsOf(given.get('partitionByFields'))
  const { step, unit, bounds } = rangeOf(range)
  if (bounds === 'partition' && partitionFields.length === 0) {
    throw location(
      5733408,
      "one may not specify the bounds as 'partition' without specifying a non-empty array of " +
        "partitionByFields. You may have meant to specify 'full' bounds.",
    )
  }
  const plan = { field: stringOf(field), partitionFields, step, unit, bounds }
  const create = (workspace = memoryOnly): Densify => new Densify(plan, compiler.context, workspace)
  return [{ kind: 'transform', name: '$densify', spec, create }]
}

function optionsOf(what: string, names: readonly string[], spec: Value): Map<string, Value> {
  if (spec.type !== bsonType.object) {
    throw refuse(`The ${what} stage specification must be an object, found ${typeName(spec)}`)
  }
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (!names.includes(name)) {
      throw location(40415, `BSON field '${what}.${name}' is an unknown field.`)
    }
  }
  return given
}

function partitionFieldsOf(value: Value | undefined): string[] {
  if (value === undefined) return []
  const names = value.type === bsonType.array ? elementsOf(value) : [value]
  return names.map((name) => {
    if (value.type !== bsonType.array || name.type !== bsonType.string) {
      throw fail('TypeMismatch', "'$densify.partitionByFields' must be an array of strings")
    }
    requirePath(stringOf(name))
    return stringOf(name)
  })
}

function rangeOf(spec: Value): Pick<DensifyPlan, 'step' | 'unit' | 'bounds'> {
  const given = optionsOf('$densify.range', ['step', 'unit', 'bounds'], spec)
  const step = given.get('step')
  const bounds = given.get('bounds')
  if (step?.isNumber !== true || !(numberOf(step) > 0)) {
    throw location(
      5733401,
      'the step parameter in a range statement must be a strictly positive numeric value',
    )
  }
  const named = given.get('unit')
  const unit = named === undefined ? undefined : unitOf(named)
  if (unit !== undefined && integerOf(step) === undefined) {
    throw location(
      6586400,
      'The step parameter in a range statement must be a whole number when densifying a date range',
    )
  }
  return { step, unit, bounds: boundsOf(bounds, unit) }
}

function boundsOf(value: Value | undefined, unit: Unit | undefined): DensifyPlan['bounds'] {
  if (value?.type === bsonType.string) {
    const text = stringOf(value)
    if (text === 'full' || text === 'partition') return text
    throw location(5946802, "Bounds string must either be 'full' or 'partition'")
  }
  if (value?.type !== bsonType.array) {
    throw location(
      5733404,
      `the bounds of a range must be a string or an array: ${valueText(value)}`,
    )
  }
  const elements = elementsOf(value)
  const [low, high] = elements
  if (low === undefined || high === undefined || elements.length > 2) {
    throw location(5733403, 'a bounding array in a range statement must have exactly two elements')
  }
  const fits = (bound: Value): boolean =>
    unit === undefined ? bound.isNumber : bound.type === bsonType.date
  if (fits(low) && fits(high) && compareValues(low, high) <= 0) return [low, high]
  throw location(
    5733402,
    'a bounding array must be an ascending array of either two dates or two numbers',
  )
}

export const densifyStage: StageRow = { ...plainStage, name: '$densify', compile: compileDensify }
