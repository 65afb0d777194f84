// $setWindowFields: adds fields computed from neighbouring documents. Documents are sorted by
// partition and order. Each partition is held in memory while its columns are computed.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import { equalValues } from '../../../value/compare.js'
import { fieldsOf } from '../../../value/elements.js'
import { encodeKey } from '../../../value/key.js'
import { expressionValue } from '../../../value/path.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  nullValue,
  type Value,
} from '../../../value/value.js'
import { jobThen } from '../../detached.js'
import {
  type Env,
  type Expression,
  location,
  type Result,
  typeName,
} from '../../expressions/operator.js'
import { requirePath } from '../../projection-spec.js'
import { compileSort, type Sort } from '../../sort.js'
import { memoryOnly, requireMemory, type Workspace } from '../../spill.js'
import { FieldSetter } from '../setter.js'
import { SortingTransform } from '../sorting.js'
import type { Emit, Finishing, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'
import type { Partition, WindowFunction } from './window-function.js'
import { compileFunction } from './window-functions.js'

interface Output {
  readonly path: string
  readonly function: WindowFunction
}

interface WindowPlan {
  readonly partitionBy: Expression | undefined
  readonly sort: Sort | undefined
  readonly outputs: readonly Output[]
}

class SetWindowFields extends SortingTransform {
  private readonly env: Env
  private readonly setters: readonly FieldSetter[]
  private partitionBytes = 0

  constructor(
    private readonly plan: WindowPlan,
    compiler: StageCompiler,
    private readonly workspace: Workspace,
  ) {
    super({ name: '$setWindowFields', workspace })
    this.env = compiler.environment()
    this.setters = plan.outputs.map(({ path }) => new FieldSetter(path, compiler.context))
  }

  override get bytesHeld(): number {
    return super.bytesHeld + this.partitionBytes
  }

  push(document: Document): void {
    const { sort } = this.plan
    const partition = encodeKey(this.partitionOf(document), false, this.env.collation)
    const key = sort === undefined ? partition : concatBytes(partition, sort.key(document))
    this.sorted.push(document, key)
  }

  override *finish(emit: Emit): Finishing {
    let documents: Document[] = []
    let partition: Value | undefined
    // The partition needs the memory of the sorted documents, so many of them are spilled first.
    yield* this.sorted.settle(this.sorted.bytesHeld * 2 > this.workspace.memoryBytesMax)
    for (const document of this.sorted.drain()) {
      let next: Value
      try {
        next = this.partitionOf(document)
      } catch (error) {
        next = yield* jobThen(error, () => this.partitionOf(document))
      }
      if (partition !== undefined && !equalValues(partition, next, this.env.collation)) {
        yield* this.finishPartition(documents, emit)
        documents = []
      }
      partition = next
      documents.push(document)
      this.hold(document.length)
      if (documents.length % stepDocumentsMax === 0 || work.isDue) yield
    }
    yield* this.finishPartition(documents, emit)
  }

  private partitionOf(document: Document): Value {
    const { partitionBy } = this.plan
    if (partitionBy === undefined) return nullValue
    this.env.root = documentValue(document)
    const value = partitionBy.evaluate(this.env) ?? nullValue
    if (value.type !== bsonType.array) return value
    const text = 'An expression used to partition cannot evaluate to value of type array'
    throw fail('TypeMismatch', text)
  }

  private *finishPartition(documents: readonly Document[], emit: Emit): Finishing {
    const sortedBy = yield* this.sortValues(documents)
    const partition: Partition = { documents, sortedBy, hold: (bytes) => this.hold(bytes) }
    const columns: Result[][] = []
    for (const output of this.plan.outputs) {
      columns.push(yield* output.function.column(partition, this.env))
    }
    for (const [i, document] of documents.entries()) {
      let whole = document
      for (const [at, setter] of this.setters.entries()) {
        whole = setter.set(whole, columns[at]?.[i] ?? nullValue)
      }
      emit(whole)
      if (i % stepDocumentsMax === stepDocumentsMax - 1 || work.isDue) yield
    }
    this.partitionBytes = 0
  }

  private hold(bytes: number): void {
    this.partitionBytes += bytes
    const { workspace } = this
    const bytesHeld = this.sorted.bytesHeld + this.partitionBytes
    if (workspace.open === undefined) requireMemory('$setWindowFields', bytesHeld, workspace)
    else if (bytesHeld > workspace.memoryBytesMax) throw tooLarge(bytesHeld, workspace)
  }

  private *sortValues(documents: readonly Document[]): Generator<unknown, Result[], void> {
    const parts = this.plan.sort?.parts ?? []
    const [part] = parts
    if (part === undefined || parts.length > 1) return []
    const values: Result[] = []
    for (const document of documents) {
      work.note(entryUnits)
      values.push(expressionValue(documentValue(document), part.path))
      if (work.isDue) yield
    }
    return values
  }
}

/** The error of a partition that exceeds memory; a partition cannot spill. */
function tooLarge(bytes: number, { memoryBytesMax }: Workspace): GatewayError {
  const what = `used ${bytes} bytes but max allowed is ${memoryBytesMax}`
  return location(5414201, `Exceeded memory limit in DocumentSourceSetWindowFields, ${what}`)
}

function refuse(text: string): GatewayError {
  return fail('FailedToParse', text)
}

function compileWindows(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    throw refuse(
      `the $setWindowFields stage specification must be an object, found ${typeName(spec)}`,
    )
  }
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (['partitionBy', 'sortBy', 'output'].includes(name)) continue
    throw location(40415, `BSON field '$setWindowFields.${name}' is an unknown field.`)
  }
  const partitionBy = given.get('partitionBy')
  const sortBy = given.get('sortBy')
  const output = given.get('output')
  if (output === undefined) {
    const text = "BSON field '$setWindowFields.output' is missing but a required field"
    throw location(40414, text)
  }
  requireObject('output', output)
  if (sortBy !== undefined) requireObject('sortBy', sortBy)
  const sort =
    sortBy === undefined ? undefined : compileSort(documentOf(sortBy), compiler.context.collation)
  const plan = {
    partitionBy: partitionBy === undefined ? undefined : compiler.input(partitionBy),
    sort,
    outputs: outputsOf(output, sort, compiler),
  }
  return [windowPlan('$setWindowFields', spec, plan, compiler)]
}

/** The plan of a stage that sets fields by window functions. */
export function windowPlan(
  name: string,
  spec: Value,
  plan: WindowPlan,
  compiler: StageCompiler,
): StagePlan {
  const create = (workspace = memoryOnly): SetWindowFields =>
    new SetWindowFields(plan, compiler, workspace)
  return { kind: 'transform', name, spec, create }
}

function requireObject(name: string, value: Value): void {
  if (value.type === bsonType.object) return
  const found = typeName(value)
  throw fail(
    'TypeMismatch',
    `BSON field '$setWindowFields.${name}' is the wrong type '${found}', expected type 'object'`,
  )
}

function outputsOf(output: Value, sort: Sort | undefined, compiler: StageCompiler): Output[] {
  const parts = sort?.parts.length ?? 0
  const ascends = sort?.parts[0]?.direction === 1
  const sorting = { isSorted: parts > 0, sortsByOne: parts === 1, ascends }
  return [...fieldsOf(output)].map(([path, value]) => {
    requirePath(path)
    if (value.type !== bsonType.object) {
      throw refuse(`The field '${path}' must be a window function object`)
    }
    return { path, function: compileFunction(value, sorting, compiler) }
  })
}

export const windowStage: StageRow = {
  ...plainStage,
  name: '$setWindowFields',
  compile: compileWindows,
}
