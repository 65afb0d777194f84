// convertToCapped and cloneCollectionAsCapped. A capped copy is written beside the collection, in
// its order. One program then gives it the collection's name, or another one. Other clients may
// write meanwhile; if they do, the copy restarts.

import { fail } from '../../../base/errors.js'
import { batchBytesMax } from '../../../base/limits/documents.js'
import { sweepDocumentsMax } from '../../../base/limits/engine.js'
import type { Call } from '../../../bus/document/call.js'
import { collection, exactNumber, ignored, string } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import {
  findNamespace,
  renameNamespace,
  requireMovable,
  saveNamespace,
} from '../../../engine/collection/catalog/catalog.js'
import {
  checkNamespaceName,
  requireWritableName,
} from '../../../engine/collection/catalog/names.js'
import { moveSpace } from '../../../engine/collection/counters.js'
import { cappedSizeOf, withCapped } from '../../../engine/collection/kinds/capped-options.js'
import { notOfSeries } from '../../../engine/collection/kinds/time-series.js'
import {
  dropReplacement,
  makeTemporary,
  type Replaced,
  temporaryName,
} from '../../../engine/collection/replacement.js'
import { fillBatch } from '../../../engine/sources/cursors.js'
import { openFind } from '../../../engine/sources/source.js'
import type { Namespace } from '../../../engine/types.js'
import { compileFilter } from '../../../query/filter.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../../store/sweep.js'
import { field, fieldsOf } from '../../../value/elements.js'
import { type Document, documentValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { emptyDocument } from '../arguments.js'
import { insertGroup } from '../writing/insert-group.js'

/** Maximum attempts to convert a collection while other clients write to it. */
const cappedCopyRunsMax = 5

type CopyCall = Pick<Call<unknown, string>, 'db' | 'creation' | 'context' | 'uuid' | 'engine'>

/** Index of the call's uuid for the name of the copy. */
const temporaryUuid = 1

const convertToCapped = documentRow({
  name: 'convertToCapped',
  ...plain,
  grows: 'documents',
  roles: ['shapes', 'removes'],
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { size: exactNumber },
  resources: (call) => [
    { db: call.db, collection: call.target, privileges: ['admin'] },
    { db: call.db, collection: copyName(call), privileges: [] },
  ],
  help: 'Converts a collection to a capped one. It keeps the newest documents and no indexes.',
  *run(call) {
    const { target, args } = call
    const size = requireSize(args.size)
    yield* copyCapped(call, target, target, size)
    return reply()
  },
})

const cloneCollectionAsCapped = documentRow({
  name: 'cloneCollectionAsCapped',
  ...plain,
  grows: 'documents',
  roles: ['shapes'],
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { toCollection: string, size: exactNumber, temp: ignored },
  resources: (call) => [
    { db: call.db, collection: call.target, privileges: ['read'] },
    { db: call.db, collection: call.args.toCollection, privileges: ['write'] },
    { db: call.db, collection: copyName(call), privileges: [] },
  ],
  help: 'Creates a capped copy of a collection, with its newest documents and without indexes.',
  *run(call) {
    const { target, args } = call
    const size = requireSize(args.size)
    yield* copyCapped(call, target, args.toCollection, size)
    return reply()
  },
})

function copyName(call: Pick<CopyCall, 'uuid'>): string {
  return temporaryName(call.uuid(temporaryUuid))
}

function requireSize(size: number | bigint): number {
  if (Math.trunc(Number(size)) !== 0) return cappedSizeOf(size)
  throw fail('InvalidOptions', 'Capped collection size must be greater than zero')
}

/** Copies `from` to `to`, which is either `from` itself or unused. */
function* copyCapped(call: CopyCall, from: string, to: string, size: number): Sweep<void> {
  for (let run = 0; run < cappedCopyRunsMax; run++) {
    const source = yield* readPhase((tx) => sourceOf(tx, call.db, from, to))
    // A copy notices the writes of its own gateway only.
    if (call.engine.store.gateways !== undefined) throw notShared()
    if (yield* copyOnce(call, source, to, size)) return
  }
  const text = `${call.db}.${from} kept changing while it was copied: writers have to pause`
  throw fail('ConflictingOperationInProgress', text)
}

function notShared(): Error {
  const text = 'a collection cannot be copied to a capped one on a store that gateways share'
  return fail('CommandNotSupported', text)
}

function* sourceOf(tx: ReadTx, db: string, from: string, to: string): Program<Namespace> {
  checkNamespaceName(db, to)
  requireWritableName(db, to)
  const source = yield* findNamespace(tx, db, from)
  if (source === undefined) {
    throw fail('NamespaceNotFound', `source collection ${db}.${from} does not exist`)
  }
  if (source.timeSeries !== undefined) throw notOfSeries(source)
  if (field(source.options, 'clusteredIndex') !== undefined) {
    throw fail('InvalidOptions', 'A capped collection cannot have a clusteredIndex')
  }
  if (from === to) requireMovable(source)
  else if ((yield* findNamespace(tx, db, to)) !== undefined) throw existing(db, from, to)
  return source
}

function existing(db: string, from: string, to: string): Error {
  return fail(
    'NamespaceExists',
    `cloneCollectionAsCapped failed - destination collection ${db}.${to} already exists. ` +
      `source collection: ${db}.${from}`,
  )
}

/** Makes one copy. False if the source changed meanwhile; the copy is then dropped. */
function* copyOnce(call: CopyCall, source: Namespace, to: string, size: number): Sweep<boolean> {
  const capped = { bytesMax: size, documentsMax: undefined }
  // The copy has no validator: it takes existing documents, valid or not.
  const creation = call.creation(withCapped(keptIn(source.options, ['collation']), capped))
  const copy: Replaced = { db: call.db, name: to, temporary: copyName(call), creation }
  let hasChanged = false
  const forget = call.engine.store.observeRecords(source.id, () => {
    hasChanged = true
  })
  try {
    yield* writePhase((tx) => makeTemporary(tx, copy))
    yield* copyDocuments(call, source, copy)
    const isDone = yield* writePhase((tx) =>
      hasChanged ? givenUp() : finishCopy(tx, source, copy, withCapped(source.options, capped)),
    )
    if (!isDone) yield* writePhase((tx) => dropReplacement(tx, copy))
    return isDone
  } catch (thrown) {
    yield* writePhase((tx) => dropReplacement(tx, copy))
    throw thrown
  } finally {
    forget()
  }
}

function* givenUp(): Program<boolean> {
  return false
}

function* copyDocuments(call: CopyCall, source: Namespace, copy: Replaced): Sweep<void> {
  const { db, temporary, creation } = copy
  const target = { db, target: temporary, creation: () => creation }
  const documents = openFind(source, { filter: compileFilter(emptyDocument, call.context) })
  const limits = { documentsMax: sweepDocumentsMax, bytesMax: batchBytesMax }
  while (!documents.drained) {
    const batch = yield* readPhase((tx) => fillBatch(tx, documents, limits))
    const group = batch.documents.map((document, index) => ({ index, document }))
    const { failures } = yield* insertGroup(target, group, true)
    const [failure] = failures
    if (failure !== undefined) throw failure.error
  }
}

/** Gives the copy its final name. False if the source was replaced or changed. */
function* finishCopy(
  tx: Tx,
  source: Namespace,
  copy: Replaced,
  options: Document,
): Program<boolean> {
  const { db, name, temporary } = copy
  const now = yield* findNamespace(tx, db, source.name)
  const made = yield* findNamespace(tx, db, temporary)
  if (now?.id !== source.id || now.version !== source.version || made === undefined) return false
  if (name === source.name) {
    yield* moveSpace(tx, made, now.access)
    const replacing = saveNamespace(tx, { ...made, options, access: now.access })
    yield* renameNamespace(tx, replacing, db, name, true)
  } else yield* renameNamespace(tx, saveNamespace(tx, { ...made, options }), db, name, false)
  return true
}

/** Keeps only the named options. */
function keptIn(options: Document, names: readonly string[]): Document {
  return writeDocument((writer) => {
    for (const [name, value] of fieldsOf(documentValue(options))) {
      if (names.includes(name)) writer.value(name, value)
    }
  })
}

export const cappedRows = [convertToCapped, cloneCollectionAsCapped]
