// Documents of a collection over the public routes. A whole document goes back as the text that the
// user has edited, under the condition that the stored bytes are still those that were read.

import { ask } from './api.js'
import { type Ejson, type EjsonObject, isObject } from './ejson.js'

export interface Listing {
  readonly filter: string
  readonly sort: string
  readonly limit: number
  readonly cursor: string
}

export interface DocumentPage {
  readonly documents: readonly EjsonObject[]
  readonly cursor: string | null
}

/** A document as its editor opens it. */
interface OpenDocument {
  readonly text: string
  /** Of the bytes that were read. */
  readonly tag: string
}

const ejson = 'application/ejson'
const accepting = { accept: ejson }
const sending = { accept: ejson, 'content-type': ejson }

function collection(name: string): string {
  return `/api/v1/collections/${encodeURIComponent(name)}`
}

/** By an id of any type. */
function place(name: string, id: Ejson): string {
  return `${collection(name)}/docs/${encodeURIComponent(JSON.stringify(id))}?id=ejson`
}

export function changesOf(name: string): string {
  return `${collection(name)}/changes`
}

export async function listDocuments(
  name: string,
  { filter, sort, limit, cursor }: Listing,
  signal: AbortSignal,
): Promise<DocumentPage> {
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [key, value] of Object.entries({ filter, sort, cursor })) {
    if (value !== '') query.set(key, value)
  }
  const path = `${collection(name)}/docs?${query}`
  const answer = await ask('GET', path, { signal, headers: accepting })
  return (await answer.json()) as DocumentPage
}

export async function countDocuments(
  name: string,
  filter: string,
  signal: AbortSignal,
): Promise<number> {
  const body = filter === '' ? '{}' : `{"filter":${filter}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await ask('POST', `${collection(name)}/count`, { body, headers, signal })
  const { count } = (await answer.json()) as { count?: Ejson }
  return Number(isObject(count) ? Object.values(count)[0] : count)
}

export async function openDocument(
  name: string,
  id: Ejson,
  signal: AbortSignal,
): Promise<OpenDocument> {
  const answer = await ask('GET', place(name, id), { headers: accepting, signal })
  return { text: await answer.text(), tag: answer.headers.get('etag') ?? '' }
}

/** Rejects with status 412 if the document has been changed or removed since it was read. */
export async function saveDocument(
  name: string,
  id: Ejson,
  { text, tag }: OpenDocument,
): Promise<void> {
  await ask('PUT', place(name, id), { body: text, headers: { ...sending, 'if-match': tag } })
}

export async function insertDocument(name: string, text: string): Promise<void> {
  const body = `{"document":${text}}`
  await ask('POST', `${collection(name)}/insertOne`, { body, headers: sending })
}

export async function deleteDocument(name: string, id: Ejson): Promise<void> {
  await ask('DELETE', place(name, id))
}
