// Export and import of a collection. An export is saved only if it came whole. An import tells
// which lines failed, and how many documents were written if it ends early.

import { ask } from '../api.js'
import type { EjsonObject } from '../ejson.js'
import { type CollectionPlace, routeOf } from './collection-place.js'
import { cellOf, columnsOf, csvRow } from './csv.js'
import type { Format, SourceLine } from './lines.js'

/** More than this is for a program: the page holds all of it in memory. */
const exportBytesMax = 256 * 1024 * 1024
export const importCharsMax = 64 * 1024 * 1024
/** Failures that are listed, of all that are counted. */
const failuresShown = 200

const batchLines = 1_000
const batchChars = 1024 * 1024

interface ExportWishes {
  readonly format: Format
  readonly filter: string
}

/** What `told` hears while it runs: bytes that have come. */
export async function exportAs(
  at: CollectionPlace,
  { format, filter }: ExportWishes,
  { told, signal }: { told: (bytes: number) => void; signal: AbortSignal },
): Promise<Blob> {
  // JSON is for readers; the others keep every type.
  const accept = format === 'JSON' ? 'application/json' : 'application/ejson'
  const path = routeOf(at, 'export', { filter })
  const { body } = await ask('GET', path, { headers: { accept }, signal })
  const parts = await whole(body, told, signal)
  if (format === 'NDJSON') return new Blob(parts, { type: 'application/x-ndjson' })
  const lines = (await new Blob(parts).text()).split('\n').filter((line) => line !== '')
  if (format === 'JSON') {
    return new Blob([`[\n${lines.join(',\n')}\n]\n`], { type: 'application/json' })
  }
  const documents = lines.map((line) => JSON.parse(line) as EjsonObject)
  const columns = columnsOf(documents)
  const rows = documents.map((one) => csvRow(columns.map((name) => cellOf(fieldOf(one, name)))))
  const text = [csvRow(columns), ...rows].map((row) => `${row}\r\n`).join('')
  return new Blob([text], { type: 'text/csv;charset=utf-8' })
}

function fieldOf(document: EjsonObject, name: string) {
  return Object.hasOwn(document, name) ? document[name] : undefined
}

async function whole(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  told: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const reader = body?.getReader()
  let bytes = 0
  try {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done || value === undefined) return parts
      parts.push(value)
      bytes += value.length
      told(bytes)
      if (bytes > exportBytesMax) break
    }
  } catch {
    if (signal.aborted) throw new Error('Stopped: nothing was saved.')
    throw new Error(`The export broke off, and nothing was saved. ${await lastWords(parts)}`.trim())
  }
  await reader?.cancel()
  throw new Error('The export is larger than 256 MB: add a filter, or use curl. Nothing was saved.')
}

/** The server ends a stream that fails with its error as the last line. */
async function lastWords(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
  const text = await new Blob(parts.slice(-2)).text()
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  if (!last.startsWith('{"ok":0,')) return ''
  try {
    return String((JSON.parse(last) as { errmsg?: unknown }).errmsg ?? '')
  } catch {
    return ''
  }
}

/** A name for a file that no system reads as something else. */
export function fileName(collection: string, format: Format): string {
  const plain = collection.replace(/[^\w.-]+/g, '_').replace(/^[._-]+/, '')
  return `${plain.slice(0, 100) || 'collection'}.${format.toLowerCase()}`
}

export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has the whole of it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

interface Failed {
  readonly line: number
  readonly text: string
}

export interface Progress {
  readonly sent: number
  readonly inserted: number
  /** Of documents that were there already, with mode `upsert`. */
  readonly replaced: number
  readonly failed: number
  /** The first of them. */
  readonly failures: readonly Failed[]
}

interface Answer {
  readonly insertedCount: number
  readonly matchedCount?: number
  readonly errorCount: number
  readonly errors: readonly { readonly line: number; readonly errmsg: string }[]
}

interface ImportWishes {
  readonly lines: readonly SourceLine[]
  readonly mode: 'insert' | 'upsert'
}

/** Rejects at the first batch that the server refuses as a whole; `told` has what was written. */
export async function importLines(
  at: CollectionPlace,
  { lines, mode }: ImportWishes,
  { told, signal }: { told: (progress: Progress) => void; signal: AbortSignal },
): Promise<void> {
  let progress: Progress = { sent: 0, inserted: 0, replaced: 0, failed: 0, failures: [] }
  const path = routeOf(at, 'import', { ordered: 'false', mode })
  for (const batch of batchesOf(lines)) {
    const body = batch.map(({ text }) => `${text}\n`).join('')
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = (await (await ask('POST', path, { body, headers, signal })).json()) as Answer
    const failures = answer.errors.map(({ line, errmsg }) => {
      return { line: batch[line - 1]?.line ?? 0, text: errmsg }
    })
    progress = {
      sent: progress.sent + batch.length,
      inserted: progress.inserted + answer.insertedCount,
      replaced: progress.replaced + (answer.matchedCount ?? 0),
      failed: progress.failed + answer.errorCount,
      failures: [...progress.failures, ...failures].slice(0, failuresShown),
    }
    told(progress)
  }
}

function* batchesOf(lines: readonly SourceLine[]): Generator<readonly SourceLine[]> {
  let batch: SourceLine[] = []
  let chars = 0
  for (const one of lines) {
    batch.push(one)
    chars += one.text.length
    if (batch.length < batchLines && chars < batchChars) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}
