// Rebuilds the functions of heavy documents (detached.ts) from plain data, in the thread that
// computes them.

import { parseCollation } from '../value/collation/collation.js'
import { boolValue, type Document, documentValue, int32Value } from '../value/value.js'
import { writeArray } from '../value/writer.js'
import type { QueryContext } from './context.js'
import { type Cell, type ContextData, dataOf, type RecipeData, resultOf } from './detached.js'
import { envOf } from './expression.js'
import { emptyObject } from './expressions/operator.js'
import { compileFilter } from './filter.js'
import { compilePipeline, inputsOf, runPipeline } from './pipeline.js'
import { compileProjection } from './projection.js'
import { LetVariables } from './variables.js'

export type Evaluate = (document: Document) => readonly Cell[]

/** The function of a recipe. */
export function evaluatorOf(data: RecipeData): Evaluate {
  const context = contextOf(data.context)
  switch (data.kind) {
    case 'stage': {
      const order = <T>(plans: readonly T[]): T[] => [...plans]
      const pipeline = writeArray([documentValue(data.stage)])
      const plans = compilePipeline(pipeline, context, { order })
      return (document) =>
        runPipeline(plans, [document]).map((result) => dataOf(documentValue(result)))
    }
    case 'inputs': {
      const inputs = inputsOf(documentValue(data.stage), context)
      const env = envOf(emptyObject, context)
      return (document) => {
        env.root = documentValue(document)
        return inputs.cells(env)
      }
    }
    case 'filter': {
      const filter = compileFilter(data.filter, context)
      return (document) => [dataOf(boolValue(filter.matches(document)))]
    }
    case 'position': {
      const filter = compileFilter(data.filter, context)
      return (document) => {
        const position = filter.matchedIndex(document)
        return [position === undefined ? undefined : dataOf(int32Value(position))]
      }
    }
    case 'projection': {
      const filter = data.filter === undefined ? undefined : compileFilter(data.filter, context)
      const projection = compileProjection(data.projection, filter, context)
      return (document) => [dataOf(documentValue(projection.apply(document)))]
    }
  }
}

function contextOf(data: ContextData): QueryContext {
  const { now, variables, declared, id, collation, throughView } = data
  const given = new LetVariables(new Map(), new Set(declared))
  for (const [name, value] of variables) {
    const known = resultOf(value)
    if (known !== undefined) given.set(name, known)
  }
  return {
    now,
    variables: given,
    objectId: () => id,
    collation: collation === undefined ? undefined : parseCollation(collation),
    throughView,
  }
}
