// Views: resolves the name of a view to its collection and the stages that precede a reader's own.
// Views may nest, twenty deep. (MongoDB manual, Views; docs/design/authorization.md)

import { fail, type GatewayError } from '../../../base/errors.js'
import {
  viewDepthMax,
  viewPipelineBytesMax,
  viewSourcesMax,
} from '../../../base/limits/documents.js'
import type { QueryContext } from '../../../query/context.js'
import { compilePipeline, type StagePlan, stageRow } from '../../../query/pipeline.js'
import { orderStages } from '../../../query/pipeline-order.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document, Value } from '../../../value/value.js'
import type { Access, Guarded, Namespace, Privilege, View } from '../../types.js'
import { findNamespace, shownNamespaces } from '../catalog/catalog.js'
import { accessOfMissing } from '../catalog/reservations.js'
import { notCollection, sourcesOf, viewDocument } from './view-options.js'

/** What a read of a name reads. */
export interface ReadPlace {
  /** Undefined if there is no such collection. */
  readonly ns: Namespace | undefined
  /** Name of that collection. */
  readonly name: string
  /** Stages before the reader's own; none if the name is a collection's. */
  readonly stages: readonly StagePlan[]
  /** The named view; undefined if the name is a collection's. */
  readonly view?: Namespace
  /**
   * The caller may not read the collections of the view, so errors must not reveal how it reads
   * them.
   */
  readonly isClosed?: boolean
}

/** The collection behind a view, and its stages. Throws ViewDepthLimitExceeded. */
export function* resolveView(
  tx: ReadTx & Guarded,
  viewed: Namespace,
  context: QueryContext,
): Program<ReadPlace> {
  const pipelines: View['pipeline'][] = []
  let ns: Namespace | undefined = viewed
  let { name } = viewed
  let bytes = 0
  while (ns?.view !== undefined) {
    if (pipelines.length >= viewDepthMax) throw tooDeep()
    const { on, pipeline }: View = ns.view
    pipelines.unshift(pipeline)
    bytes += pipeline.end - pipeline.start
    if (bytes > viewPipelineBytesMax) throw tooLarge()
    name = on
    ns = yield* findNamespace(tx, viewed.db, on, true)
  }
  const within = { ...context, throughView: true }
  const stages = pipelines.flatMap((pipeline) => compilePipeline(pipeline, within))
  return { ns, name, stages, view: viewed, isClosed: tx.isClosed?.(viewed) === true }
}

/**
 * A view's stages followed by a reader's, which the planner may reorder together. Throws
 * CommandNotSupportedOnView for statistics of the collection.
 */
export function stagesOver(
  { stages: before, view }: ReadPlace,
  stages: readonly StagePlan[],
): readonly StagePlan[] {
  if (view !== undefined && stageRow(stages[0])?.isOfCollection) throw notCollection(view)
  return before.length === 0 ? stages : orderStages([...before, ...stages])
}

/**
 * The hint for a read. If the caller may not know the indexes, the hint is ignored: an error would
 * reveal which exist, and a sparse one which documents it omits.
 */
export function hintOver({ isClosed }: ReadPlace, hint: Value | undefined): Value | undefined {
  return isClosed === true ? undefined : hint
}

/** What a stage that names a collection or a view reads; `throughView`: a stage of a view. */
export function* readPlaceOf(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
  context: QueryContext,
  throughView = false,
): Program<ReadPlace> {
  const ns = yield* findNamespace(tx, db, name, throughView)
  if (ns?.view === undefined) return { ns, name, stages: [] }
  return yield* resolveView(tx, ns, context)
}

/** A view or collection that a view reads. */
interface Source {
  readonly name: string
  /** Undefined if there is none. */
  readonly ns: Namespace | undefined
  /** The view that names it. */
  readonly of: Namespace
}

/**
 * Everything that a view reads, directly or through other views. A name occurs once for each view
 * that names it. Throws ViewDepthLimitExceeded.
 */
export function* sourcesUnder(
  viewed: Namespace,
  find: (name: string) => Program<Namespace | undefined>,
): Program<Source[]> {
  const found: Source[] = []
  const known = new Set([viewed.name])
  let level: Namespace[] = [viewed]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > viewDepthMax) throw tooDeep()
    const next: Namespace[] = []
    for (const of of level) {
      for (const name of new Set(sourcesOf(of.view as View))) {
        if (found.length >= viewSourcesMax) throw tooWide()
        const ns = yield* find(name)
        found.push({ name, ns, of })
        if (ns?.view === undefined || known.has(name)) continue
        known.add(name)
        next.push(ns)
      }
    }
    level = next
  }
  return found
}

/**
 * Throws GraphContainsCycle if a definition leads back to its own name, and ViewDepthLimitExceeded
 * if it nests too deep.
 */
export function* requireDefinition(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
  view: View,
): Program<void> {
  const heights = new Map<string, number>()
  const heightOf = function* (source: string, trail: readonly string[]): Program<number> {
    if (trail.includes(source)) throw cycle(db, [...trail, source])
    if (trail.length > viewDepthMax) throw tooDeep()
    const known = heights.get(source)
    if (known !== undefined) return known
    const found = yield* findNamespace(tx, db, source, trail.length > 1)
    let height = 0
    for (const inner of found?.view === undefined ? [] : new Set(sourcesOf(found.view))) {
      height = Math.max(height, 1 + (yield* heightOf(inner, [...trail, source])))
    }
    heights.set(source, height)
    return height
  }
  const sources = new Set(sourcesOf(view))
  if (sources.size > viewSourcesMax) throw tooWide()
  for (const source of sources) {
    if ((yield* heightOf(source, [name])) + 1 > viewDepthMax) throw tooDeep()
  }
}

/** Whether the caller has a privilege on a name with that access. */
type May = (privilege: Privilege, at: MayAt) => boolean
type MayAt = Pick<Namespace, 'db' | 'name'> & { readonly access: Access | undefined }

/** Whether the caller may read the sources of a view, and therefore its definition. */
export function* seesDefinition(
  tx: ReadTx & Guarded,
  { db, view }: Namespace,
  may: May,
): Program<boolean> {
  for (const name of new Set(view === undefined ? [] : sourcesOf(view))) {
    const found = yield* findNamespace(tx, db, name)
    const access = found?.access ?? (yield* accessOfMissing(tx, db, name))
    if (!may('read', { db, name, access })) return false
  }
  return true
}

/** The documents of `system.views` for each view that the caller may read, by name. */
export function* viewDocuments(tx: ReadTx & Guarded, db: string, may: May): Program<Document[]> {
  const documents: Document[] = []
  for (const ns of yield* shownNamespaces(tx, db)) {
    if (ns.view === undefined || !may('read', ns)) continue
    documents.push(viewDocument(ns, yield* seesDefinition(tx, ns, may)))
  }
  return documents
}

function cycle(db: string, names: readonly string[]): GatewayError {
  const told = names.map((name) => `${db}.${name}`).join(', ')
  return fail('GraphContainsCycle', `View cycle detected: ${told}`)
}

function tooDeep(): GatewayError {
  const text = `View depth limit exceeded; maximum depth is ${viewDepthMax}`
  return fail('ViewDepthLimitExceeded', text)
}

function tooWide(): GatewayError {
  return fail('ViewDepthLimitExceeded', `View reads more than ${viewSourcesMax} collections`)
}

function tooLarge(): GatewayError {
  const text = `View pipeline exceeds maximum size; maximum size is ${viewPipelineBytesMax}`
  return fail('ViewDepthLimitExceeded', text)
}
