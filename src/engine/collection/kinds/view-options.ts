// A view in its options document: a namespace without documents, and what its definition may
// contain. Source: MongoDB manual, Views.

import { fail, type GatewayError } from '../../../base/errors.js'
import type { QueryContext } from '../../../query/context.js'
import {
  compilePipeline,
  nameOf,
  pipelineCollections,
  type StagePlan,
} from '../../../query/pipeline.js'
import type { StageRow } from '../../../query/stages/stage.js'
import { stages } from '../../../query/stages/table.js'
import { elementsOf, field } from '../../../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import type { Namespace, View } from '../../types.js'

const noStages = writeArray([])

/** Decodes an options document; empty for a collection. */
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

/** Throws OptionNotSupportedOnView, and the errors of the pipeline. */
export function requireViewPipeline(
  name: string,
  pipeline: Value,
  context: QueryContext,
): StagePlan[] {
  if (pipeline.type === bsonType.array) {
    for (const [position, stage] of elementsOf(pipeline).entries()) {
      const row = stages.get(nameOf(stage) ?? '')
      if (row !== undefined && !row.within.includes('view')) throw misplaced(name, row, position)
    }
  }
  return compilePipeline(pipeline, context)
}

/** Stages that write or watch, and the plan cache, which only the collection's owner may see. */
function misplaced(view: string, { name, place }: StageRow, position: number): GatewayError {
  const text =
    place === 'last'
      ? `The aggregation stage ${name} in location ${position} of the pipeline cannot be used ` +
        `in the view definition of ${view} because it writes to disk`
      : `${name} cannot be used in a view definition`
  return fail('OptionNotSupportedOnView', text)
}

/** The error of a command that only collections support. */
export function notCollection({ db, name }: Pick<Namespace, 'db' | 'name'>): GatewayError {
  const text = `Namespace ${db}.${name} is a view, not a collection`
  return fail('CommandNotSupportedOnView', text)
}

/** The document of a view in `system.views`; `isWhole`: with its definition. */
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

/** The read-only collection of a database's view definitions. */
export const viewsName = 'system.views'
