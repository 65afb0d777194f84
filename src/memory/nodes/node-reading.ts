// Reads nodes by their ids. Memories are read some at a time: a context has up to some hundred, and
// each is read whole, for its score and its text.

import { nodesAtOnce } from '../../base/limits/memory.js'
import { recordKey } from '../../engine/collection/collections.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Program, ReadTx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf, stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { isMemory, type Memory, readMemory } from './node.js'

/** The existing ones, in the order of the ids. */
export function* readMemories(tx: ReadTx, graph: Graph, ids: readonly string[]): Program<Memory[]> {
  const memories: Memory[] = []
  for (let start = 0; start < ids.length; start += nodesAtOnce) {
    const keys = ids.slice(start, start + nodesAtOnce).map((id) => {
      return recordKey(graph.nodes, stringValue(id))
    })
    for (const record of yield* tx.getMany(keys)) {
      if (record === undefined) continue
      const document = yield* documentOfRecord(tx, record)
      if (isMemory(document)) memories.push(readMemory(document))
    }
  }
  return memories
}

/** The `_id` of a node's document. */
export function nodeId(node: Document): string {
  const id = field(node, '_id')
  return id?.type === bsonType.string ? stringOf(id) : ''
}
