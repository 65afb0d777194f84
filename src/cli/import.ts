// `sigil import <file.ndjson|file.json|-> --collection NAME`: loads documents into a running Sigil
// over HTTP, in batches, with a progress bar on a terminal.

import { fail } from '../base/errors.js'
import { MiB } from '../base/units.js'
import { type Answer, openClient, postInTurn } from './client.js'
import { Input, inputBytes } from './input.js'
import { openProgress, type Progress } from './progress.js'

/** Concurrent requests of an import: one is parsed while another is written. */
const importRequestsMax = 3

/** Documents and text bytes of one request. */
const importBatchDocuments = 1_000
const importBatchBytesMax = 16 * MiB

interface Tally {
  inserted: number
  failed: number
  readonly messages: string[]
  /** Whether Sigil took a request, or there was none to send. */
  isAnswered: boolean
}

type Send = (body: string) => Promise<Answer>

interface Given {
  readonly url: string
  readonly collection: string
  readonly database?: string
}

/** Returns the exit code: 1 if a document was refused, or not everything was read. */
export async function runImport(file: string, given: Given): Promise<number> {
  const { url, collection, database } = given
  const client = openClient(url, database)
  const path = `/api/v1/collections/${encodeURIComponent(collection)}/insertMany`
  const bar = openProgress(inputBytes(file), '{documents} documents', { documents: 0 })
  const input = new Input(file)
  const tally: Tally = { inserted: 0, failed: 0, messages: [], isAnswered: false }
  try {
    await load(input, tally, bar, (batch) => postInTurn(client, path, batch, input.signal))
  } finally {
    // Loaded documents stay, whatever ended the import.
    bar.stop()
    input.close()
    if (tally.isAnswered) process.stdout.write(summary(tally, collection))
    for (const message of tally.messages) process.stderr.write(`${message}\n`)
  }
  if (input.stopped === undefined) return tally.failed > 0 ? 1 : 0
  process.stderr.write(`sigil: ${input.stopped}; what comes after it was not sent\n`)
  return 1
}

function summary({ inserted, failed }: Tally, collection: string): string {
  const documents = inserted === 1 ? 'document' : 'documents'
  const refused = failed > 0 ? `, ${failed} refused` : ''
  return `${inserted} ${documents} imported into ${collection}${refused}\n`
}

async function load(input: Input, tally: Tally, bar: Progress, send: Send): Promise<void> {
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
    // The failure is thrown where the set is awaited; this avoids an unhandled rejection.
    sent.catch(() => undefined)
    if (inFlight.size >= importRequestsMax) await Promise.race(inFlight)
  }
  for await (const { text, bytesRead } of input.documents()) {
    if (batchBytes + text.length > importBatchBytesMax) await flush()
    batch.push(text)
    batchBytes += text.length
    if (batch.length >= importBatchDocuments) await flush()
    bar.update(bytesRead, { documents: tally.inserted })
  }
  await flush()
  await Promise.all(inFlight)
  tally.isAnswered = true
}

function count(tally: Tally, sent: number, answer: Answer): void {
  const { status, body } = answer
  if (status === 200) {
    tally.inserted += sent
    tally.isAnswered = true
    return
  }
  const errors = Array.isArray(body.writeErrors) ? body.writeErrors : undefined
  if (errors === undefined) throw fail('OperationFailed', `HTTP ${status}: ${body.errmsg}`)
  tally.isAnswered = true
  tally.inserted += Number(body.insertedCount)
  tally.failed += errors.length
  for (const error of errors.slice(0, 10 - tally.messages.length)) {
    tally.messages.push(String((error as { errmsg?: unknown }).errmsg))
  }
}
