// Stages that reshape documents: $project, $addFields and $set, $unset, $replaceRoot and
// $replaceWith. Most of them apply a projection tree.

import { GatewayError } from '../../base/errors.js'
import { isTooMuchWork } from '../../base/work/work-budget.js'
import { Elements, elementsOf } from '../../value/elements.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  stringOf,
  type Value,
} from '../../value/value.js'
import { isOperatorName } from '../expression.js'
import { type Expression, location, typeName, valueText } from '../expressions/operator.js'
import { parseProjection, requirePath } from '../projection-spec.js'
import { ProjectionNode, ProjectionTree } from '../projection-tree.js'
import {
  addedEffect,
  expressionNeeds,
  projectEffect,
  projectNeeds,
  replacingEffect,
  unsetEffect,
} from './effects.js'
import {
  MapTransform,
  recipeOf,
  type StageCompiler,
  type StagePlan,
  type StageRow,
} from './stage.js'
import { mappingStage } from './stage-facts.js'

/** Runs `compile`; adds the stage's name to its errors, as MongoDB does. */
function prefixed<T>(name: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof GatewayError) || isTooMuchWork(error)) throw error
    const text = `Invalid ${name} :: caused by :: ${error.message}`
    throw new GatewayError(error.kind, text, error.extra, error)
  }
}

function treePlan(
  name: string,
  spec: Value,
  tree: ProjectionTree,
  compiler: StageCompiler,
): StagePlan {
  const create = (): MapTransform => {
    const env = compiler.environment()
    const map = (document: Document): Document => {
      env.root = documentValue(document)
      return tree.apply(document, env)
    }
    return new MapTransform(map, recipeOf(name, spec, compiler.context))
  }
  return { kind: 'transform', name, spec, create }
}

function compileProject(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    throw location(15969, '$project specification must be an object')
  }
  if (isEmptyObject(spec)) {
    throw location(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    )
  }
  const tree = prefixed('$project', () =>
    parseProjection(documentOf(spec), {
      compile: (value) => compiler.scope.compile(value),
      knows: isOperatorName,
    }),
  )
  return [treePlan('$project', spec, tree, compiler)]
}

function isEmptyObject(value: Value): boolean {
  return value.type === bsonType.object && value.bytes[value.start + 4] === 0
}

function addFieldsRow(name: string): StageRow {
  const compile = (spec: Value, compiler: StageCompiler): StagePlan[] => {
    if (spec.type !== bsonType.object) {
      throw location(40272, `${name} specification stage must be an object, got ${typeName(spec)}`)
    }
    const root = new ProjectionNode()
    prefixed(name, () => {
      if (isEmptyObject(spec)) {
        throw location(40177, 'specification must have at least one field')
      }
      addFields(root, '', spec, compiler)
    })
    return [treePlan(name, spec, new ProjectionTree('exclusion', root), compiler)]
  }
  return {
    ...mappingStage,
    name,
    effect: ({ spec }) => addedEffect(spec),
    needs: expressionNeeds,
    compile,
  }
}

/** An object without an operator names fields below; everything else is an expression. */
function addFields(root: ProjectionNode, prefix: string, spec: Value, compiler: StageCompiler) {
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    const name = elements.name()
    requirePath(name)
    const value = elements.value()
    const path = prefix + name
    const isNested =
      value.type === bsonType.object &&
      !isEmptyObject(value) &&
      value.bytes[value.start + 5] !== 0x24
    if (isNested) addFields(root, `${path}.`, value, compiler)
    else root.add(path, { kind: 'computed', expression: compiler.scope.compile(value) })
  }
}

function compileUnset(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.string && spec.type !== bsonType.array) {
    throw location(31002, '$unset specification must be a string or an array')
  }
  const names = spec.type === bsonType.string ? [spec] : elementsOf(spec)
  if (names.length === 0) {
    throw location(
      31119,
      '$unset specification must be a string or an array with at least one field',
    )
  }
  const root = new ProjectionNode()
  prefixed('$unset', () => {
    for (const name of names) {
      if (name.type !== bsonType.string) {
        throw location(
          31120,
          '$unset specification must be a string or an array containing only string values',
        )
      }
      const path = stringOf(name)
      requirePath(path)
      root.add(path, { kind: 'exclude' })
    }
  })
  return [treePlan('$unset', spec, new ProjectionTree('exclusion', root), compiler)]
}

/** `what` names the expression in errors. */
function replacePlan(
  name: string,
  what: string,
  spec: Value,
  expression: Expression,
  compiler: StageCompiler,
): StagePlan {
  const create = (): MapTransform => {
    const env = compiler.environment()
    const map = (document: Document): Document => {
      env.root = documentValue(document)
      const value = expression.evaluate(env)
      if (value?.type === bsonType.object) return documentOf(value)
      throw location(
        40228,
        `${what} must evaluate to an object, but resulting value was: ${valueText(value)}. Type ` +
          `of resulting value: '${typeName(value)}'. Input document: ` +
          valueText(documentValue(document)),
      )
    }
    return new MapTransform(map, recipeOf(name, spec, compiler.context))
  }
  return { kind: 'transform', name, spec, create }
}

function compileReplaceRoot(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    throw location(
      40229,
      `expected an object as specification for $replaceRoot stage, got ${typeName(spec)}`,
    )
  }
  let newRoot: Value | undefined
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    if (elements.name() !== 'newRoot') {
      throw location(
        40230,
        `unrecognized option to $replaceRoot stage: ${elements.name()}, only valid option is ` +
          "'newRoot'.",
      )
    }
    newRoot = elements.value()
  }
  if (newRoot === undefined) {
    throw location(40231, 'no newRoot specified for the $replaceRoot stage')
  }
  const expression = compiler.scope.compile(newRoot)
  return [replacePlan('$replaceRoot', "'newRoot' expression", spec, expression, compiler)]
}

export const projectStages: readonly StageRow[] = [
  {
    ...mappingStage,
    name: '$project',
    effect: ({ spec }) => projectEffect(spec),
    needs: projectNeeds,
    compile: compileProject,
  },
  addFieldsRow('$addFields'),
  addFieldsRow('$set'),
  {
    ...mappingStage,
    name: '$unset',
    effect: ({ spec }) => unsetEffect(spec),
    needs: () => false,
    compile: compileUnset,
  },
  {
    ...mappingStage,
    name: '$replaceRoot',
    effect: () => replacingEffect,
    compile: compileReplaceRoot,
  },
  {
    ...mappingStage,
    name: '$replaceWith',
    effect: () => replacingEffect,
    compile: (spec, compiler) => [
      replacePlan(
        '$replaceWith',
        "'replacement document'",
        spec,
        compiler.scope.compile(spec),
        compiler,
      ),
    ],
  },
]
