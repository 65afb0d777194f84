// The store's evidence about a graph as a whole: its keys on the chain, the leaves about the graph
// itself, and whether they lead from its first place to the present one. (docs/memory.md, "Proofs")

import { graphLeavesMax } from '../../../base/limits/memory.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { type GraphKeys, graphKeys, type KeyedGraph, placeOf } from '../../graph/graph-key.js'
import { type Place, proofsVersion, type Upgraded } from '../../graph/graph-settings.js'
import { graphSubject, jsonHash, leafHash } from '../leaves/leaf.js'
import { type LeafRecord, leafRange, moveDetails, scanLeaves } from '../leaves/leaf-records.js'

export type GraphLeafProblem = 'graph leaves not as recorded' | 'graph moved without a leaf'

export interface GraphFacts {
  readonly keys: GraphKeys
  /** Part of the hash of the graph's key. */
  readonly place: Place
  /** Everything changed since it was first written has leaves. */
  readonly isUpgraded: boolean
  readonly upgraded: Upgraded | undefined
  /** The leaf with the last root of version 1. */
  readonly upgradeLeaf: LeafRecord | undefined
  readonly problem: GraphLeafProblem | null
}

export function* graphFacts(tx: ReadTx, graph: KeyedGraph): Program<GraphFacts> {
  const { settings, anchors, name } = graph
  const leaves: LeafRecord[] = []
  for (const state of ['leaf', 'wait'] as const) {
    const range = leafRange(anchors, state, graphSubject)
    leaves.push(...(yield* scanLeaves(tx, range, graphLeavesMax)))
  }
  const keys = graphKeys(graph)
  const { upgraded, proofs } = settings
  const isUpgraded = proofs === proofsVersion
  const upgradeLeaf = leaves.find(({ kind }) => kind === 'upgrade')
  const place = placeOf(graph)
  const isWhole = isChain(keys.second, leaves) && isNamed(keys.first, upgraded, upgradeLeaf)
  const end = endOf(place, leaves)
  const isHere = end?.database === anchors.db && end.name === name
  const problem = !isWhole
    ? 'graph leaves not as recorded'
    : isHere
      ? null
      : 'graph moved without a leaf'
  return { keys, place, isUpgraded, upgraded, upgradeLeaf, problem }
}

/** Each hash matches its content, and each leaf is chained to the previous one. */
function isChain(graphKey: string, leaves: readonly LeafRecord[]): boolean {
  return leaves.every((leaf, i) => {
    const before = leaves[i - 1]
    return (
      leaf.n === i + 1 &&
      leaf.previous === (before?.leaf ?? null) &&
      leaf.hash === jsonHash(leaf.details) &&
      leaf.leaf === leafHash(graphKey, leaf)
    )
  })
}

/** The settings and the leaf name the same last root of version 1, or none. */
function isNamed(
  key: string,
  upgraded: Upgraded | undefined,
  leaf: LeafRecord | undefined,
): boolean {
  if (upgraded === undefined || leaf === undefined) return upgraded === leaf
  const { root, sequence } = upgraded
  return leaf.hash === jsonHash({ graphKey: key, root, sequence })
}

/** The place after all moves; undefined if one does not start where the last ended. */
function endOf(place: Place, leaves: readonly LeafRecord[]): Place | undefined {
  let at = place
  for (const { kind, details } of leaves) {
    if (kind !== 'moved') continue
    const to = { database: String(details.toDatabase), name: String(details.toName) }
    if (jsonHash(moveDetails(at, to)) !== jsonHash(details)) return undefined
    at = to
  }
  return at
}
