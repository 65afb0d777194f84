// $lookup: the plan of a join. This file has the pure parts: the filter of foreign documents, the
// pipeline over them, and how they are added to a document. The engine reads the collection.

import { fail, type GatewayError } from '../../../base/errors.js'
import { Elements, field, fieldsOf } from '../../../value/elements.js'
import {
  bsonType,
  type Document,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import {
  Env,
  type Expression,
  emptyObject,
  typeName,
  valueText,
} from '../../expressions/operator.js'
import { requireVariableName } from '../../expressions/variable.js'
import { requirePath } from '../../projection-spec.js'
import { LetVariables } from '../../variables.js'
import { joinEffect } from '../effects.js'
import { FieldSetter } from '../setter.js'
import type { LookupPlan, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { given, joinReach, plainStage } from '../stage-facts.js'
import { allOf, equalityCondition, equalityFilter, leadingEqualities } from './lookup-filter.js'

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

/** The text of an option, if present. */
function textOption(given: ReadonlyMap<string, Value>, name: string): string | undefined {
  const value = given.get(name)
  return value === undefined ? undefined : stringOf(value)
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
      expressions.push([name, compiler.input(value)])
    }
  }
  return { names: new Set(expressions.map(([name]) => name)), expressions }
}

interface Correlated {
  pipelineFor(document: Document): StagePlan[]
  /** The conditions of the pipeline's first stage that a filter can express. */
  conditionsFor(document: Document): Document[]
}

/** The sub-pipeline for a document; compiled once if it does not depend on the document. */
function correlated(
  pipeline: Value | undefined,
  bindings: Bindings,
  compiler: StageCompiler,
): Correlated {
  if (pipeline === undefined) return { pipelineFor: () => [], conditionsFor: () => [] }
  const { context } = compiler
  const declared = { ...context, variables: new LetVariables(context.variables, bindings.names) }
  const checked = compiler.compile(pipeline, declared)
  if (bindings.expressions.length === 0) {
    return { pipelineFor: () => checked, conditionsFor: () => [] }
  }
  const env = compiler.environment()
  const variablesOf = (document: Document): LetVariables => {
    const variables = new LetVariables(context.variables, bindings.names)
    env.root = documentValue(document)
    for (const [name, expression] of bindings.expressions) {
      const value = expression.evaluate(env)
      if (value !== undefined) variables.set(name, value)
    }
    return variables
  }
  const scope = compiler.scopeOf(declared)
  const equalities = leadingEqualities(pipeline).map(({ path, variable }) => ({
    path,
    variable: scope.compile(variable),
  }))
  return {
    pipelineFor: (document) =>
      compiler.compile(pipeline, { ...context, variables: variablesOf(document) }),
    conditionsFor: (document) => {
      if (equalities.length === 0) return []
      const inner = new Env(emptyObject, variablesOf(document), context.now, context.collation)
      return equalities.flatMap(({ path, variable }) => {
        return equalityCondition(path, variable.evaluate(inner)) ?? []
      })
    },
  }
}

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
  let join: ((document: Document) => Document) | undefined
  if (local !== undefined && foreign !== undefined) {
    requirePath(local)
    requirePath(foreign)
    join = equalityFilter(local, foreign)
  }
  const bindings = bindingsOf(given.get('let'), compiler)
  const { pipelineFor, conditionsFor } = correlated(pipeline, bindings, compiler)
  const setter = new FieldSetter(as, compiler.context)
  const plan: LookupPlan = {
    kind: 'lookup',
    name: '$lookup',
    spec,
    from,
    throughView: compiler.context.throughView === true,
    as,
    foreignFilter: (document) =>
      allOf([...(join === undefined ? [] : [join(document)]), ...conditionsFor(document)]),
    pipelineFor,
    joined: (document, matches) => setter.set(document, matches),
    joinedEach: (document, match) =>
      match === undefined ? without(document, as) : setter.set(document, documentValue(match)),
  }
  return [plan]
}

/** Removes a top-level field from the document. */
function without(document: Document, name: string): Document {
  const value = documentValue(document)
  if (field(document, name) === undefined) return document
  return writeDocument((writer) => {
    for (const [one, content] of fieldsOf(value)) if (one !== name) writer.value(one, content)
  })
}

export const lookupStage: StageRow = {
  ...plainStage,
  name: '$lookup',
  effect: (plan) => joinEffect(plan.spec, plan.kind === 'lookup' ? plan.unwind : undefined),
  reach: (spec) => joinReach(spec, given(spec, 'from')),
  compile: compileLookup,
}
