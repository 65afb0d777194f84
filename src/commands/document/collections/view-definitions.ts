// Checks of a view's definition, when a view is created or changed by collMod. The caller must be
// able to read what the view shows.

import { fail } from '../../../base/errors.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import {
  definitionIn,
  requireViewPipeline,
  sourcesOf,
} from '../../../engine/collection/kinds/view-options.js'
import { requireDefinition } from '../../../engine/collection/kinds/views.js'
import type { Guarded, Resource, View } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { type Collation, sameCollation } from '../../../value/collation/collation.js'
import { stringValue, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { requirePlace } from '../reading/aggregate.js'

interface ViewArgs {
  readonly viewOn: string | undefined
  readonly pipeline: Value | undefined
}

/** The resources that a definition reads. */
export function viewResources(db: string, args: ViewArgs): Resource[] {
  if (args.viewOn === undefined) return []
  const names = new Set(sourcesOf(viewFrom(args.viewOn, args.pipeline)))
  names.delete('')
  return [...names].map((collection) => ({
    db,
    collection,
    privileges: ['read'],
    views: 'resolve',
  }))
}

/** The definition in the form of options. */
function viewFrom(on: string, pipeline: Value | undefined): View {
  const options = writeDocument((out) => {
    out.value('viewOn', stringValue(on))
    if (pipeline !== undefined) out.value('pipeline', pipeline)
  })
  return definitionIn(options).view as View
}

interface ViewCall {
  readonly db: string
  readonly target: string
  readonly context: QueryContext
  readonly args: { readonly pipeline: Value | undefined }
}

/**
 * Checks a definition. Throws InvalidNamespace, OptionNotSupportedOnView, errors of the pipeline,
 * GraphContainsCycle, ViewDepthLimitExceeded.
 */
export function* requireView(
  tx: ReadTx & Guarded,
  { db, target, context, args }: ViewCall,
  on: string,
  collation: Collation | undefined,
): Program<void> {
  if (on === '') throw fail('BadValue', "'viewOn' cannot be empty")
  if (on.startsWith('system.')) {
    throw fail('InvalidNamespace', `invalid name for 'viewOn': ${on}`)
  }
  const view = viewFrom(on, args.pipeline)
  const stages = requireViewPipeline(`${db}.${target}`, view.pipeline, context)
  requirePlace(db, target, stages[0])
  yield* requireDefinition(tx, db, target, view)
  for (const name of new Set(sourcesOf(view))) {
    const source = yield* findNamespace(tx, db, name)
    if (source?.view === undefined || sameCollation(source.collation, collation)) continue
    const text = `View ${db}.${target} has conflicting collation with view ${db}.${name}`
    throw fail('OptionNotSupportedOnView', text)
  }
}
