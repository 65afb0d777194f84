// Which graphs there are, and how much each holds: read from counters, so that a list costs the
// same whatever the graphs' size.

import { countOf, isShown, listNamespaces } from '../engine/catalog.js'
import type { Guarded, Namespace } from '../engine/types.js'
import type { Program, ReadTx } from '../store/store.js'
import { newestAnchors } from './anchors.js'
import { findParts, type GraphParts, graphOfPart, partName } from './graph.js'
import { findSettings, type GraphSettings } from './graph-settings.js'
import { totalsOf } from './totals.js'

export interface GraphFigures {
  readonly nodes: number
  readonly edges: number
  readonly memories: number
  readonly anchors: number
}

/** The names of the graphs of a database that listings show, each with its nodes' collection. */
export function* listGraphs(
  tx: ReadTx & Guarded,
  db: string,
): Program<{ readonly name: string; readonly nodes: Namespace }[]> {
  const graphs: { readonly name: string; readonly nodes: Namespace }[] = []
  for (const ns of yield* listNamespaces(tx, db)) {
    const name = graphOfPart(ns.name)
    if (name === undefined || ns.name !== partName(name, 'nodes')) continue
    if (yield* isShown(tx, ns)) graphs.push({ name, nodes: ns })
  }
  return graphs
}

/** Of a graph that may hold nothing yet. */
export function* figuresOf(tx: ReadTx, parts: GraphParts): Program<GraphFigures> {
  const [newest] = yield* newestAnchors(tx, parts.anchors, 1)
  return {
    nodes: (yield* countOf(tx, parts.nodes)).documents,
    edges: (yield* countOf(tx, parts.edges)).documents,
    memories: (yield* totalsOf(tx, parts.terms)).memories,
    // They are numbered from 1.
    anchors: newest?.seq ?? 0,
  }
}

export interface GraphReport extends GraphFigures {
  readonly name: string
  readonly nodesPart: Namespace
  /** Undefined where nothing was ever written to it. */
  readonly settings: GraphSettings | undefined
}

/** Undefined where there is no such graph. */
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
