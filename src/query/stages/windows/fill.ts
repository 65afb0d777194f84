// $fill: gives null and missing fields a value: of an expression, of the last document that had
// one, or by linear interpolation. The latter two are windows over the same partitions.

import { fail, type GatewayError } from '../../../base/errors.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import {
  bsonType,
  documentOf,
  documentValue,
  nullValue,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { isNullish, location, typeName } from '../../expressions/operator.js'
import { requirePath } from '../../projection-spec.js'
import { compileSort } from '../../sort.js'
import { FieldSetter } from '../setter.js'
import { MapTransform, type StageCompiler, type StagePlan, type StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'
import { windowPlan } from './set-window-fields.js'
import type { Sorting } from './window-bounds.js'
import { compileFunction } from './window-functions.js'

function refuse(text: string): GatewayError {
  return fail('FailedToParse', text)
}

/** How each field is filled. */
interface Fillings {
  readonly values: readonly (readonly [path: string, value: Value])[]
  readonly methods: readonly (readonly [path: string, name: '$locf' | '$linearFill'])[]
}

function compileFill(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    throw refuse(`The $fill stage must be specified as an object, found ${typeName(spec)}`)
  }
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (['partitionBy', 'partitionByFields', 'sortBy', 'output'].includes(name)) continue
    throw location(40415, `BSON field '$fill.${name}' is an unknown field.`)
  }
  const output = given.get('output')
  if (output === undefined) {
    throw location(40414, "BSON field '$fill.output' is missing but a required field")
  }
  const { values, methods } = fillingsOf(output)
  const plans: StagePlan[] = []
  if (methods.length > 0) plans.push(methodPlan(spec, given, methods, compiler))
  for (const [path, value] of values) plans.push(valuePlan(spec, path, value, compiler))
  return plans
}

function fillingsOf(output: Value): Fillings {
  const fields = output.type === bsonType.object ? [...fieldsOf(output)] : []
  if (fields.length === 0) throw refuse("The $fill stage's 'output' must be a non-empty object")
  const values: [string, Value][] = []
  const methods: [string, '$locf' | '$linearFill'][] = []
  for (const [path, filling] of fields) {
    requirePath(path)
    const [only, ...others] = filling.type === bsonType.object ? [...fieldsOf(filling)] : []
    if (only === undefined || others.length > 0) {
      throw location(6050202, `Each fill output specification must have exactly one field: ${path}`)
    }
    const [kind, value] = only
    if (kind === 'value') values.push([path, value])
    else if (kind === 'method') methods.push([path, methodOf(value)])
    else throw location(40415, `BSON field '$fill.output.${kind}' is an unknown field.`)
  }
  return { values, methods }
}

function methodOf(value: Value): '$locf' | '$linearFill' {
  const name = value.type === bsonType.string ? stringOf(value) : ''
  if (name === 'locf') return '$locf'
  if (name === 'linear') return '$linearFill'
  throw location(6050202, 'Method must be either locf or linear')
}

function methodPlan(
  spec: Value,
  given: ReadonlyMap<string, Value>,
  methods: Fillings['methods'],
  compiler: StageCompiler,
): StagePlan {
  const sortBy = given.get('sortBy')
  if (sortBy !== undefined && sortBy.type !== bsonType.object) {
    const found = typeName(sortBy)
    const text = `BSON field '$fill.sortBy' is the wrong type '${found}', expected type 'object'`
    throw fail('TypeMismatch', text)
  }
  const { collation } = compiler.context
  const sort = sortBy === undefined ? undefined : compileSort(documentOf(sortBy), collation)
  const parts = sort?.parts.length ?? 0
  const sorting: Sorting = {
    isSorted: parts > 0,
    sortsByOne: parts === 1,
    ascends: sort?.parts[0]?.direction === 1,
  }
  const outputs = methods.map(([path, name]) => {
    const filling = documentValue(writeDocument((writer) => writer.string(name, `$${path}`)))
    return { path, function: compileFunction(filling, sorting, compiler) }
  })
  const partitionBy = partitionOf(given)
  const plan = {
    partitionBy: partitionBy === undefined ? undefined : compiler.input(partitionBy),
    sort,
    outputs,
  }
  return windowPlan('$fill', spec, plan, compiler)
}

/** The expression of the partition: as given, or an object of the named fields. */
function partitionOf(given: ReadonlyMap<string, Value>): Value | undefined {
  const by = given.get('partitionBy')
  const fields = given.get('partitionByFields')
  if (by !== undefined && fields !== undefined) {
    const text = "Maximum one of 'partitionBy' and 'partitionByFields' can be specified in '$fill'"
    throw location(6050204, text)
  }
  if (by?.type === bsonType.string && !stringOf(by).startsWith('$')) {
    throw refuse("'partitionBy' must be an expression: a string begins with '$'")
  }
  if (fields === undefined) return by
  const names = fields.type === bsonType.array ? elementsOf(fields) : [nullValue]
  return documentValue(
    writeDocument((writer) => {
      for (const [i, name] of names.entries()) {
        if (name.type !== bsonType.string) throw refuse("'partitionByFields' must be strings")
        requirePath(stringOf(name))
        writer.value(String(i), stringValue(`$${stringOf(name)}`))
      }
    }),
  )
}

function valuePlan(spec: Value, path: string, value: Value, compiler: StageCompiler): StagePlan {
  const current = compiler.input(stringValue(`$${path}`))
  const expression = compiler.input(value)
  const create = (): MapTransform => {
    const env = compiler.environment()
    const setter = new FieldSetter(path, compiler.context)
    return new MapTransform((document) => {
      env.root = documentValue(document)
      if (!isNullish(current.evaluate(env))) return document
      return setter.set(document, expression.evaluate(env) ?? nullValue)
    })
  }
  return { kind: 'transform', name: '$fill', spec, create }
}

export const fillStage: StageRow = { ...plainStage, name: '$fill', compile: compileFill }
