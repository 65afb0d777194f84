// `sigil remember <file.ndjson|-> --graph NAME`: loads memories into a graph of a running Sigil
// over HTTP, in batches, with a progress bar on a terminal. One batch at a time, because memories
// of one source are linked in order.

import { fail } from '../base/errors.js'
import { memoryBodyBytesMax } from '../base/limits/memory.js'
import { MiB } from '../base/units.js'
import { type Answer, type Client, openClient, postInTurn } from './client.js'
import { Input, inputBytes } from './input.js'
import type { DocumentText } from './json-documents.js'
import { openProgress, type Progress } from './progress.js'

/** Memories of one request of `sigil remember`, and bytes of their text. */
const rememberBatchMemories = 500
const rememberBatchBytesMax = 6 * MiB

const messagesMax = 10

interface Given {
  readonly url: string
  readonly graph: string
  readonly database?: string
}

/** Returns the exit code: 1 if a memory was refused, or not everything was read. */
export async function runRemember(file: string, given: Given): Promise<number> {
  const client = openClient(given.url, given.database)
  const bar = openProgress(inputBytes(file), '{memories} memories', { memories: 0 })
  const input = new Input(file)
  const load = new Load(given.graph, client, input, bar)
  try {
    await load.run()
  } finally {
    // Loaded memories stay, whatever ended the load.
    bar.stop()
    input.close()
    if (load.isAnswered) process.stdout.write(`${load.summary}\n`)
    for (const message of load.messages) process.stderr.write(`${message}\n`)
  }
  if (input.stopped === undefined) return load.refused > 0 ? 1 : 0
  process.stderr.write(`sigil: ${input.stopped}; what comes after it was not sent\n`)
  return 1
}

/** The load of one file into a graph. */
class Load {
  private inserted = 0
  private duplicates = 0
  refused = 0
  /** Whether Sigil took a request, or there was none to send. */
  isAnswered = false
  /** Texts of the first refusals. */
  readonly messages: string[] = []
  private batch: DocumentText[] = []
  private batchBytes = 0

  constructor(
    private readonly graph: string,
    private readonly client: Client,
    private readonly input: Input,
    private readonly bar: Progress,
  ) {}

  get summary(): string {
    const { inserted, duplicates, refused, graph } = this
    const rest = [
      ...(duplicates > 0
        ? [`${duplicates} ${duplicates === 1 ? 'was' : 'were'} there already`]
        : []),
      ...(refused > 0 ? [`${refused} refused`] : []),
    ]
    const memories = inserted === 1 ? 'memory' : 'memories'
    return [`${inserted} ${memories} kept in ${graph}`, ...rest].join(', ')
  }

  /** Rejects if Sigil refuses a whole request, or is unreachable. */
  async run(): Promise<void> {
    for await (const document of this.input.documents(memoryBodyBytesMax)) {
      const bytes = Buffer.byteLength(document.text)
      if (this.batchBytes + bytes > rememberBatchBytesMax) await this.flush()
      this.batch.push(document)
      this.batchBytes += bytes
      if (this.batch.length >= rememberBatchMemories) await this.flush()
    }
    await this.flush()
    this.isAnswered = true
  }

  private async flush(): Promise<void> {
    const { batch, client, input, bar } = this
    const last = batch.at(-1)
    if (last === undefined) return
    this.batch = []
    this.batchBytes = 0
    const memories = batch.map(({ text }) => text).join()
    const body = `{"graph":${JSON.stringify(this.graph)},"memories":[${memories}]}`
    this.count(batch, await postInTurn(client, '/api/memories/batch', body, input.signal))
    bar.update(last.bytesRead, { memories: this.inserted })
  }

  private count(batch: readonly DocumentText[], { status, body }: Answer): void {
    if (status !== 200) throw fail('OperationFailed', `HTTP ${status}: ${textOf(body.error)}`)
    this.isAnswered = true
    this.inserted += Number(body.inserted)
    this.duplicates += Number(body.duplicates)
    for (const { index, error } of Array.isArray(body.results) ? (body.results as Result[]) : []) {
      if (error === undefined) continue
      this.refused++
      if (this.messages.length >= messagesMax) continue
      this.messages.push(`line ${batch[index]?.line}: ${textOf(error)}`)
    }
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
