// What the retryable writes of a logical session have done: one record for the session's last
// number, written in the program of the change. A retry reads it in the program that would change
// something, so each statement takes effect once, even if the first attempt still runs.
// (docs/design/transactions.md, rule 19)

import { type Bytes, concatBytes, utf8 } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import {
  retryAnswerBytesMax,
  retryIdBytesMax,
  retryRecordMs,
  retryRenewMs,
} from '../../../base/limits/documents.js'
import { sweepDocumentsMax } from '../../../base/limits/engine.js'
import type { Changed, Ran, StatementRecord } from '../../../engine/modify/modify-spec.js'
import { retryKind } from '../../../identity/secret-rows.js'
import { putExpiringEntry, removeExpiring } from '../../../identity/sign-in/expiring-rows.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { field, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { binaryValue, type Document, documentOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'

/** Statements of one row: each program rewrites the rows of its statements. */
const rowStatements = sweepDocumentsMax

/** What a statement has done; 0: nothing yet. */
const code = { changed: 1, same: 2, upserted: 3, answered: 4, forgotten: 5 } as const

interface Row {
  readonly number: number
  readonly expires: number
  readonly codes: Bytes
  /** `_id` of the document that a statement added, by statement. */
  readonly ids: ReadonlyMap<string, Value>
  readonly answer: Document | undefined
}

export interface Attempt {
  readonly owner: string
  readonly lsid: string
  readonly number: number
  /** Milliseconds since 1970. */
  readonly now: number
}

type AnswerOf = (changed: Changed) => Document

/** What the first row of a session holds besides its statements. */
export interface RecordHead {
  readonly number: number
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** A statement that the current program has run. */
interface Kept {
  readonly index: number
  readonly ran: Ran
}

const noIds: ReadonlyMap<string, Value> = new Map()
const noCodes = new Uint8Array()
const noneKept: readonly Kept[] = []

export class SessionRecord {
  /** The program of the cached rows and the kept statements: another has to read them again. */
  private tx: ReadTx | undefined
  /** The first row as this program has read or written it, of whatever number. */
  private firstRow: Row | undefined
  private hasFirstRow = false
  private laterRows: Map<number, Row | undefined> | undefined
  private kept: readonly Kept[] = noneKept
  /** The first program of the attempt that asked: no row has changed before its commit. */
  private first: ReadTx | undefined

  /** `known`: the first row as it is now, if this process alone writes to the store. */
  constructor(
    private readonly attempt: Attempt,
    private readonly known?: RecordHead,
    private readonly firstKey: Bytes = firstKeyOf(attempt),
  ) {}

  /**
   * The first row behind the last program of this attempt, if that has committed. Undefined if
   * there is none, or if it has to be read again.
   */
  get head(): RecordHead | undefined {
    if (this.hasFirstRow) return this.firstRow
    return this.tx === undefined || this.tx === this.first ? this.known : undefined
  }

  /** The record of one statement; `answerOf` makes the reply that a retry repeats. */
  statement(index: number, answerOf?: AnswerOf): StatementRecord {
    return new Statement(this, index, answerOf)
  }

  /** Whether no attempt can have run anything of this number before this program. */
  isNew(tx: ReadTx): boolean {
    this.enter(tx)
    return this.knownIn(tx) !== undefined
  }

  /** The statements of these that earlier attempts have run. */
  *ranAmong(tx: ReadTx, indexes: Iterable<number>): Program<ReadonlySet<number>> {
    this.enter(tx)
    const found = new Set<number>()
    const rows = new Map<number, Row | undefined>()
    for (const index of indexes) {
      const number = rowOf(index)
      if (!rows.has(number)) rows.set(number, yield* this.row(tx, number))
      if (codeAt(rows.get(number), index) !== 0) found.add(index)
    }
    return found
  }

  /** What an earlier program has done for a statement; undefined if nothing. */
  *ran(tx: ReadTx, index: number): Program<Ran | undefined> {
    this.enter(tx)
    if (this.knownIn(tx) !== undefined) return undefined
    const row = yield* this.row(tx, rowOf(index))
    const found = codeAt(row, index)
    if (row === undefined || found === 0) return undefined
    if (found === code.forgotten) {
      const text = 'The write has run before; its answer was too long to be kept'
      throw fail('IncompleteTransactionHistory', text)
    }
    const upsertedId = row.ids.get(String(index % rowStatements))
    return {
      isModified: found === code.changed,
      ...(upsertedId === undefined ? {} : { upsertedId }),
      ...(found === code.answered ? { answer: row.answer } : {}),
    }
  }

  /** Keeps what this program has done for a statement, until `flush` writes it. */
  keep(tx: Tx, index: number, ran: Ran): void {
    this.enter(tx)
    if (this.kept === noneKept) this.kept = [{ index, ran }]
    else (this.kept as Kept[]).push({ index, ran })
  }

