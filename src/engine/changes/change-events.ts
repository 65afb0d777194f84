// The events of a change stream, made of the records of the change log. (MongoDB manual, change
// events; docs/design/changes.md, "Records")

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { ClusterTime } from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import { field, fieldsOf } from '../../value/elements.js'
import {
  type Document,
  documentOf,
  documentValue,
  nullValue,
  timestampValue,
  type Value,
} from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { namespaceKey } from '../collection/catalog/catalog-keys.js'
import { decodeNamespace } from '../collection/catalog/descriptors.js'
import { findById } from '../collection/collections.js'
import { documentOfRecord } from '../collection/records.js'
import { type ChangeKind, type ChangeRecord, part, targetOf, wallTimeOf } from './change-record.js'
import { tokenDocument } from './token.js'

type FullDocument = 'default' | 'updateLookup' | 'whenAvailable' | 'required'
type BeforeChange = 'off' | 'whenAvailable' | 'required'

export interface EventOptions {
  readonly fullDocument: FullDocument
  readonly beforeChange: BeforeChange
  /** showExpandedEvents. */
  readonly isExpanded: boolean
}

/** Shown without showExpandedEvents. */
const plainKinds: readonly ChangeKind[] = [
  ...(['insert', 'update', 'replace', 'delete', 'drop', 'rename', 'dropDatabase'] as const),
]
const documentKinds: readonly ChangeKind[] = ['insert', 'update', 'replace', 'delete']

/** The event of a record; undefined for a record without one. Throws NoMatchingDocument. */
export function* eventOf(
  tx: ReadTx,
  time: ClusterTime,
  record: ChangeRecord,
  options: EventOptions,
): Program<Document | undefined> {
  const { kind, body, db, name } = record
  const { isExpanded } = options
  if (!isExpanded && (!plainKinds.includes(kind) || field(body, 'v') !== undefined))
    return undefined
  if (kind === 'begin' || kind === 'hold') return undefined
  const full = yield* fullDocument(tx, record, options.fullDocument)
  const before = yield* beforeChange(tx, record, options.beforeChange)
  return writeDocument((out) => {
    writeHead(out, time, kind)
    const uuid = field(body, 'i')
    if (isExpanded && uuid !== undefined) out.value('collectionUUID', uuid)
    writeWallTime(out, time, record)
    const number = field(body, 'n')
    if (number !== undefined) out.value('txnNumber', number).value('lsid', part(body, 'l'))
    if (full !== undefined) out.value('fullDocument', full)
    writeName(out, 'ns', db, name)
    if (kind === 'rename') {
      const to = targetOf(body)
      writeName(out, 'to', to.db, to.name)
    }
    if (isExpanded) writeDescription(out, record)
    if (documentKinds.includes(kind)) out.value('documentKey', part(body, 'k'))
    if (kind === 'update') writeUpdate(out, body, isExpanded)
    if (before !== undefined) out.value('fullDocumentBeforeChange', before)
  })
}

/** The event that ends a stream. */
export function invalidateEvent(time: ClusterTime, record: ChangeRecord): Document {
  return writeDocument((out) => {
    out.document('_id', tokenDocument({ time, kind: 'invalidate' }))
    out.string('operationType', 'invalidate')
    out.value('clusterTime', timestampValue(time.seconds, time.increment))
    writeWallTime(out, time, record)
  })
}

function writeHead(out: DocumentWriter, time: ClusterTime, kind: ChangeKind): void {
  out.document('_id', tokenDocument({ time, kind: 'event' })).string('operationType', kind)
  out.value('clusterTime', timestampValue(time.seconds, time.increment))
}

function writeWallTime(out: DocumentWriter, time: ClusterTime, { body }: ChangeRecord): void {
  out.date('wallTime', wallTimeOf(body) ?? time.seconds * 1000)
}

/** What a definition became, and what a modified one was before. */
function writeDescription(out: DocumentWriter, { kind, body }: ChangeRecord): void {
  if (kind === 'rename') {
    const to = targetOf(body)
    const dropped = field(documentOf(part(body, 't')), 'i')
    out.openDocument('operationDescription')
    writeName(out, 'to', to.db, to.name)
    if (dropped !== undefined) out.value('dropTarget', dropped)
    out.close()
  }
  const description = field(body, 'x')
  if (description !== undefined) out.value('operationDescription', description)
  const before = field(body, 's')
  if (before !== undefined) out.value('stateBeforeChange', before)
}

function writeName(out: DocumentWriter, field: string, db: string, name: string): void {
  out.openDocument(field).string('db', db)
  if (name !== '') out.string('coll', name)
  out.close()
}

function writeUpdate(out: DocumentWriter, body: Document, isExpanded: boolean): void {
  out.openDocument('updateDescription')
  for (const [name, value] of fieldsOf(part(body, 'u'))) {
    if (isExpanded || name !== 'disambiguatedPaths') out.value(name, value)
  }
  if (isExpanded && fieldIn(body) === undefined) out.openDocument('disambiguatedPaths').close()
  out.close()
}

function fieldIn(body: Document): Value | undefined {
  return field(documentOf(part(body, 'u')), 'disambiguatedPaths')
}

/** Null for an updated document that is gone. */
function* fullDocument(
  tx: ReadTx,
  record: ChangeRecord,
  mode: FullDocument,
): Program<Value | undefined> {
  const { kind, body } = record
  if (kind === 'insert' || kind === 'replace') {
    return documentValue(yield* documentOfRecord(tx, storedIn(part(body, 'o'))))
  }
  if (kind !== 'update' || mode === 'default') return undefined
  if (mode === 'updateLookup') {
    const document = yield* currentDocument(tx, record)
    return document === undefined ? nullValue : documentValue(document)
  }
  const image = yield* imageOf(tx, body, 'a')
  if (image !== undefined || mode === 'whenAvailable') return image ?? nullValue
  throw missing('post-image for all update events, but the post-image')
}

function* imageOf(tx: ReadTx, body: Document, name: 'a' | 'b'): Program<Value | undefined> {
  const stored = field(body, name)
  return stored && documentValue(yield* documentOfRecord(tx, storedIn(stored)))
}

function* beforeChange(
  tx: ReadTx,
  { kind, body }: ChangeRecord,
  mode: BeforeChange,
): Program<Value | undefined> {
  if (mode === 'off' || kind === 'insert' || !documentKinds.includes(kind)) return undefined
  const image = yield* imageOf(tx, body, 'b')
  if (image !== undefined || mode === 'whenAvailable') return image ?? nullValue
  const what = 'pre-image for all update, delete and replace events, but the pre-image'
  throw missing(what)
}

function missing(what: string) {
  const text = `Change stream was configured to require a ${what} was not found`
  return fail('NoMatchingDocument', text)
}

/** The document as it is now, in the same collection under any later state of its name. */
function* currentDocument(
  tx: ReadTx,
  { db, name, body }: ChangeRecord,
): Program<Document | undefined> {
  const bytes = yield* tx.get(namespaceKey(db, name))
  if (bytes === undefined) return undefined
  const ns = decodeNamespace(db, name, bytes)
  const uuid = part(body, 'i').payload().subarray(5)
  if (Buffer.compare(ns.uuid, uuid) !== 0 || ns.capped !== undefined) return undefined
  const id = field(documentOf(part(body, 'k')), '_id')
  return id === undefined ? undefined : yield* findById(tx, ns, id)
}

/** The content of a binary value. */
function storedIn(value: Value): Bytes {
  return value.payload().subarray(5)
}
