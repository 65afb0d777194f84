// The check of proofs recomputes hashes: those of memories, of leaves, and the roots of batches. It
// is a sweep without the chain: it finds changes in the folder, not what was anchored again.
// (docs/memory.md, "The sweep")

import type { Namespace } from '../engine/types.js'
import type { Program, ReadTx } from '../store/store.js'
import { readPhase, type Sweep } from '../store/sweep.js'
import type { Graph } from './graph/graph.js'
import { newestAnchors } from './proof/anchors/anchors.js'
import { merkleRoot } from './proof/leaves/merkle.js'
import {
  anchorsStep,
  edgesStep,
  leavesStep,
  memoriesStep,
  newestMarked,
  type Step,
} from './proof/sweep/sweep-steps.js'
import type { StoredAnchor } from './proof/verdicts/chain-walk.js'
import { graphFacts } from './proof/verdicts/graph-evidence.js'

/** Sorts after the ids of all anchors: if one is added meanwhile, the graph is checked again. */
const behindAll = '~'

type Find = (ns: Namespace, text: string) => void

export function* checkProofs(graph: Graph, find: Find): Sweep<void> {
  const { facts, newest } = yield* readPhase(function* (tx) {
    const [last] = yield* newestAnchors(tx, graph.anchors, 1)
    const isWhole = last?.isMarked !== false
    const newest = isWhole ? behindAll : yield* newestMarked(tx, graph.anchors)
    return { facts: yield* graphFacts(tx, graph), newest }
  })
  if (facts.problem !== null) find(graph.anchors, facts.problem)
  const links = new Links()
  const listed = { batches: 0, records: 0 }
  const parts: readonly [Namespace, (tx: ReadTx, after: string) => Program<Step>][] = [
    [graph.anchors, (tx, after) => anchorsStep(tx, graph, after, newest)],
    [graph.anchors, (tx, after) => leavesStep(tx, graph, 'leaf', after, newest)],
    [graph.anchors, (tx, after) => leavesStep(tx, graph, 'wait', after, newest)],
    [graph.nodes, (tx, after) => memoriesStep(tx, graph, after, newest)],
    [graph.edges, (tx, after) => edgesStep(tx, graph, after)],
  ]
  for (const [ns, program] of parts) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const step: Step = yield* readPhase((tx) => program(tx, from))
      for (const { id, problem } of step.findings) find(ns, `${id}: ${problem}`)
      for (const stored of step.anchors) {
        const text = links.add(stored)
        if (text !== undefined) find(graph.anchors, `${stored.anchor.id}: ${text}`)
      }
      listed.batches += step.listed
      listed.records += step.recorded
      after = step.after
    }
  }
  if (listed.batches !== listed.records) find(graph.anchors, 'graph: leaf not in anchor batch')
}

/** Anchors, newest first: each batch gives its root, and each anchor names the previous root. */
class Links {
  private newer: StoredAnchor['anchor'] | undefined

  add({ anchor, batch }: StoredAnchor): string | undefined {
    const { newer } = this
    this.newer = anchor
    const isOfKey = newer?.version === anchor.version
    const isNext = newer?.seq === anchor.seq + 1 && newer.prev === anchor.root
    if (isOfKey && !isNext) return 'anchor chain broken'
    const isPaired = batch?.ids.length === batch?.hashes.length
    if (isPaired && merkleRoot(batch?.hashes ?? []) === anchor.root) return undefined
    return 'merkle proof invalid'
  }
}