  /** Writes what this program has kept. Throws TransactionTooOld. */
  *flush(tx: Tx): Program<void> {
    this.enter(tx)
    const { kept } = this
    if (kept.length === 0) return
    this.kept = noneKept
    const known = this.knownIn(tx)
    if (known !== undefined && kept.every(isPlain)) {
      this.putFirst(tx, known.expires, kept)
      return
    }
    const rows = new Map<number, Kept[]>([[0, []]])
    for (const one of kept) {
      const number = rowOf(one.index)
      const ofRow = rows.get(number)
      if (ofRow === undefined) rows.set(number, [one])
      else ofRow.push(one)
    }
    for (const [number, ofRow] of rows) yield* this.noteRow(tx, number, ofRow)
  }

  /** Forgets what an earlier program has read and kept: it may have been rolled back. */
  private enter(tx: ReadTx): void {
    if (this.tx === tx) return
    this.tx = tx
    this.first ??= tx
    this.firstRow = undefined
    this.hasFirstRow = false
    this.laterRows = undefined
    this.kept = noneKept
  }

  /** As noteRow over a row of an earlier number. */
  private putFirst(tx: Tx, expires: number, kept: readonly Kept[]): void {
    const { number } = this.attempt
    const codes = codesOf(kept)
    this.put(tx, 0, this.firstKey, { number, expires, codes, ids: noIds, answer: undefined })
  }

  private *noteRow(tx: Tx, number: number, kept: readonly Kept[]): Program<void> {
    const stored = yield* this.stored(tx, number)
    const current = this.currentOf(stored)
    if (current !== undefined && kept.length === 0) return
    let length = current?.codes.length ?? 0
    for (const { index } of kept) length = Math.max(length, (index % rowStatements) + 1)
    const codes = new Uint8Array(length)
    codes.set(current?.codes ?? noCodes)
    const ids = new Map(current?.ids)
    let answer = current?.answer
    for (const { index, ran } of kept) {
      const at = index % rowStatements
      const kind = codeOf(ran)
      codes[at] = kind
      if (kind === code.upserted && ran.upsertedId !== undefined) {
        ids.set(String(at), ran.upsertedId)
      }
      if (kind === code.answered) answer = ran.answer
    }
    const { now, number: session } = this.attempt
    const key = this.key(number)
    const isLong = stored !== undefined && stored.expires - now > retryRenewMs
    const expires = isLong ? stored.expires : now + retryRecordMs
    if (!isLong) {
      if (stored !== undefined) removeExpiring(tx, key, stored.expires)
      putExpiringEntry(tx, key, expires)
    }
    this.put(tx, number, key, { number: session, expires, codes, ids, answer })
  }

  private put(tx: Tx, number: number, key: Bytes, row: Row): void {
    this.cache(number, row)
    tx.put(key, encode(row))
  }

  /** The row of this number; throws TransactionTooOld if the session has begun a later one. */
  private *row(tx: ReadTx, number: number): Program<Row | undefined> {
    const head = this.currentOf(yield* this.stored(tx, 0))
    if (number === 0 || head === undefined) return number === 0 ? head : undefined
    return this.currentOf(yield* this.stored(tx, number))
  }

  private currentOf(row: Row | undefined): Row | undefined {
    const { number, lsid } = this.attempt
    if (row === undefined || row.number < number) return undefined
    if (row.number === number) return row
    const text = `Retryable write with txnNumber ${number} is prohibited on session ${lsid}`
    const newer = `a newer retryable write with txnNumber ${row.number}`
    throw fail('TransactionTooOld', `${text} because ${newer} has already started`)
  }

  /** The row as this program sees it, of whatever number. */
  private *stored(tx: ReadTx, number: number): Program<Row | undefined> {
    if (number === 0 && this.hasFirstRow) return this.firstRow
    if (this.laterRows?.has(number) === true) return this.laterRows.get(number)
    const known = number === 0 ? this.knownIn(tx) : undefined
    if (known !== undefined) {
      const { number: last, expires } = known
      return { number: last, expires, codes: noCodes, ids: noIds, answer: undefined }
    }
    const bytes = yield* tx.get(this.key(number))
    const row = bytes === undefined ? undefined : decode(bytes)
    this.cache(number, row)
    return row
  }

  private cache(number: number, row: Row | undefined): void {
    if (number !== 0) {
      this.laterRows ??= new Map()
      this.laterRows.set(number, row)
      return
    }
    this.firstRow = row
    this.hasFirstRow = true
  }

  /** The first row without a read, where it is of an earlier number and will not expire soon. */
  private knownIn(tx: ReadTx): RecordHead | undefined {
    const { known, attempt } = this
    if (known === undefined || known.number >= attempt.number) return undefined
    if (known.expires - attempt.now <= retryRenewMs) return undefined
    // Once this program has written the row, it is no longer as it was.
    return this.first === tx && !this.hasFirstRow ? known : undefined
  }

  private key(number: number): Bytes {
    if (number === 0) return this.firstKey
    const key = this.firstKey.slice()
    key[key.length - 2] = number >>> 8
    key[key.length - 1] = number
    return key
  }
}

class Statement implements StatementRecord {
  constructor(
    private readonly record: SessionRecord,
    private readonly index: number,
    private readonly answerOf: AnswerOf | undefined,
  ) {}

