// A view as its options document has it: a namespace without documents of its own, and what may
// stand in its definition. Source: MongoDB manual, Views.

import { fail, type GatewayError } from '../../../base/errors.js'
import type { QueryContext } from '../../../query/context.js'
import { compilePipeline, pipelineCollections, type StagePlan } from '../../../query/pipeline.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import type { Namespace, View } from '../../types.js'

const noStages = writeArray([])

/** What an options document says; nothing where it is a collection's. */
export function definitionIn(options: Document): { readonly view?: View } {
  const on = field(options, 'viewOn')
  if (on?.type !== bsonType.string) return {}
  const pipeline = field(options, 'pipeline')?.detach() ?? noStages
  return { view: { on: stringOf(on), pipeline } }
}

/** The collections and views of the same database that a view reads. */
export function sourcesOf({ on, pipeline }: View): string[] {
  return [on, ...pipelineCollections(pipeline).map(({ name }) => name)]
}

/**
 * Stages that write, or watch, say nothing of what a view shows. Queries that others have sent are
 * for the collection's owner, and no view's to tell.
 */
const noViewStages: ReadonlySet<string> = new Set([
  ...['$out', '$merge', '$changeStream', '$planCacheStats'],
])

/** Throws OptionNotSupportedOnView, and what is wrong in the pipeline. */
export function requireViewPipeline(
  name: string,
  pipeline: Value,
  context: QueryContext,
): StagePlan[] {
  if (pipeline.type === bsonType.array) {
    for (const [position, stage] of elementsOf(pipeline).entries()) {
      if (stage.type !== bsonType.object) continue
      const [first] = fieldsOf(stage)
      if (first !== undefined && noViewStages.has(first[0]))
        throw misplaced(name, first[0], position)
    }
  }
  return compilePipeline(pipeline, context)
}

function misplaced(name: string, stage: string, position: number): GatewayError {
  const text =
    stage === '$changeStream' || stage === '$planCacheStats'
      ? `${stage} cannot be used in a view definition`
      : `The aggregation stage ${stage} in location ${position} of the pipeline cannot be used ` +
        `in the view definition of ${name} because it writes to disk`
  return fail('OptionNotSupportedOnView', text)
}

/** What a command is answered that is for collections alone. */
export function notCollection({ db, name }: Pick<Namespace, 'db' | 'name'>): GatewayError {
  const text = `Namespace ${db}.${name} is a view, not a collection`
  return fail('CommandNotSupportedOnView', text)
}

/** The document of `system.views` that tells of a view; `isWhole`: with its definition. */
export function viewDocument({ db, name, options }: Namespace, isWhole: boolean): Document {
  return writeDocument((out) => {
    out.string('_id', `${db}.${name}`)
    if (!isWhole) return
    for (const field of ['viewOn', 'pipeline', 'collation']) {
      const value = optionOf(options, field)
      if (value !== undefined) out.value(field, value)
    }
  })
}

function optionOf(options: Document, name: string): Value | undefined {
  return field(options, name) ?? (name === 'pipeline' ? noStages : undefined)
}

/** Where the definitions of a database's views can be read. It cannot be written. */
export const viewsName = 'system.views'
