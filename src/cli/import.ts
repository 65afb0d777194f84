// `sigil import <file.ndjson|file.json|-> --collection NAME`: loads documents into a running Sigil
// over HTTP, in batches, with a progress bar where there is a terminal to draw it on.

import { parseArgs } from 'node:util'
import { fail } from '../base/errors.js'
import { importBatchBytesMax, importBatchDocuments, importRequestsMax } from '../base/limits.js'
import { type Client, openClient } from './client.js'
import { inputBytes, openInput } from './input.js'
import { splitDocuments } from './json-documents.js'
import { openProgress } from './progress.js'

const help = `Usage:
  sigil import <file.ndjson|file.json|-> --collection NAME [--database NAME]

  Loads documents, one JSON object a line or one array of objects, from a file or standard input.
  Talks to the Sigil at SIGIL_URL (http://127.0.0.1:8080) with the key in SIGIL_API_KEY.
`

interface Tally {
  inserted: number
  failed: number
  readonly messages: string[]
}

/** Returns the exit code: 1 where a document was refused. */
export async function runImport(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      collection: { type: 'string', short: 'c' },
      database: { type: 'string', short: 'd' },
    },
  })
  const [file] = positionals
  const { collection } = values
  if (file === undefined || positionals.length > 1 || collection === undefined) {
    process.stderr.write(help)
    return 2
  }
  const client = openClient(process.env, values.database)
  const path = `/api/v1/collections/${encodeURIComponent(collection)}/insertMany`
  const tally = await load(file, (batch) => client.post(path, batch))
  process.stdout.write(`${tally.inserted} documents imported into ${collection}`)
  process.stdout.write(tally.failed > 0 ? `, ${tally.failed} refused\n` : '\n')
  for (const message of tally.messages) process.stderr.write(`${message}\n`)
  return tally.failed > 0 ? 1 : 0
}

async function load(file: string, send: (body: string) => ReturnType<Client['post']>) {
  const total = inputBytes(file)
  const bar = openProgress(total, '{documents} documents', { documents: 0 })
  const tally: Tally = { inserted: 0, failed: 0, messages: [] }
  const inFlight = new Set<Promise<void>>()
  let batch: string[] = []
  let batchBytes = 0
  const flush = async () => {
    if (batch.length === 0) return
    const documents = batch.length
    const body = `{"documents":[${batch.join(',')}],"ordered":false}`
    batch = []
    batchBytes = 0
    const sent = send(body).then((answer) => {
      count(tally, documents, answer)
      inFlight.delete(sent)
    })
    inFlight.add(sent)
    // A failure stays in the set and is thrown where the set is awaited; it is no stray rejection.
    sent.catch(() => undefined)
    if (inFlight.size >= importRequestsMax) await Promise.race(inFlight)
  }
  try {
    for await (const { text, bytesRead } of splitDocuments(openInput(file))) {
      if (batchBytes + text.length > importBatchBytesMax) await flush()
      batch.push(text)
      batchBytes += text.length
      if (batch.length >= importBatchDocuments) await flush()
      bar.update(bytesRead, { documents: tally.inserted })
    }
    await flush()
    await Promise.all(inFlight)
    bar.update(total, { documents: tally.inserted })
  } finally {
    bar.stop()
  }
  return tally
}

function count(tally: Tally, sent: number, answer: Awaited<ReturnType<Client['post']>>): void {
  const { status, body } = answer
  if (status === 200) {
    tally.inserted += sent
    return
  }
  const errors = Array.isArray(body.writeErrors) ? body.writeErrors : undefined
  if (errors === undefined) throw fail('OperationFailed', `HTTP ${status}: ${body.errmsg}`)
  tally.inserted += Number(body.insertedCount)
  tally.failed += errors.length
  for (const error of errors.slice(0, 10 - tally.messages.length)) {
    tally.messages.push(String((error as { errmsg?: unknown }).errmsg))
  }
}
