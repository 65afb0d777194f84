// Reading a view: a find, count or distinct becomes stages after those of the view, and the whole
// pipeline runs over the view's collection. `system.views` lists the views.

import { fail, type GatewayError } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import { bucketsStage, seriesOfBuckets } from '../../../engine/collection/kinds/series-buckets.js'
import { viewsName } from '../../../engine/collection/kinds/view-options.js'
import {
  hintOver,
  type ReadPlace,
  resolveView,
  stagesOver,
  viewDocuments,
} from '../../../engine/collection/kinds/views.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import {
  openDocuments,
  openPipeline,
  type PipelineEnvironment,
} from '../../../engine/sources/pipeline-source.js'
import type { Resource } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import { compilePipeline, type StagePlan } from '../../../query/pipeline.js'
import type { Program } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { type Document, numberValue } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
import { isEmpty } from '../arguments.js'
import { clusterDocuments } from '../server/router-tools.js'

/** The resource of a command that can read a collection or a view. */
export function readableResource(call: {
  readonly db: string
  readonly target: string
}): readonly Resource[] {
  return [readableTarget(call.db, call.target)]
}

export function readable(db: string, collection: string): Resource {
  // Definitions come from the whole database, filtered by what the caller may read.
  if (collection === viewsName) return { db, privileges: [] }
  return { db, collection, privileges: ['read'], views: 'resolve' }
}

/** The resource of a command's own target: reading buckets means reading their collection. */
export function readableTarget(db: string, target: string): Resource {
  return readable(db, seriesOfBuckets(target) ?? target)
}

type ViewCall = Pick<Call<unknown, unknown>, 'db' | 'context' | 'mayAt' | 'services'> & {
  readonly target: string | undefined
}

/** Whether the command must read its target as a view. */
export function isViewed(tx: CommandReadTx, call: Omit<ViewCall, 'context' | 'mayAt'>): boolean {
  const { target } = call
  if (target === undefined) return false
  if (target === viewsName || seriesOfBuckets(target) !== undefined) return true
  return tx.namespace()?.view !== undefined || clusterDocuments(call) !== undefined
}

/** The call with a context for its collation. */
export function within(call: ViewCall, context: QueryContext): ViewCall {
  const { db, target, services } = call
  return { db, target, services, context, mayAt: (privilege, ns) => call.mayAt(privilege, ns) }
}

/** The place to read for the command's target: a collection, or the collection below a view. */
export function* placeOf(tx: CommandReadTx, call: ViewCall): Program<ReadPlace> {
  const ns = tx.namespace()
  const series = seriesOfBuckets(call.target ?? '')
  if (series !== undefined) {
    const isSeries = ns?.timeSeries !== undefined
    const stages = isSeries ? [bucketsStage(ns.timeSeries)] : []
    return { ns: isSeries ? ns : undefined, name: series, stages }
  }
  if (ns?.view !== undefined) return yield* resolveView(tx, ns, call.context)
  return { ns, name: call.target ?? '', stages: [] }
}

/** Opens stages over a view, the definitions of views, or what a router tells of its cluster. */
export function* openViewed(
  tx: CommandReadTx,
  call: ViewCall,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Program<Source> {
  const made = clusterDocuments(call)
  if (made !== undefined) return openDocuments(made, stages, environment)
  if (call.target !== viewsName) {
    const place = yield* placeOf(tx, call)
    // Buckets have no indexes of their own.
    const isPacked = seriesOfBuckets(call.target ?? '') !== undefined
    const hint = isPacked ? undefined : hintOver(place, environment.hint)
    return openPipeline(place.ns, stagesOver(place, stages), { ...environment, hint })
  }
  const documents = yield* viewDocuments(tx, call.db, (privilege, at) => call.mayAt(privilege, at))
  return openDocuments(documents, stages, environment)
}

interface ViewQuery {
  readonly filter: Document
  readonly sort?: Document | undefined
  readonly skip?: number | undefined
  /** 0 means no limit. */
  readonly limit?: number | undefined
  readonly projection?: Document | undefined
}

/** The stages of a find. Throws InvalidPipelineOperator for what only a find can do. */
export function stagesOfQuery(query: ViewQuery, context: QueryContext): StagePlan[] {
  const { filter, sort, skip = 0, limit = 0, projection } = query
  if (sort !== undefined && field(sort, '$natural') !== undefined) {
    throw unsupported('Sort option $natural')
  }
  const writer = new DocumentWriter(true)
  if (!isEmpty(filter)) stage(writer, (out) => out.document('$match', filter))
  if (!isEmpty(sort)) stage(writer, (out) => out.document('$sort', sort))
  if (skip > 0) stage(writer, (out) => out.value('$skip', numberValue(skip)))
  if (limit > 0) stage(writer, (out) => out.value('$limit', numberValue(limit)))
  if (!isEmpty(projection)) stage(writer, (out) => out.document('$project', projection))
  return compilePipeline(writer.finishValue(), context)
}

function stage(writer: DocumentWriter, fill: (out: DocumentWriter) => void): void {
  fill(writer.pushOpenDocument())
  writer.close()
}

export function unsupported(option: string): GatewayError {
  return fail('InvalidPipelineOperator', `${option} not supported in aggregation.`)
}
