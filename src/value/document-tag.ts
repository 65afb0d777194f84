// The tag of a document's bytes: what HTTP calls an entity tag. A client with the tag of what it
// has read can require that its change be made only while the document is unchanged.

import { createHash } from 'node:crypto'
import type { Document } from './value.js'

/** SHA-256 of the bytes, base64url: two documents with one tag are the same bytes. */
export function documentTag(document: Document): string {
  return createHash('sha256').update(document).digest('base64url')
}
