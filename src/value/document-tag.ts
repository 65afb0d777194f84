// The tag of a document's bytes, an HTTP entity tag. With it, a client can make a change
// conditional on an unchanged document.

import { createHash } from 'node:crypto'
import type { Document } from './value.js'

/** SHA-256 of the bytes, base64url: two documents with one tag are the same bytes. */
export function documentTag(document: Document): string {
  return createHash('sha256').update(document).digest('base64url')
}
