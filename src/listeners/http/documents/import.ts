// An NDJSON import: lines become commands of some hundred documents. It reads on when a command is
// done, so a body of any size needs the memory of one batch.

import { fail, GatewayError, kindOf, toGatewayError } from '../../../base/errors.js'
import {
  importErrorsMax,
  importLineBytesMax,
  importStreamBytesMax,
} from '../../../base/limits/http.js'
import { MiB } from '../../../base/units.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { documentFrom } from '../../../value/literal.js'
import { type Document, documentValue, stringOf, type Value } from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { readDocument } from '../../json-thread.js'
import { type Line, LineSplitter } from '../core/lines.js'
import type { RawCall } from '../core/route.js'
import { identified, numberField, writeErrors } from './document-routes.js'

/** Documents, and bytes of lines, that an import puts into one command. */
const importStreamDocuments = 1_000
const importStreamBatchBytes = 4 * MiB

interface ImportOptions {
  /** Stops at the first failing line. */
  readonly ordered: boolean
  readonly mode: 'insert' | 'upsert'
}

interface Entry {
  readonly line: number
  readonly document: Document
  readonly id: Value
}

interface LineError {
  readonly line: number
  readonly code: number
  readonly codeName: string
  readonly errmsg: string
}

export class Import {
  private readonly lines = new LineSplitter(importLineBytesMax)
  private readonly errors: LineError[] = []
  private batch: Entry[] = []
  /** Errors of invalid lines in the batch, reported with the batch's own errors, in order. */
  private unread: LineError[] = []
  private batchBytes = 0
  private bytes = 0
  private inserted = 0
  private matched = 0
  private modified = 0
  private failed = 0

  constructor(
    private readonly call: RawCall,
    private readonly options: ImportOptions,
  ) {}

  /** The response; rejects with the error that ends the import, which reports its progress. */
  async run(): Promise<string> {
    try {
      await this.readAll()
    } catch (thrown) {
      const { kind, message, extra, cause } = toGatewayError(thrown)
      throw new GatewayError(kind, message, { ...extra, insertedCount: this.inserted }, cause)
    }
    const counts = { insertedCount: this.inserted, errorCount: this.failed, errors: this.errors }
    const { matched: matchedCount, modified: modifiedCount } = this
    const upserts = this.options.mode === 'upsert' ? { matchedCount, modifiedCount } : {}
    return JSON.stringify({ ok: 1, ...upserts, ...counts })
  }

  private get isOver(): boolean {
    return this.options.ordered && this.failed > 0
  }

  private async readAll(): Promise<void> {
    const room = await this.call.reserve(importStreamBatchBytes)
    let charged = importStreamBatchBytes
    for await (const chunk of chunksOf(this.call)) {
      this.bytes += chunk.length
      if (this.bytes > importStreamBytesMax) {
        throw fail('BSONObjectTooLarge', `an import is larger than ${importStreamBytesMax} bytes`)
      }
      // Reads the rest after a failure: a client that still writes would not see the response.
      if (this.isOver) continue
      for (const line of this.lines.take(chunk)) await this.takeLine(line)
      const held = this.batchBytes + this.lines.heldBytes
      if (held > charged) {
        room.charge(held - charged)
        charged = held
      }
    }
    for (const line of this.lines.rest()) await this.takeLine(line)
    await this.flush()
  }

  private async takeLine({ number, bytes }: Line): Promise<void> {
    if (this.isOver || bytes?.every(isSpace)) return
    let error: GatewayError | undefined
    try {
      if (bytes === undefined) {
        throw fail('BSONObjectTooLarge', `the line is longer than ${importLineBytesMax} bytes`)
      }
      const read = await readDocument(bytes)
      const [document, id] = identified(this.call, documentValue(read))
      if (this.options.mode === 'upsert') requireNoOperators(document)
      this.batch.push({ line: number, document, id })
      this.batchBytes += bytes.length
    } catch (thrown) {
      error = toGatewayError(thrown)
    }
    const lines = Math.max(this.batch.length, this.unread.length)
    const isFull = lines >= importStreamDocuments || this.batchBytes >= importStreamBatchBytes
    // An ordered import ends with this line: the lines before it are written first.
    if (isFull || (error !== undefined && this.options.ordered)) await this.flush()
    if (error === undefined || this.isOver) return
    const { code, codeName, message } = error
    this.unread.push({ line: number, code, codeName, errmsg: message })
    if (this.batch.length === 0) this.tell([])
  }

  private async flush(): Promise<void> {
    const { batch, call } = this
    if (batch.length === 0) return this.tell([])
    this.batch = []
    this.batchBytes = 0
    const { ordered, mode } = this.options
    const reply = await call.run(
      documentFrom(
        mode === 'insert'
          ? { insert: call.collection, documents: valuesOf(batch), ordered }
          : { update: call.collection, updates: batch.map(upsertOf), ordered },
      ),
    )
    const n = numberField(reply, 'n')
    const upserted = field(reply, 'upserted')
    const added = upserted === undefined ? 0 : elementsOf(upserted).length
    this.inserted += mode === 'insert' ? n : added
    this.matched += n - added
    this.modified += numberField(reply, 'nModified')
    this.tell(
      writeErrors(reply).map((error) => {
        const code = numberField(error, 'code')
        const text = field(error, 'errmsg')
        const line = batch[numberField(error, 'index')]?.line ?? 0
        const errmsg = text === undefined ? '' : stringOf(text)
        return { line, code, codeName: kindOf(code), errmsg }
      }),
    )
  }

  /** Reports the errors of the last batch, including its invalid lines. */
  private tell(failures: readonly LineError[]): void {
    const all = [...failures, ...this.unread].sort((a, b) => a.line - b.line)
    this.unread = []
    const [first] = all
    if (first === undefined) return
    if (this.failed === 0) this.call.failedInPart(first.code)
    this.failed += all.length
    this.errors.push(...all.slice(0, importErrorsMax - this.errors.length))
  }
}

/** The body's chunks, each after the previous one is processed. */
async function* chunksOf({ incoming }: RawCall): AsyncGenerator<Buffer> {
  try {
    // The socket must survive an early end, for the response.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch (thrown) {
    if (!incoming.complete) throw fail('Interrupted', 'the client closed the connection')
    throw thrown
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

function valuesOf(batch: readonly Entry[]): Value {
  return writeArray(batch.map(({ document }) => documentValue(document)))
}

function upsertOf({ document, id }: Entry): Readonly<Record<string, unknown>> {
  return { q: { _id: { $eq: id } }, u: documentValue(document), upsert: true }
}

/** A replacement that starts with an operator would be an update. Throws BadValue. */
function requireNoOperators(document: Document): void {
  for (const [name] of fieldsOf(documentValue(document))) {
    if (!name.startsWith('$')) continue
    throw fail('BadValue', `a document holds no operators such as '${name}'`)
  }
}
