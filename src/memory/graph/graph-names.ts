// Lists the graphs of all spaces, and those that have changed since the anchoring job last found
// them at rest. Both are read by page, so a million idle graphs cost the job only a page now and
// then.

import { type Bytes, concatBytes, textOf } from '../../base/bytes/bytes.js'
import {
  graphPartsRange,
  putWaiting,
  waitingGraphsRange,
  waitingKey,
} from '../../engine/collection/catalog/catalog-index.js'
import { graphPrefix } from '../../engine/collection/catalog/descriptors.js'
import type { Namespace } from '../../engine/types.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../store/store.js'

/** A graph by its space and its name: `main/notes`. Neither contains a slash. */
export type GraphPath = string

export function graphPath(db: string, name: string): GraphPath {
  return `${db}/${name}`
}

/** The space and the name. */
export function partsOfPath(path: GraphPath): readonly [db: string, name: string] {
  const slash = path.indexOf('/')
  return [path.slice(0, slash), path.slice(slash + 1)]
}

/** Some graphs, and the last of them if more may follow. */
interface GraphPage {
  readonly paths: readonly GraphPath[]
  readonly next: Bytes | undefined
}

/** All graphs, from a position on. */
export function graphsFrom(tx: ReadTx, from: Bytes | undefined, limit: number): Program<GraphPage> {
  return pageOf(tx, graphPartsRange, from, limit)
}

/** The changed graphs, from a position on. */
export function waitingGraphs(
  tx: ReadTx,
  from: Bytes | undefined,
  limit: number,
): Program<GraphPage> {
  return pageOf(tx, waitingGraphsRange, from, limit)
}

/** Queues a graph for the anchoring job; `anchors` is its part of that name. */
export function noteWaiting(tx: Tx, anchors: Namespace): void {
  putWaiting(tx, anchors)
}

/** The graph is at rest: its next change queues it again. */
export function removeWaiting(tx: Tx, path: GraphPath): void {
  const [db, name] = partsOfPath(path)
  tx.remove(waitingKey(db, `${graphPrefix}${name}${suffix}`))
}

const suffix = '.anchors'

function* pageOf(
  tx: ReadTx,
  { start, end }: KeyRange,
  from: Bytes | undefined,
  limit: number,
): Program<GraphPage> {
  const entries = yield* tx.scan({ start: from ?? start, end }, limit)
  const last = entries.length < limit ? undefined : entries.at(-1)
  return {
    paths: entries.map(({ key }) => pathIn(key, start.length)),
    next: last === undefined ? undefined : concatBytes(last.key, Uint8Array.of(0)),
  }
}

function pathIn(key: Bytes, head: number): GraphPath {
  const [db = '', name = ''] = textOf(key, head).split('\0', 2)
  return graphPath(db, name.slice(graphPrefix.length, -suffix.length))
}
