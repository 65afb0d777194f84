// The rows of one statement on their way to the client: documents of a cursor's batches, laid out
// by columns that were fixed before the first of them.

import { type Bytes, equalBytes, utf8 } from '../../base/bytes/bytes.js'
import { pgEncodedAtOnce } from '../../base/limits.js'
import { KiB } from '../../base/units.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import { type Format, formatAt } from '../../protocol/pgwire/client-message.js'
import { binaryForm, textForm } from '../../protocol/pgwire/forms.js'
import type { Column, MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { arrayTypeOf, type PgTypeName, pgTypes } from '../../protocol/pgwire/types.js'
import { Elements, field, fieldIn } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'

/** Bytes of an answer's columns that a connection remembers for the next one. */
const pgLayoutBytesMax = 4 * KiB

export interface ColumnHead {
  readonly name: string
  readonly type: PgTypeName
}

const none: readonly ColumnHead[] = []

/** The columns that a reply names; those of its own where it names none. */
export function columnsOf(reply: Document): readonly ColumnHead[] {
  const given = field(reply, 'columns')
  if (given === undefined) return none
  const columns: ColumnHead[] = []
  const elements = new Elements(given.bytes, given.start)
  while (elements.next()) {
    const column = elements.value()
    const name = fieldIn(column, 'name')
    const type = fieldIn(column, 'type')
    if (name === undefined) continue
    columns.push({
      name: stringOf(name),
      type: typeNamed(type === undefined ? '' : stringOf(type)),
    })
  }
  return columns
}

/** A type by PostgreSQL's name; what the protocol here has no form for is shown as text. */
export function typeNamed(name: string): PgTypeName {
  if (Object.hasOwn(pgTypes, name)) return name as PgTypeName
  if (name === 'timestamp') return 'timestamptz'
  const element = /^(?:_(.+)|(.+)\[\])$/.exec(name)
  if (element === null) return 'text'
  return arrayTypeOf(typeNamed(element[1] ?? element[2] ?? '')) ?? 'jsonb'
}

export function described(
  columns: readonly ColumnHead[],
  formats: readonly Format[] = [],
): readonly Column[] {
  return columns.map(({ name, type }, i) => ({ name, type, format: formatAt(formats, i) }))
}

/** Columns, and where in a row the field of a name has its place. */
export class Layout {
  /** By their places. */
  readonly names: readonly Bytes[]
  private places: ReadonlyMap<string, number> | undefined

  constructor(readonly columns: readonly Column[]) {
    this.names = columns.map(({ name }) => utf8(name))
  }

  /** Undefined where no column is called so. */
  placeOf(name: string): number | undefined {
    this.places ??= new Map(this.columns.map((column, i) => [column.name, i]))
    return this.places.get(name)
  }
}

/** Layouts of one connection: it mostly asks what it has just asked, with other parameters. */
export class Layouts {
  private bytes: Bytes = emptyDocument
  private heads = none
  private last: { readonly heads: typeof none; readonly layout: Layout } | undefined

  /** As columnsOf. */
  headsOf(reply: Document): readonly ColumnHead[] {
    const given = field(reply, 'columns')
    if (given === undefined) return none
    const bytes = given.payload()
    if (equalBytes(bytes, this.bytes)) return this.heads
    const heads = columnsOf(reply)
    if (bytes.length <= pgLayoutBytesMax) {
      this.bytes = bytes.slice()
      this.heads = heads
    }
    return heads
  }

  of(heads: readonly ColumnHead[], formats: readonly Format[] = []): Layout {
    const { last } = this
    if (last?.heads === heads) {
      const { columns } = last.layout
      if (columns.every(({ format }, i) => format === formatAt(formats, i))) return last.layout
    }
    const layout = new Layout(described(heads, formats))
    if (heads === this.heads) this.last = { heads, layout }
    return layout
  }
}

/** What is left open on the server under a cursor. */
interface OpenCursor {
  readonly id: Value
  readonly db: string
  readonly collection: string
}

/** What a column takes beside its name, which is mostly the statement's. */
const columnBytes = 50

export class Rows {
  /** Fields of documents that no column was made for. */
  hasHidden = false
  /** What there is to get behind this batch. */
  cursor: OpenCursor | undefined
  private batch: Elements
  private bytes: Bytes
  private isAtEnd: boolean
  private readonly values: (Value | undefined)[]

  constructor(
    public layout: Layout,
    reply: Document,
  ) {
    this.values = new Array(layout.columns.length).fill(undefined)
    const { bytes, elements, cursor } = batchOf(reply, 'firstBatch')
    this.bytes = bytes
    this.batch = elements
    this.cursor = cursor
    this.isAtEnd = !elements.next()
  }

  get columns(): readonly Column[] {
    return this.layout.columns
  }

  /** No row is left in this batch; `cursor` says whether another follows. */
  get isBatchEmpty(): boolean {
    return this.isAtEnd
  }

  /** Of the batch, as long as rows of it are to come, and of the columns. */
  get bytesHeld(): number {
    const columns = this.columns.length * columnBytes
    return this.isAtEnd ? columns : columns + this.bytes.length
  }

  get isDone(): boolean {
    return this.isAtEnd && this.cursor === undefined
  }

  /** Goes on with the reply of `nextBatchOf`. */
  refill(reply: Document): void {
    const { bytes, elements, cursor } = batchOf(reply, 'nextBatch')
    this.bytes = bytes
    this.batch = elements
    this.cursor = cursor
    this.isAtEnd = !elements.next()
  }

  /**
   * Writes rows of this batch, at most so many and no more when they have become much; answers how
   * many. Throws what a form refuses.
   */
  write(writer: MessageWriter, rowsMax: number): number {
    const bytesMax = writer.length + pgEncodedAtOnce
    let count = 0
    for (; count < rowsMax && !this.isAtEnd && writer.length < bytesMax; count++) {
      this.row(writer)
      this.isAtEnd = !this.batch.next()
    }
    if (this.isAtEnd) this.letGo()
    return count
  }

  /** A portal stays until its transaction ends: not with rows that have been sent. */
  private letGo(): void {
    this.bytes = emptyDocument
    this.batch = new Elements(emptyDocument)
    this.values.fill(undefined)
  }

  private row(writer: MessageWriter): void {
    const { columns, values } = this
    this.spread(this.batch.valueStart)
    writer.openRow(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const value = values[i]
      const column = columns[i] as Column
      if (value === undefined) writer.field(undefined)
      else if (column.format === 'text') writer.field(textForm(value, column.type))
      else writer.field(binaryForm(value, column.type))
    }
    writer.closeRow()
  }

  /** Puts the fields of the document at `start` to their columns: mostly they are in order. */
  private spread(start: number): void {
    const { layout, values } = this
    const { names } = layout
    values.fill(undefined)
    const elements = new Elements(this.bytes, start)
    for (let next = 0; elements.next(); ) {
      const name = names[next]
      if (name !== undefined && elements.nameIs(name)) {
        values[next++] = elements.value()
        continue
      }
      const place = layout.placeOf(elements.name())
      if (place === undefined) {
        this.hasHidden = true
        continue
      }
      values[place] = elements.value()
      next = place + 1
    }
  }
}

interface Batch {
  /** What the elements lie in. */
  readonly bytes: Bytes
  readonly elements: Elements
  readonly cursor: OpenCursor | undefined
}

function batchOf(reply: Document, name: string): Batch {
  const found = field(reply, 'cursor')
  const batch = found === undefined ? undefined : fieldIn(found, name)
  if (found === undefined || batch === undefined) {
    return { bytes: emptyDocument, elements: new Elements(emptyDocument), cursor: undefined }
  }
  const { bytes, start } = batch
  return { bytes, elements: new Elements(bytes, start), cursor: openCursorIn(found) }
}

function openCursorIn(cursor: Value): OpenCursor | undefined {
  const id = fieldIn(cursor, 'id')
  const ns = fieldIn(cursor, 'ns')
  if (id === undefined || ns === undefined || integerOf(id) === 0) return undefined
  const text = stringOf(ns)
  const dot = text.indexOf('.')
  return { id, db: text.slice(0, dot), collection: text.slice(dot + 1) }
}

/** The command that gets more of a cursor. */
export function nextBatchOf({ id, collection }: OpenCursor, rows: number): Document {
  return writeDocument((writer) => {
    writer.value('getMore', id).string('collection', collection).int32('batchSize', rows)
  })
}

/** The command that gives a cursor up. */
export function closingOf({ id, collection }: OpenCursor): Document {
  return writeDocument((writer) => {
    writer.string('killCursors', collection).openArray('cursors').push(id).close()
  })
}
