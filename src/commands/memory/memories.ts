// Commands on one memory: reading it with its edges, changing its mutable fields, deleting it.
// (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import { fanOutMax } from '../../base/limits/memory.js'
import { anyValue, collection, oneOf, optional } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { findById } from '../../engine/collection/collections.js'
import { edgeDocument, shownEdge } from '../../memory/nodes/edge.js'
import { isMemory, shownNode } from '../../memory/nodes/node.js'
import { edgesOf, forgetMemory } from '../../memory/write/forget.js'
import { requireTime } from '../../memory/write/given-memory.js'
import { unknownNode } from '../../memory/write/memory-plan.js'
import { type MemoryChange, updateMemory } from '../../memory/write/update-memory.js'
import { writePhase } from '../../store/sweep.js'
import { bsonType, stringValue, type Value } from '../../value/value.js'
import { authorOf, graphResource, nodeText, requireGraph } from './arguments.js'

const getMemoryRow = documentRow({
  name: 'getMemory',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: { id: nodeText },
  resources: graphResource('read'),
  help: 'Returns a memory with its edges.',
  *run(tx, call) {
    const { id } = call.args
    const graph = yield* requireGraph(tx, call, id)
    const node = yield* findById(tx, graph.nodes, stringValue(id))
    if (node === undefined || !isMemory(node)) throw unknownNode(id)
    const edges = yield* edgesOf(tx, graph, id, fanOutMax)
    return reply((out) => {
      out.document('memory', shownNode(node)).openArray('edges')
      for (const edge of edges) out.pushDocument(shownEdge(edgeDocument(edge)))
      out.close()
    })
  },
})

const updateMemoryRow = documentRow({
  name: 'updateMemory',
  ...plain,
  grows: 'documents',
  grain: 'point',
  access: 'identity',
  target: collection,
  params: {
    id: nodeText,
    status: optional(oneOf(['active', 'superseded'])),
    validTo: { ...anyValue, isRequired: false },
  },
  resources: graphResource('read', 'write'),
  help: 'Changes the end of validity or the status of a memory. Nothing else of it can change.',
  *run(tx, call) {
    const { id, status, validTo } = call.args
    const change = changeOf(status, validTo)
    const graph = yield* requireGraph(tx, call, id)
    const memory = yield* updateMemory(tx, graph, id, change, call.now)
    return reply((out) => out.document('memory', shownNode(memory)))
  },
})

function changeOf(status: MemoryChange['status'], validTo: Value | undefined): MemoryChange {
  if (status === undefined && validTo === undefined) {
    throw fail('BadValue', "one of 'status' and 'validTo' is required")
  }
  if (validTo?.type === bsonType.null) return { status, validTo: null }
  return { status, validTo: requireTime(validTo, 'validTo') }
}

const forgetMemoryRow = documentRow({
  name: 'forgetMemory',
  ...plain,
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { id: nodeText },
  resources: graphResource('read', 'write'),
  help:
    'Deletes a memory with its edges, and entities without other links. The hash of an ' +
    'anchored memory stays.',
  *run(call) {
    const { id } = call.args
    const { now } = authorOf(call)
    for (let edges = 0; ; ) {
      const forgotten = yield* writePhase(function* (tx) {
        return yield* forgetMemory(tx, yield* requireGraph(tx, call, id), id, now)
      })
      edges += forgotten.edges
      if (forgotten.isDone) return reply((out) => out.bool('deleted', true).int32('edges', edges))
    }
  },
})

export const memoryItemRows = [getMemoryRow, updateMemoryRow, forgetMemoryRow]
