// Pipelines that end with a writing stage: $out replaces a collection with the results, $merge
// combines each result with its matching document. The pipeline is read in batches between writes.

import { fail } from '../../../base/errors.js'
import { batchBytesMax } from '../../../base/limits/documents.js'
import { sweepDocumentsMax } from '../../../base/limits/engine.js'
import type { Call } from '../../../bus/document/call.js'
import { wrongType } from '../../../bus/document/params.js'
import { Schema } from '../../../bus/document/schema.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { withId } from '../../../engine/collection/collections.js'
import { seriesOption } from '../../../engine/collection/kinds/time-series-options.js'
import { hintOver, readPlaceOf, stagesOver } from '../../../engine/collection/kinds/views.js'
import {
  beginReplacement,
  dropReplacement,
  finishReplacement,
  makeTemporary,
  type Replaced,
  temporaryName,
} from '../../../engine/collection/replacement.js'
import { fillBatch } from '../../../engine/sources/cursors.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import { openPipeline, type PipelineEnvironment } from '../../../engine/sources/pipeline-source.js'
import { openFind } from '../../../engine/sources/source.js'
import type { Guarded, Resource } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import { compileFilter } from '../../../query/filter.js'
import { isWriting, pipelineCollections, type StagePlan } from '../../../query/pipeline.js'
import type { MergePlan, OutPlan } from '../../../query/stages/stage.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../../store/sweep.js'
import { field } from '../../../value/elements.js'
import {
  bsonType,
  type Document,
  documentOf,
  timestampValue,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { seriesFields } from '../collections/series-options.js'
import { insertGroup } from './insert-group.js'
import { mergeInto, requireUniqueKey } from './merge.js'
import { aggregating, withContext } from './write-errors.js'

type WritingCall = Pick<
  Call<unknown, string | undefined>,
  'db' | 'target' | 'creation' | 'context' | 'uuid' | 'objectId' | 'now'
>

/** A pipeline without its last, writing stage. */
interface WritingPipeline {
  /** The whole pipeline from the client. */
  readonly given: Value
  readonly stages: readonly StagePlan[]
  readonly environment: PipelineEnvironment
}

/** Index of the call's uuid for the name of the temporary collection. */
const temporaryUuid = 1

/** The temporary collection that a writing pipeline gathers its results in. */
export function temporaryResources(
  call: Pick<WritingCall, 'db' | 'uuid'>,
  pipeline: Value,
): Resource[] {
  if (!isWriting(pipeline)) return []
  const db = pipelineCollections(pipeline).at(-1)?.db ?? call.db
  return [{ db, collection: temporaryName(call.uuid(temporaryUuid)), privileges: [] }]
}

/** $out: all results are written before the first becomes visible. */
export function* runOut(call: WritingCall, pipeline: WritingPipeline, plan: OutPlan): Sweep<void> {
  const replaced = { ...replacedBy(call, plan), ...seriesOf(call, plan) }
  const indexes = yield* writePhase((tx) => beginReplacement(tx, replaced))
  try {
    yield* gather(call, replaced, pipeline, (document) => document)
    yield* writePhase((tx) => finishReplacement(tx, replaced, indexes))
  } catch (thrown) {
    yield* writePhase((tx) => dropReplacement(tx, replaced))
    throw thrown
  }
}

/** Options of a time series, if $out names one. Throws as create does. */
function seriesOf(call: WritingCall, { target, timeSeries }: OutPlan): Partial<Replaced> {
  if (timeSeries === undefined) return {}
  if (timeSeries.type !== bsonType.object) {
    const where = '$out.timeseries'
    throw wrongType(where, timeSeries, "type 'object'")
  }
  const given = seriesSchema.parse(documentOf(timeSeries))
  const option = seriesOption(given, `${target.db ?? call.db}.${target.collection}`)
  const options = writeDocument((out) => out.document('timeseries', option))
  return { creation: call.creation(options), isSeries: true }
}

const seriesSchema = new Schema('$out.timeseries', seriesFields)

/**
 * $merge: a pipeline that reads its own target is read to its end first. Otherwise it would read
 * its own results.
 */
export function* runMerge(
  call: WritingCall,
  pipeline: WritingPipeline,
  plan: MergePlan,
): Sweep<void> {
  const db = plan.target.db ?? call.db
  const { collection } = plan.target
  const { context } = pipeline.environment
  yield* readPhase((tx) => requireUniqueKey(tx, { db, collection }, plan, context.collation))
  const readsViews = yield* readPhase((tx) => namesView(tx, call, pipeline))
  if (!readsViews && !readsItself(call, pipeline, plan)) {
    const source = yield* openSource(call, pipeline)
    return yield* mergeAll(call, context, source, plan, (document) => document)
  }
  const gathered = replacedBy(call, plan)
  yield* writePhase((tx) => makeTemporary(tx, gathered))
  try {
    yield* gather(call, gathered, pipeline, wrapped)
    const source = yield* readPhase((tx) => openAll(tx, call, gathered))
    yield* mergeAll(call, context, source, plan, unwrapped)
  } finally {
    yield* writePhase((tx) => dropReplacement(tx, gathered))
  }
}

function replacedBy(call: WritingCall, { target }: OutPlan | MergePlan): Replaced {
  return {
    db: target.db ?? call.db,
    name: target.collection,
    temporary: temporaryName(call.uuid(temporaryUuid)),
    creation: call.creation(),
  }
}

/** Whether the pipeline reads the collection that it writes to. */
function readsItself(call: WritingCall, { given }: WritingPipeline, plan: MergePlan): boolean {
  const db = plan.target.db ?? call.db
  const { collection } = plan.target
  if (db === call.db && collection === call.target) return true
  return pipelineCollections(given).some(
    (named) =>
      named.privilege === 'read' && (named.db ?? call.db) === db && named.name === collection,
  )
}

/** Whether it reads a view, which may show the target collection. */
function* namesView(
  tx: ReadTx & Guarded,
  call: WritingCall,
  { given }: WritingPipeline,
): Program<boolean> {
  const named = pipelineCollections(given).filter(({ privilege }) => privilege === 'read')
  const names = named.map(({ db = call.db, name }) => ({ db, name }))
  if (call.target !== undefined) names.push({ db: call.db, name: call.target })
  for (const { db, name } of names) {
    if ((yield* findNamespace(tx, db, name))?.view !== undefined) return true
  }
  return false
}

type Reshape = (document: Document) => Document

/** Wraps a result to be stored for later: it may lack an `_id` and must not get one yet. */
function wrapped(document: Document): Document {
  return writeDocument((writer) => writer.document('result', document))
}

function unwrapped(document: Document): Document {
  const result = field(document, 'result')
  return result === undefined ? document : documentOf(result)
}

/** Writes all results into the temporary collection. */
function* gather(
  call: WritingCall,
  replaced: Replaced,
  pipeline: WritingPipeline,
  reshape: Reshape,
): Sweep<void> {
  const { db, temporary, creation } = replaced
  const target = { db, target: temporary, creation: () => creation }
  const source = yield* openSource(call, pipeline)
  let count = 0
  while (!source.drained) {
    const documents = yield* nextBatch(source)
    const group = documents.map((document, index) => ({
      index,
      document: whole(call, reshape(document), count + index),
    }))
    count += group.length
    const { failures } = yield* insertGroup(target, group, true)
    const [failure] = failures
    if (failure === undefined) continue
    source.close()
    throw failure.error
  }
}

function* mergeAll(
  call: WritingCall,
  context: QueryContext,
  source: Source,
  plan: MergePlan,
  reshape: Reshape,
): Sweep<void> {
  const target = { db: plan.target.db ?? call.db, name: plan.target.collection }
  const { on = ['_id'], whenMatched } = plan
  // If another field decides, a matching document keeps its own `_id`.
  const needsId = on.includes('_id') || whenMatched === 'fail'
  let count = 0
  while (!source.drained) {
    const documents = yield* nextBatch(source)
    const results = documents.map((document, index) => {
      const result = reshape(document)
      return needsId ? whole(call, result, count + index) : result
    })
    count += results.length
    try {
      yield* mergeInto({ context }, { ...target, creation: call.creation() }, plan, results)
    } catch (thrown) {
      source.close()
      throw thrown
    }
  }
}

/** A result ready to be stored: checked, and with an `_id`. */
function whole(call: WritingCall, document: Document, index: number): Document {
  const serverTime = () => timestampValue(Math.floor(call.now / 1000), index + 1)
  return withId(document, () => call.objectId(index), serverTime)
}

function* openSource(call: WritingCall, pipeline: WritingPipeline): Sweep<Source> {
  const { stages, environment } = pipeline
  const { db, target } = call
  return yield* readPhase(function* (tx): Program<Source> {
    if (target === undefined) return openPipeline(undefined, stages, environment)
    const place = yield* readPlaceOf(tx, db, target, environment.context)
    const hint = hintOver(place, environment.hint)
    return openPipeline(place.ns, stagesOver(place, stages), { ...environment, hint })
  })
}

function* openAll(tx: ReadTx, call: WritingCall, gathered: Replaced): Program<Source> {
  const ns = yield* findNamespace(tx, gathered.db, gathered.temporary)
  if (ns === undefined) throw fail('OperationFailed', 'the results of the pipeline are gone')
  const everything = compileFilter(
    writeDocument(() => {}),
    call.context,
  )
  return openFind(ns, { filter: everything })
}

function* nextBatch(source: Source): Sweep<readonly Document[]> {
  const limits = { documentsMax: sweepDocumentsMax, bytesMax: batchBytesMax }
  let isRead = false
  try {
    const { documents } = yield* readPhase((tx) => fillBatch(tx, source, limits))
    isRead = true
    return documents
  } catch (thrown) {
    throw withContext(aggregating, thrown)
  } finally {
    // On any error the source is closed, and with it the files of its sorts.
    if (!isRead || source.drained) source.close()
  }
}
