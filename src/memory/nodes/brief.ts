// Nodes and edges in the short form of a list or a picture: the beginning of a text, and no hashes,
// so that the whole view of a graph is small. (docs/memory.md, "Routes")

import { briefTextCharsMax } from '../../base/limits/memory.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Edge } from './edge.js'
import { isMemory, readEntity, readMemory } from './node.js'

export function briefNode(document: Document): Document {
  return writeDocument((writer) => {
    if (!isMemory(document)) {
      const { id, name, kind } = readEntity(document)
      writer.string('id', id).string('type', 'entity').string('name', name).string('kind', kind)
      return
    }
    const { id, text, status, createdAt } = readMemory(document)
    writer.string('id', id).string('type', 'memory').string('text', beginningOf(text))
    writer.string('status', status).int64('createdAt', createdAt)
  })
}

export function briefEdge({ from, to, type }: Edge): Document {
  return writeDocument((writer) =>
    writer.string('from', from).string('to', to).string('type', type),
  )
}

/** Whole characters, with a sign that more follow. */
function beginningOf(text: string): string {
  const units = 2 * briefTextCharsMax
  const chars = [...text.slice(0, units)]
  if (text.length <= units && chars.length <= briefTextCharsMax) return text
  return `${chars.slice(0, briefTextCharsMax).join('')}…`
}
