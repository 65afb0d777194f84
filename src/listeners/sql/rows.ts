// The rows of one statement: documents of a cursor's batches, laid out by columns that were fixed
// before the first row.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Bytes, equalBytes, utf8 } from '../../base/bytes/bytes.js'
import { jsonInThreadBytes } from '../../base/limits/engine.js'
import { pgEncodedAtOnce, pgFieldsAtOnce, pgReadAtOnce } from '../../base/limits/sql.js'
import { KiB } from '../../base/units.js'
import type { Statement } from '../../bus/document/transactions/statement.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import { type Format, formatAt } from '../../protocol/pgwire/client-message.js'
import { binaryForm, textForm } from '../../protocol/pgwire/forms.js'
import type { Column, MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { arrayTypeOf, type PgTypeName, pgTypes } from '../../protocol/pgwire/types.js'
import { Elements, field, fieldIn } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { longField } from '../json-thread.js'

/** Bytes of a reply's columns that a connection caches. */
const pgLayoutBytesMax = 4 * KiB

export interface ColumnHead {
  readonly name: string
  readonly type: PgTypeName
}

const none: readonly ColumnHead[] = []

/** The columns of a reply; default ones if it names none. */
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

/** A type by PostgreSQL's name; a type without an encoder is sent as text. */
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

/** Columns, and the position of each field name in a row. */
export class Layout {
  /** By position. */
  readonly names: readonly Bytes[]
  private places: ReadonlyMap<string, number> | undefined

  constructor(readonly columns: readonly Column[]) {
    this.names = columns.map(({ name }) => utf8(name))
  }

  /** Undefined if no column has this name. */
  placeOf(name: string): number | undefined {
    this.places ??= new Map(this.columns.map((column, i) => [column.name, i]))
    return this.places.get(name)
  }
}

/** Layouts of one connection, which often repeats statements with other parameters. */
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

/** An open cursor on the server. */
interface OpenCursor {
  readonly id: Value
  readonly db: string
  readonly collection: string
}

/** Bytes of a column beside its name, which is usually the statement's. */
const columnBytes = 50

export class Rows {
  /** Documents had fields without a column. */
  hasHidden = false
  /** The rest of the result after this batch. */
  cursor: OpenCursor | undefined
  private batch: Elements
  private bytes: Bytes
  private isAtEnd: boolean
  private readonly values: (Value | undefined)[]
  /** The column that the next field is likely to have. */
  private place = 0
  /** Encoded fields of the next row, by column, if the row is long. */
  private prepared: readonly (string | Bytes | undefined)[] | undefined

  constructor(
    public layout: Layout,
    reply: Document,
    /** The transaction that its cursor reads in. */
    readonly statement?: Statement,
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

  /** No row is left in this batch; `cursor` says whether another batch follows. */
  get isBatchEmpty(): boolean {
    return this.isAtEnd
  }

  /** Of the batch, while rows of it are left, and of the columns. */
  get bytesHeld(): number {
    const columns = this.columns.length * columnBytes
    return this.isAtEnd ? columns : columns + this.bytes.length
  }

  get isDone(): boolean {
    return this.isAtEnd && this.cursor === undefined
  }

  /** Continues with the reply of `nextBatchOf`. */
  refill(reply: Document): void {
    const { bytes, elements, cursor } = batchOf(reply, 'nextBatch')
    this.bytes = bytes
    this.batch = elements
    this.cursor = cursor
    this.isAtEnd = !elements.next()
  }

  /** The next row is too long to be encoded in one turn: `prepareNext` comes first. */
  get isNextLong(): boolean {
    if (this.isAtEnd || this.prepared !== undefined) return false
    const { valueStart, valueEnd } = this.batch
    return valueEnd - valueStart > jsonInThreadBytes
  }

  /** Encodes the fields of the next row, long ones in a thread. Throws encoding errors. */
  async prepareNext(): Promise<void> {
    const { columns, values } = this
    const elements = this.beginRow()
    while (!this.spread(elements, pgFieldsAtOnce)) await nextTurn()
    const prepared: (string | Bytes | undefined)[] = []
    let bytes = 0
    for (let i = 0; i < columns.length; i++) {
      const value = values[i]
      const { type, format } = columns[i] as Column
      const size = value === undefined || isCopied(value, type) ? 0 : value.end - value.start
      if (size > jsonInThreadBytes) prepared.push(await longField(value as Value, type, format))
      else prepared.push(fieldOf(value, type, format))
      bytes += size
      if (bytes <= jsonInThreadBytes) continue
      bytes = 0
      await nextTurn()
    }
    this.prepared = prepared
  }

  /**
   * Writes rows of this batch, at most `rowsMax`, fewer if their bytes or fields are many or the
   * next one is long. Returns how many. Throws encoding errors.
   */
  write(writer: MessageWriter, rowsMax: number): number {
    const bytesMax = writer.length + pgEncodedAtOnce
    const readMax = this.batch.start + pgReadAtOnce
    const most = Math.min(rowsMax, Math.ceil(pgFieldsAtOnce / Math.max(this.columns.length, 1)))
    let count = 0
    for (; count < most && !this.isAtEnd && writer.length < bytesMax; count++) {
      if (this.isNextLong || this.batch.start > readMax) break
      this.row(writer)
      this.isAtEnd = !this.batch.next()
    }
    if (this.isAtEnd) this.letGo()
    return count
  }

  /** A portal lives until its transaction ends, but without its sent rows. */
  private letGo(): void {
    this.bytes = emptyDocument
    this.batch = new Elements(emptyDocument)
    this.values.fill(undefined)
  }

  private row(writer: MessageWriter): void {
    const { columns, values, prepared } = this
    if (prepared === undefined) this.spread(this.beginRow(), Number.POSITIVE_INFINITY)
    writer.openRow(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const { type, format } = columns[i] as Column
      writer.field(prepared === undefined ? fieldOf(values[i], type, format) : prepared[i])
    }
    writer.closeRow()
    this.prepared = undefined
  }

  /** The fields of the next row, none of which has a column yet. */
  private beginRow(): Elements {
    this.values.fill(undefined)
    this.place = 0
    return new Elements(this.bytes, this.batch.valueStart)
  }

  /** Assigns the next `most` fields to their columns, usually in order; true if those are all. */
  private spread(elements: Elements, most: number): boolean {
    const { layout, values } = this
    const { names } = layout
    for (let left = most; left > 0; left--) {
      if (!elements.next()) return true
      const name = names[this.place]
      if (name !== undefined && elements.nameIs(name)) {
        values[this.place++] = elements.value()
        continue
      }
      const place = layout.placeOf(elements.name())
      if (place === undefined) {
        this.hasHidden = true
        continue
      }
      values[place] = elements.value()
      this.place = place + 1
    }
    return false
  }
}

function fieldOf(
  value: Value | undefined,
  type: PgTypeName,
  format: Format,
): string | Bytes | undefined {
  if (value === undefined) return undefined
  return format === 'text' ? textForm(value, type) : binaryForm(value, type)
}

/** A text whose field is its own bytes. */
function isCopied(value: Value, type: PgTypeName): boolean {
  return value.type === bsonType.string && type !== 'json' && type !== 'jsonb'
}

interface Batch {
  /** The bytes of the elements. */
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

/** The command that reads the next batch of a cursor. */
export function nextBatchOf({ id, collection }: OpenCursor, rows: number): Document {
  return writeDocument((writer) => {
    writer.value('getMore', id).string('collection', collection).int32('batchSize', rows)
  })
}

/** The command that closes a cursor. */
export function closingOf({ id, collection }: OpenCursor): Document {
  return writeDocument((writer) => {
    writer.string('killCursors', collection).openArray('cursors').push(id).close()
  })
}
