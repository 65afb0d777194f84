// The routes of graph memory that the page of a graph uses, in the space of the graph.
// (docs/memory.md, "Routes")

import { ask, askJson } from '../api.js'
import { namespaceOf } from '../live/live.js'
import { me } from '../session.js'
import type { GraphView, NodesById, Recall, Snapshot, WholeEntity, WholeMemory } from './graph.js'
import { viewOf } from './graph.js'
import type { Verdict, Verdicts } from './verdict.js'

export interface GraphPlace {
  readonly graph: string
  /** Another database than the caller's own; empty for that. */
  readonly database: string
}

export interface Question {
  readonly words: string
  readonly entity: string
  readonly hops: string
}

export interface GraphSummary {
  readonly name: string
  readonly nodes: number
  readonly memories: number
}

interface PreviewedEntity {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly rule: string
  readonly isNew: boolean
}

export interface Preview {
  readonly entities: readonly PreviewedEntity[]
  /** The id of an equal memory. */
  readonly duplicateOf: string | null
}

export interface Sweep {
  readonly verified: boolean
  readonly complete: boolean
  readonly graphKey: string
  readonly anchors: number
  readonly memories: number
  readonly unanchored: number
  readonly late: number
  readonly chainSequence: number | null
  readonly root: string | null
  readonly problem: string | null
  readonly problems: readonly { readonly id: string; readonly problem: string }[]
  readonly problemCount: number
  readonly progress: { readonly done: number; readonly of: number }
  readonly cursor: string | null
}

interface BatchResult {
  readonly index: number
  readonly duplicate?: boolean
  readonly error?: { readonly message: string }
}

interface Asked {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal?: AbortSignal | undefined
}

function onGraph<T>(
  { graph, database }: GraphPlace,
  method: string,
  path: string,
  { query = {}, body, signal }: Asked = {},
): Promise<T> {
  const given = body === undefined ? { graph, ...query } : query
  const search = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
  const sent = body === undefined ? undefined : { graph, ...body }
  const options = { ...spaceOf(database), ...(signal === undefined ? {} : { signal }) }
  return askJson<T>(method, `${path}?${search}`, sent, options)
}

function spaceOf(database: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: database === '' ? {} : { 'x-sigil-database': database } }
}

export async function listGraphs(
  database: string,
  signal: AbortSignal,
): Promise<readonly GraphSummary[]> {
  const options = { ...spaceOf(database), signal }
  const answer = await askJson<{ graphs: GraphSummary[] }>('GET', '/api/graphs', undefined, options)
  return answer.graphs
}

/** The newest nodes, and all that the question names, whatever their age. */
export async function loadGraph(
  place: GraphPlace,
  { words: q, entity, hops }: Question,
  signal: AbortSignal,
): Promise<GraphView> {
  const asks = q !== '' || entity !== ''
  const query = { q, entity, hops, limit: '100' }
  const [snapshot, recall] = await Promise.all([
    onGraph<Snapshot>(place, 'GET', '/api/graph', { query: { brief: 'true' }, signal }),
    asks ? onGraph<Recall>(place, 'GET', '/api/recall', { query, signal }) : undefined,
  ])
  if (recall === undefined || recall.nodeIds.length === 0) return viewOf(snapshot, recall)
  return viewOf(snapshot, recall, await nodesById(place, recall.nodeIds, signal))
}

/** At most 300. */
export function nodesById(
  place: GraphPlace,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<NodesById> {
  return onGraph(place, 'POST', '/api/graph/nodes', { body: { ids, brief: true }, signal })
}

/** Undefined if it does not exist any more. */
export async function wholeNode(
  place: GraphPlace,
  id: string,
  signal: AbortSignal,
): Promise<WholeMemory | WholeEntity | undefined> {
  const asked = { body: { ids: [id] }, signal }
  type Answer = { readonly nodes: readonly (WholeMemory | WholeEntity)[] }
  const { nodes } = await onGraph<Answer>(place, 'POST', '/api/graph/nodes', asked)
  return nodes[0]
}

export async function findEntities(
  place: GraphPlace,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await onGraph<{ entities: { name: string }[] }>(place, 'GET', '/api/entities', {
    query: { name },
    signal,
  })
  return answer.entities.map((entity) => entity.name)
}

/** All in one request. */
export function verifyMemories(
  place: GraphPlace,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Verdicts> {
  return onGraph(place, 'POST', '/api/verify', { body: { ids, brief: true }, signal })
}

/** Older nodes page by page, newest first, from `cursor` on. */
export interface OlderNodes extends NodesById {
  /** Of the next page; null at the end. */
  readonly cursor: string | null
}

export function nodesBefore(place: GraphPlace, cursor: string, limit: number): Promise<OlderNodes> {
  const body = { ...(cursor === '' ? {} : { cursor }), limit, brief: true }
  return onGraph(place, 'POST', '/api/graph/nodes', { body })
}

/** The collection of the graph's nodes, whose changes a page follows. */
export function namespaceOfGraph({ graph, database }: GraphPlace): string {
  const space = database === '' ? (me.value?.home ?? '') : database
  return namespaceOf(space, `memory.${graph}.nodes`)
}

/** With all that the server has recomputed. */
export function verifyMemory(place: GraphPlace, id: string, signal: AbortSignal): Promise<Verdict> {
  return onGraph(place, 'GET', '/api/verify', { query: { id }, signal })
}

/** One part of a sweep; the next one by its cursor. */
export function sweepGraph(place: GraphPlace, cursor: string, signal: AbortSignal): Promise<Sweep> {
  return onGraph(place, 'GET', '/api/verify/graph', { query: { cursor }, signal })
}

export function previewMemory(
  place: GraphPlace,
  memory: object,
  signal: AbortSignal,
): Promise<Preview> {
  return onGraph(place, 'POST', '/api/preview', { body: { memory }, signal })
}

export function rememberMemory(
  place: GraphPlace,
  memory: object,
): Promise<{ readonly id: string; readonly duplicate: boolean }> {
  return onGraph(place, 'POST', '/api/memories', { body: memory })
}

/** Of the JSON of each; those that are refused do not hinder the others. */
export async function rememberAll(
  { graph, database }: GraphPlace,
  memories: readonly string[],
): Promise<readonly BatchResult[]> {
  const body = `{"graph":${JSON.stringify(graph)},"mode":"each","memories":[${memories.join()}]}`
  const headers = { 'content-type': 'application/json', ...spaceOf(database).headers }
  const answer = await ask('POST', '/api/memories/batch', { body, headers })
  return ((await answer.json()) as { results: BatchResult[] }).results
}

export function forgetMemory(place: GraphPlace, id: string): Promise<unknown> {
  return onGraph(place, 'DELETE', `/api/memories/${encodeURIComponent(id)}`)
}

/** Of all that waits; how many memories go with the next transaction. */
export async function anchorGraph(place: GraphPlace): Promise<number> {
  return (await onGraph<{ count: number }>(place, 'POST', '/api/anchor', { body: {} })).count
}
