// An anchor in the form for clients of the memory commands: `id` for `_id`, without the fields
// about its sending.

import { fieldsOf } from '../../value/elements.js'
import { type Document, documentValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { type Anchor, anchorDocument } from '../proof/anchors/anchor.js'

const internal: ReadonlySet<string> = new Set(['isMarked', 'attempts'])

export function shownAnchor(anchor: Anchor): Document {
  return writeDocument((writer) => {
    for (const [name, value] of fieldsOf(documentValue(anchorDocument(anchor)))) {
      if (!internal.has(name)) writer.value(name === '_id' ? 'id' : name, value)
    }
  })
}
