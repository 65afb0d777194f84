// `sigil remember <file.ndjson|-> --graph NAME`: loads memories into a graph of a running Sigil
// over HTTP, in batches, with a progress bar where there is a terminal to draw it on. One batch at
// a time: memories of one source are linked in the order in which they come.

import { parseArgs } from 'node:util'
import { fail } from '../base/errors.js'
import { rememberBatchBytesMax, rememberBatchMemories } from '../base/limits.js'
import { type Answer, type Client, openClient } from './client.js'
import { inputBytes, openInput } from './input.js'
import { splitDocuments } from './json-documents.js'
import { openProgress } from './progress.js'

const help = `Usage:
  sigil remember <file.ndjson|-> [--graph NAME]

  Loads memories, one JSON object a line as POST /api/memories takes it ({"text": …}), from a file
  or standard input. Talks to the Sigil at SIGIL_URL (http://127.0.0.1:8080) with the key in
  SIGIL_API_KEY.
`

interface Tally {
  inserted: number
  duplicates: number
  refused: number
  /** Of the first refusals. */
  readonly messages: string[]
}

const messagesMax = 10

/** Returns the exit code: 1 where a memory was refused. */
export async function runRemember(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { graph: { type: 'string', short: 'g', default: 'default' } },
  })
  const [file] = positionals
  if (file === undefined || positionals.length > 1) {
    process.stderr.write(help)
    return 2
  }
  const { graph } = values
  const { inserted, duplicates, refused, messages } = await load(
    file,
    graph,
    openClient(process.env),
  )
  const rest = [
    ...(duplicates > 0 ? [`${duplicates} were there already`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ]
  process.stdout.write(`${[`${inserted} memories kept in ${graph}`, ...rest].join(', ')}\n`)
  for (const message of messages) process.stderr.write(`${message}\n`)
  return refused > 0 ? 1 : 0
}

async function load(file: string, graph: string, client: Client): Promise<Tally> {
  const total = inputBytes(file)
  const bar = openProgress(total, '{memories} memories', { memories: 0 })
  const tally: Tally = { inserted: 0, duplicates: 0, refused: 0, messages: [] }
  let batch: string[] = []
  let batchBytes = 0
  let sent = 0
  const flush = async () => {
    if (batch.length === 0) return
    const body = `{"graph":${JSON.stringify(graph)},"memories":[${batch.join(',')}]}`
    count(tally, sent, await client.post('/api/memories/batch', body))
    sent += batch.length
    batch = []
    batchBytes = 0
  }
  try {
    for await (const { text, bytesRead } of splitDocuments(openInput(file))) {
      const bytes = Buffer.byteLength(text)
      if (batchBytes + bytes > rememberBatchBytesMax) await flush()
      batch.push(text)
      batchBytes += bytes
      if (batch.length >= rememberBatchMemories) await flush()
      bar.update(bytesRead, { memories: tally.inserted })
    }
    await flush()
    bar.update(total, { memories: tally.inserted })
  } finally {
    bar.stop()
  }
  return tally
}

/** `before` memories were sent before this batch. */
function count(tally: Tally, before: number, { status, body }: Answer): void {
  if (status !== 200) throw fail('OperationFailed', `HTTP ${status}: ${textOf(body.error)}`)
  tally.inserted += Number(body.inserted)
  tally.duplicates += Number(body.duplicates)
  for (const result of Array.isArray(body.results) ? (body.results as Result[]) : []) {
    if (result.error === undefined) continue
    tally.refused++
    if (tally.messages.length >= messagesMax) continue
    tally.messages.push(`memory ${before + result.index + 1}: ${textOf(result.error)}`)
  }
}

interface Result {
  readonly index: number
  readonly error?: unknown
}

function textOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { code, message } = error as Readonly<Record<string, unknown>>
  return `${String(code)}: ${String(message)}`
}
