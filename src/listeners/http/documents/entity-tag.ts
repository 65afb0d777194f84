// Entity tags of single documents, and conditions with them. A tag hashes the stored bytes; a
// suffix tells the JSON format, since each format is a separate representation. (RFC 9110 8.8 and
// 13.1)

import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../../base/errors.js'
import { documentTag } from '../../../value/document-tag.js'
import type { JsonMode } from '../../../value/json/json.js'
import type { Document } from '../../../value/value.js'

const suffixes = { plain: '', relaxed: '.r', canonical: '.c' } as const satisfies Record<
  JsonMode,
  string
>

/** `*`, or the listed tags. */
type Tags = '*' | readonly ListedTag[]

interface ListedTag {
  readonly text: string
  readonly isWeak: boolean
}

export interface Conditions {
  readonly ifMatch: Tags | undefined
  readonly ifNoneMatch: Tags | undefined
}

/** The strong tag, with its quotes. */
export function entityTag(document: Document, mode: JsonMode): string {
  return `"${documentTag(document)}${suffixes[mode]}"`
}

/** Throws BadValue if a header is not a list of tags. */
export function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  return {
    ifMatch: tagsOf('If-Match', headers['if-match']),
    ifNoneMatch: tagsOf('If-None-Match', headers['if-none-match']),
  }
}

function tagsOf(name: string, header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  const tags: ListedTag[] = []
  // A tag may contain commas.
  const next = /\s*(W\/)?"([\x21\x23-\x7e]*)"\s*(,|$)/y
  for (let isLast = false; !isLast; ) {
    const [, weak, text, end] = next.exec(header) ?? []
    if (text === undefined) throw fail('BadValue', `header ${name} is no list of entity tags`)
    tags.push({ text, isWeak: weak !== undefined })
    isLast = end === ''
  }
  return tags
}

/** Whether a GET gets 304: weak comparison, as in RFC 9110 for If-None-Match. */
export function isKnown(tag: string, tags: Tags | undefined): boolean {
  if (tags === undefined) return false
  return tags === '*' || tags.some(({ text }) => `"${text}"` === tag)
}

/** The documents of strong tags, in any JSON format. */
export function documentTags(tags: readonly ListedTag[]): string[] {
  const strong = tags.filter(({ isWeak }) => !isWeak)
  return strong.map(({ text }) => text.replace(/\.[rc]$/, ''))
}

/** Throws PreconditionFailed if a GET's If-Match names another document. */
export function requireMatch(document: Document, tags: Tags | undefined): void {
  if (tags === undefined || tags === '*') return
  if (documentTags(tags).includes(documentTag(document))) return
  throw fail('PreconditionFailed', 'the document is not the one that If-Match names')
}
