// Edges between existing nodes, and merging of entities that are the same.
// (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import { anyValue, collection, optional } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { findGraph } from '../../memory/graph/graph.js'
import { shownEdge } from '../../memory/nodes/edge.js'
import { entityDocument, shownNode } from '../../memory/nodes/node.js'
import { requireEdgeType, requireTime, requireWeight } from '../../memory/write/given-memory.js'
import { unknownNode } from '../../memory/write/memory-plan.js'
import { mergeEntities } from '../../memory/write/merge-entities.js'
import {
  type MeantEdge,
  relateNodes,
  unknownEdge,
  unrelateNodes,
} from '../../memory/write/relate.js'
import { writePhase } from '../../store/sweep.js'
import { authorOf, graphResource, nodeText, requireGraph } from './arguments.js'

const anything = { ...anyValue, isRequired: false }

const relateNodesRow = documentRow({
  name: 'relateNodes',
  ...plain,
  grows: 'documents',
  grain: 'point',
  access: 'identity',
  target: collection,
  params: {
    from: nodeText,
    to: nodeText,
    type: anything,
    weight: anything,
    validFrom: anything,
    validTo: anything,
    source: optional(nodeText),
  },
  resources: graphResource('read', 'write'),
  help: 'Links two nodes, or changes the edge of that type between them.',
  *run(tx, call) {
    const { from, to, type, weight, validFrom, validTo, source } = call.args
    const relation = {
      from,
      to,
      source,
      type: requireEdgeType(type),
      weight: weight === undefined ? undefined : requireWeight(weight),
      validFrom: requireTime(validFrom, 'validFrom'),
      validTo: requireTime(validTo, 'validTo'),
    }
    const graph = yield* requireGraph(tx, call, from)
    const { edge, isNew } = yield* relateNodes(tx, graph, relation, authorOf(call))
    return reply((out) => out.document('edge', shownEdge(edge)).bool('created', isNew))
  },
})

interface MeantArgs {
  readonly id: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly type: string | undefined
}

const unrelateNodesRow = documentRow({
  name: 'unrelateNodes',
  ...plain,
  grain: 'point',
  access: 'identity',
  target: collection,
  params: {
    id: optional(nodeText),
    from: optional(nodeText),
    to: optional(nodeText),
    type: optional(nodeText),
  },
  resources: graphResource('read', 'write'),
  help: 'Removes an edge, by its id or by its two ends and type.',
  *run(tx, call) {
    const meant = meantEdge(call.args)
    const graph = yield* findGraph(tx, call.db, call.target)
    if (graph === undefined) throw 'id' in meant ? unknownEdge() : unknownNode(meant.from)
    yield* unrelateNodes(tx, graph, meant, authorOf(call))
    return reply((out) => out.bool('deleted', true))
  },
})

function meantEdge({ id, from, to, type = 'relates' }: MeantArgs): MeantEdge {
  if (id !== undefined) return { id }
  if (from !== undefined && to !== undefined) return { from, to, type }
  throw fail('BadValue', "'id', or 'from' and 'to', are required")
}

const mergeEntitiesRow = documentRow({
  name: 'mergeEntities',
  // The removed node's data moves to the other node, so the total does not grow.
  ...plain,
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { from: nodeText, into: nodeText },
  resources: graphResource('read', 'write'),
  help: 'Merges two entities: edges move, and the old name and id then mean the other entity.',
  *run(call) {
    const { args } = call
    const author = authorOf(call)
    for (let moved = 0; ; ) {
      const merged = yield* writePhase(function* (tx) {
        return yield* mergeEntities(tx, yield* requireGraph(tx, call, args.from), args, author)
      })
      moved += merged.moved
      if (!merged.isDone) continue
      const entity = shownNode(entityDocument(merged.entity))
      return reply((out) => out.document('entity', entity).int32('moved', moved))
    }
  },
})

export const edgeRows = [relateNodesRow, unrelateNodesRow, mergeEntitiesRow]
