// $lookup: the plan of a join. What is pure is here: which foreign documents a document asks for,
// which pipeline runs over them, and how they are put into it. The engine reads the collection.

import { fail, type GatewayError } from '../../base/errors.js'
import { Elements, elementsOf, fieldsOf } from '../../value/elements.js'
import { parsePath, walkPath } from '../../value/path.js'
import {
  bsonType,
  type Document,
  documentValue,
  nullValue,
  stringOf,
  undefinedValue,
  type Value,
} from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import type { Expression } from '../expressions/operator.js'
import { typeName, valueText } from '../expressions/operator.js'
import { requireVariableName } from '../expressions/variable.js'
import { requirePath } from '../projection-spec.js'
import { FieldSetter } from './setter.js'
import type { LookupPlan, StageCompiler, StagePlan, StageRow } from './stage.js'

const options = ['from', 'as', 'localField', 'foreignField', 'let', 'pipeline']

function malformed(text: string): GatewayError {
  return fail('FailedToParse', text)
}

function optionsOf(spec: Value): Map<string, Value> {
  if (spec.type !== bsonType.object) {
    throw malformed(
      `the $lookup stage specification must be an object, but found ${typeName(spec)}`,
    )
  }
  const given = new Map<string, Value>()
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (!options.includes(name)) throw malformed(`unknown argument to $lookup: ${name}`)
    if (name === 'pipeline') {
      if (value.type !== bsonType.array) {
        throw fail('TypeMismatch', "'pipeline' option must be specified as an array")
      }
    } else {
      const wanted = name === 'let' ? bsonType.object : bsonType.string
      if (value.type !== wanted) {
        const kind = name === 'let' ? 'an object' : 'a string'
        throw malformed(
          `$lookup argument '${name}: ${valueText(value)}' must be ${kind}, is type ` +
            typeName(value),
        )
      }
    }
    given.set(name, value)
  }
  return given
}

/** The text of an option, if it is there. */
function textOption(given: ReadonlyMap<string, Value>, name: string): string | undefined {
  const value = given.get(name)
  return value === undefined ? undefined : stringOf(value)
}

/** Variables of a `let` that are declared even where they are missing. */
class LetVariables extends Map<string, Value> {
  constructor(
    outer: ReadonlyMap<string, Value>,
    private readonly declared: ReadonlySet<string>,
  ) {
    super(outer)
    for (const name of declared) this.delete(name)
  }

  override has(name: string): boolean {
    return super.has(name) || this.declared?.has(name) === true
  }
}

interface Bindings {
  readonly names: ReadonlySet<string>
  readonly expressions: readonly (readonly [name: string, expression: Expression])[]
}

function bindingsOf(spec: Value | undefined, compiler: StageCompiler): Bindings {
  const expressions: [string, Expression][] = []
  if (spec !== undefined) {
    for (const [name, value] of fieldsOf(spec)) {
      requireVariableName(name)
      expressions.push([name, compiler.scope.compile(value)])
    }
  }
  return { names: new Set(expressions.map(([name]) => name)), expressions }
}

/** The sub-pipeline for a document. Compiled once where nothing of the document is in it. */
function pipelines(
  pipeline: Value | undefined,
  bindings: Bindings,
  compiler: StageCompiler,
): (document: Document) => StagePlan[] {
  if (pipeline === undefined) return () => []
  const { context } = compiler
  const declared = { ...context, variables: new LetVariables(context.variables, bindings.names) }
  const checked = compiler.compile(pipeline, declared)
  if (bindings.expressions.length === 0) return () => checked
  const env = compiler.environment()
  return (document) => {
    const variables = new LetVariables(context.variables, bindings.names)
    env.root = documentValue(document)
    for (const [name, expression] of bindings.expressions) {
      const value = expression.evaluate(env)
      if (value !== undefined) variables.set(name, value)
    }
    return compiler.compile(pipeline, { ...context, variables })
  }
}

/**
 * The filter of an equality join: every value at the local path counts, elements of arrays one by
 * one; without any it is null, which matches foreign null and missing.
 */
function equalityFilter(localField: string, foreignField: string): (local: Document) => Document {
  const path = parsePath(localField)
  return (local) => {
    const values = localValues(local, path)
    const isPlain = values.every((value) => value.type !== bsonType.regex)
    const writer = new DocumentWriter()
    if (values.length === 1) return conditionOf(foreignField, '$eq', values[0] as Value)
    if (isPlain) return conditionOf(foreignField, '$in', writeArray(values))
    // In $in a regular expression would be a pattern; here it is a value.
    writer.openArray('$or')
    for (const value of values) writer.pushDocument(conditionOf(foreignField, '$eq', value))
    return writer.close().finish()
  }
}

function localValues(local: Document, path: ReturnType<typeof parsePath>): Value[] {
  const values: Value[] = []
  walkPath(local, path, (leaf) => {
    if (leaf === undefined) return false
    if (leaf.type === bsonType.array) for (const element of elementsOf(leaf)) values.push(element)
    else values.push(leaf)
    return false
  })
  if (values.length === 0) values.push(nullValue)
  return values.map((value) => (value.type === undefinedValue.type ? nullValue : value))
}

function conditionOf(field: string, operator: string, value: Value): Document {
  return new DocumentWriter().openDocument(field).value(operator, value).close().finish()
}

const everything: Document = Uint8Array.of(5, 0, 0, 0, 0)

function compileLookup(spec: Value, compiler: StageCompiler): StagePlan[] {
  const given = optionsOf(spec)
  const as = textOption(given, 'as')
  if (as === undefined) throw malformed("must specify 'as' field for a $lookup")
  requirePath(as)
  const from = textOption(given, 'from')
  if (from === undefined) {
    throw malformed(`missing 'from' option to $lookup stage specification: ${valueText(spec)}`)
  }
  const local = textOption(given, 'localField')
  const foreign = textOption(given, 'foreignField')
  const pipeline = given.get('pipeline')
  if ((local === undefined) !== (foreign === undefined)) {
    throw malformed(
      '$lookup requires both or neither of localField and foreignField to be specified',
    )
  }
  if (local === undefined && pipeline === undefined) {
    throw malformed(
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    )
  }
  if (given.has('let') && pipeline === undefined) {
    throw malformed("$lookup with a 'let' argument must also specify 'pipeline'")
  }
  let foreignFilter = (_document: Document): Document => everything
  if (local !== undefined && foreign !== undefined) {
    requirePath(local)
    requirePath(foreign)
    foreignFilter = equalityFilter(local, foreign)
  }
  const pipelineFor = pipelines(pipeline, bindingsOf(given.get('let'), compiler), compiler)
  const setter = new FieldSetter(as, compiler.context)
  const plan: LookupPlan = {
    kind: 'lookup',
    name: '$lookup',
    spec,
    from,
    as,
    foreignFilter,
    pipelineFor,
    joined: (document, matches) => setter.set(document, writeArray(matches.map(documentValue))),
  }
  return [plan]
}

export const lookupStage: StageRow = { name: '$lookup', compile: compileLookup }