  ran(tx: ReadTx): Program<Ran | undefined> {
    return this.record.ran(tx, this.index)
  }

  keep(tx: Tx, changed: Changed): void {
    this.record.keep(tx, this.index, ranOf(changed, this.answerOf))
  }

  flush(tx: Tx): Program<void> {
    return this.record.flush(tx)
  }
}

/** The key of a session's first row. Its last two bytes are the number of the row. */
export function firstKeyOf({ owner, lsid }: Pick<Attempt, 'owner' | 'lsid'>): Bytes {
  const head = Uint8Array.of(keyClass.identity, retryKind)
  return concatBytes(head, Buffer.from(lsid, 'hex'), utf8(`${owner}\0\0\0`))
}

/** The last number of the session's retryable writes. */
export function* lastWritten(
  tx: ReadTx,
  session: Pick<Attempt, 'owner' | 'lsid'>,
): Program<number | undefined> {
  const row = yield* tx.get(firstKeyOf(session))
  return row === undefined ? undefined : decode(row).number
}

const oneChanged = Uint8Array.of(code.changed)

/** The codes of statements that the first row holds as bytes. */
function codesOf(kept: readonly Kept[]): Bytes {
  const [only] = kept
  if (kept.length === 1 && only?.index === 0 && only.ran.isModified) return oneChanged
  let last = 0
  for (const { index } of kept) if (index > last) last = index
  const codes = new Uint8Array(last + 1)
  for (const { index, ran } of kept) codes[index] = ran.isModified ? code.changed : code.same
  return codes
}

/** Whether the first row holds it, as a byte. */
function isPlain({ index, ran: { upsertedId, answer } }: Kept): boolean {
  return index < rowStatements && upsertedId === undefined && answer === undefined
}

function rowOf(index: number): number {
  return Math.floor(index / rowStatements)
}

function codeAt(row: Row | undefined, index: number): number {
  return row?.codes[index % rowStatements] ?? 0
}

const modified: Ran = { isModified: true }
const same: Ran = { isModified: false }

function ranOf(changed: Changed, answerOf: AnswerOf | undefined): Ran {
  const { before, after, upsertedId } = changed
  if (upsertedId === undefined && answerOf === undefined) {
    return before === after ? same : modified
  }
  return {
    isModified: before !== after,
    ...(upsertedId === undefined ? {} : { upsertedId }),
    ...(answerOf === undefined ? {} : { answer: answerOf(changed) }),
  }
}

function codeOf({ isModified, upsertedId, answer }: Ran): number {
  if (answer !== undefined) {
    return answer.length <= retryAnswerBytesMax ? code.answered : code.forgotten
  }
  if (upsertedId !== undefined) {
    return upsertedId.end - upsertedId.start <= retryIdBytesMax ? code.upserted : code.forgotten
  }
  return isModified ? code.changed : code.same
}

/** Bytes of a row around its codes: n, expires and r, with the lengths. */
const plainRowBytes = 41

/** Rows are written here and copied: a view of each row's own buffer costs more than the row. */
const draft = new Uint8Array(plainRowBytes + rowStatements)
const draftView = new DataView(draft.buffer)
draft.set(utf8('\x01n\0'), 4)
draft.set(utf8('\x01expires\0'), 15)
draft.set(utf8('\x05r\0'), 32)

/** By hand, because every retryable write makes one. */
function encodePlain(number: number, expires: number, codes: Bytes): Document {
  const size = plainRowBytes + codes.length
  draftView.setInt32(0, size, true)
  draftView.setFloat64(7, number, true)
  draftView.setFloat64(24, expires, true)
  draftView.setInt32(35, codes.length, true)
  draft.set(codes, plainRowBytes - 1)
  draft[size - 1] = 0
  return draft.slice(0, size)
}

function encode({ number, expires, codes, ids, answer }: Row): Document {
  if (ids.size === 0 && answer === undefined) return encodePlain(number, expires, codes)
  return writeDocument((writer) => {
    writer.double('n', number).double('expires', expires).value('r', binaryValue(0, codes))
    if (ids.size > 0) {
      writer.openDocument('u')
      for (const [name, id] of ids) writer.value(name, id)
      writer.close()
    }
    if (answer !== undefined) writer.document('a', answer)
  })
}

function decode(row: Document): Row {
  const number = field(row, 'n')
  const expires = field(row, 'expires')
  const codes = field(row, 'r')
  if (number === undefined || expires === undefined || codes === undefined) {
    throw new Error('a row of a session record has its fields')
  }
  const ids = field(row, 'u')
  const answer = field(row, 'a')
  return {
    number: numberOf(number),
    expires: numberOf(expires),
    codes: codes.payload().subarray(5),
    ids: new Map(ids === undefined ? [] : fieldsOf(ids)),
    answer: answer === undefined ? undefined : documentOf(answer),
  }
}
