// Lists the graphs with their sizes, from counters, so that a list costs the same whatever the size
// of the graphs.

import { findNamespace, isShown, listNamespaces } from '../../engine/collection/catalog/catalog.js'
import { countOf } from '../../engine/collection/counters.js'
import type { Guarded, Namespace } from '../../engine/types.js'
import type { Program, ReadTx } from '../../store/store.js'
import { totalsOf } from '../postings/totals.js'
import { newestAnchors } from '../proof/anchors/anchors.js'
import { findParts, type GraphParts, graphOfPart, partName } from './graph.js'
import { findSettings, type GraphSettings } from './graph-settings.js'

interface GraphFigures {
  readonly nodes: number
  readonly edges: number
  readonly memories: number
  readonly anchors: number
}

interface ListedGraph {
  readonly name: string
  /** Its nodes' collection. */
  readonly nodes: Namespace
}

/** The graphs of a database that listings show; only one, if a name is given. */
export function* listGraphs(
  tx: ReadTx & Guarded,
  db: string,
  only?: string,
): Program<ListedGraph[]> {
  const graphs: ListedGraph[] = []
  for (const ns of yield* namespacesOf(tx, db, only)) {
    const name = graphOfPart(ns.name)
    if (name === undefined || ns.name !== partName(name, 'nodes')) continue
    if (yield* isShown(tx, ns)) graphs.push({ name, nodes: ns })
  }
  return graphs
}

function* namespacesOf(
  tx: ReadTx & Guarded,
  db: string,
  only: string | undefined,
): Program<Namespace[]> {
  if (only === undefined) return yield* listNamespaces(tx, db)
  const found = yield* findNamespace(tx, db, partName(only, 'nodes'))
  return found === undefined ? [] : [found]
}

/** For a graph that may be empty. */
function* figuresOf(tx: ReadTx, parts: GraphParts): Program<GraphFigures> {
  const [newest] = yield* newestAnchors(tx, parts.anchors, 1)
  const upgraded = (yield* findSettings(tx, parts.anchors))?.upgraded
  return {
    nodes: (yield* countOf(tx, parts.nodes)).documents,
    edges: (yield* countOf(tx, parts.edges)).documents,
    memories: (yield* totalsOf(tx, parts.terms)).memories,
    // They are numbered from 1, and from 1 again under the key of version 2.
    anchors: (newest?.seq ?? 0) + (newest?.version === 1 ? 0 : (upgraded?.sequence ?? 0)),
  }
}

export interface GraphReport extends GraphFigures {
  readonly name: string
  readonly nodesPart: Namespace
  /** Undefined if nothing was ever written to it. */
  readonly settings: GraphSettings | undefined
}

/** Undefined if the graph does not exist. */
export function* reportOf(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
): Program<GraphReport | undefined> {
  const parts = yield* findParts(tx, db, name)
  if (parts === undefined) return undefined
  const settings = yield* findSettings(tx, parts.anchors)
  return { name, nodesPart: parts.nodes, settings, ...(yield* figuresOf(tx, parts)) }
}
