// Documents of a collection over the public routes. A whole document goes back as the text that the
// user has edited, under the condition that the stored bytes are still those that were read.

import { ApiError, ask } from '../api.js'
import { type Ejson, type EjsonObject, editable, isObject } from '../ejson.js'
import { type CollectionPlace, routeOf } from './collection-place.js'

export interface Listing {
  readonly filter: string
  readonly sort: string
  readonly limit: number
  readonly cursor: string
  /** Longer values of a field are cut: a text ends in `…`, another value is told by a word. */
  readonly maxValueBytes?: number
}

export interface DocumentPage {
  readonly documents: readonly EjsonObject[]
  readonly cursor: string | null
}

/** A document as its editor opens it. */
export interface OpenDocument {
  readonly text: string
  /** Of the bytes that were read. */
  readonly tag: string
}

const ejson = 'application/ejson'
const accepting = { accept: ejson }
const sending = { accept: ejson, 'content-type': ejson }

/** By an id of any type. */
function documentAt(at: CollectionPlace, id: Ejson): string {
  return routeOf(at, `docs/${encodeURIComponent(JSON.stringify(id))}`, { id: 'ejson' })
}

export async function listDocuments(
  at: CollectionPlace,
  { filter, sort, limit, cursor, maxValueBytes }: Listing,
  signal: AbortSignal,
): Promise<DocumentPage> {
  const bytes = maxValueBytes === undefined ? {} : { maxValueBytes: String(maxValueBytes) }
  const path = routeOf(at, 'docs', { limit: String(limit), filter, sort, cursor, ...bytes })
  const answer = await ask('GET', path, { signal, headers: accepting })
  const page = (await answer.json()) as DocumentPage & { readonly cut?: readonly string[][] }
  return { ...page, documents: page.documents.map((one, at) => told(one, page.cut?.[at] ?? [])) }
}

/** With a sign in each field that was cut. */
function told(document: EjsonObject, cut: readonly string[]): EjsonObject {
  const signs = cut.map((name): [string, Ejson] => {
    const value = document[name]
    return [name, typeof value === 'string' ? `${value}…` : '(large)']
  })
  return { ...document, ...Object.fromEntries(signs) }
}

export async function countDocuments(
  at: CollectionPlace,
  filter: string,
  signal: AbortSignal,
): Promise<number> {
  const body = filter === '' ? '{}' : `{"filter":${filter}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await ask('POST', routeOf(at, 'count'), { body, headers, signal })
  const { count } = (await answer.json()) as { count?: Ejson }
  return Number(isObject(count) ? Object.values(count)[0] : count)
}

export async function openDocument(
  at: CollectionPlace,
  id: Ejson,
  signal: AbortSignal,
): Promise<OpenDocument> {
  const answer = await ask('GET', documentAt(at, id), { headers: accepting, signal })
  return { text: await answer.text(), tag: answer.headers.get('etag') ?? '' }
}

/** What is stored now, where it is no longer what was opened. */
export type Newer = OpenDocument | 'gone'

/** Its text is for an editor; undefined while the document is as it was. */
export async function newerOf(
  at: CollectionPlace,
  { id, tag }: { readonly id: Ejson; readonly tag: string },
  signal: AbortSignal,
): Promise<Newer | undefined> {
  try {
    const found = await openDocument(at, id, signal)
    return found.tag === tag ? undefined : { text: editable(found.text), tag: found.tag }
  } catch (error) {
    // Other errors come again with the save, which has the guard.
    return error instanceof ApiError && error.status === 404 ? 'gone' : undefined
  }
}

/** Rejects with status 412 if the document has been changed or removed since it was read. */
export async function saveDocument(
  at: CollectionPlace,
  id: Ejson,
  { text, tag }: OpenDocument,
): Promise<void> {
  await ask('PUT', documentAt(at, id), { body: text, headers: { ...sending, 'if-match': tag } })
}

export async function insertDocument(at: CollectionPlace, text: string): Promise<void> {
  const body = `{"document":${text}}`
  await ask('POST', routeOf(at, 'insertOne'), { body, headers: sending })
}

export async function deleteDocument(at: CollectionPlace, id: Ejson): Promise<void> {
  await ask('DELETE', documentAt(at, id))
}
