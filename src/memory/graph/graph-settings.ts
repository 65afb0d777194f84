// The settings document of a graph, stored among its anchors. It has the random part of the graph's
// key on the chain, the parameters of analyser and ranking, and the change up to which anchors were
// requested. By the number of the last change, readers see whether anything changed.

import type { Bytes } from '../../base/bytes/bytes.js'
import { graphPrefix } from '../../engine/collection/catalog/descriptors.js'
import {
  findById,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { field, fieldIn } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, type Document, stringOf, stringValue, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { analyserVersion } from '../text/analyser.js'
import { noteWaiting } from './graph-names.js'

/** The place of a graph. */
export interface Place {
  readonly database: string
  readonly name: string
}

/** The last root of version 1, and the newest anchor that has such a root. */
export interface Upgraded {
  readonly anchorId: string
  readonly root: string
  readonly sequence: number
}

/** Progress of the leaves for data older than version 2. */
interface Upgrading {
  readonly part: string
  /** Id of the last processed document. */
  readonly after: string
}

export interface GraphSettings {
  /** 16 random bytes, from which, with its name, the graph's key on the chain is made. */
  readonly key: Bytes
  /** Version of the analyser of its postings. */
  readonly analyzer: number
  /** Parameters of the ranking; undefined: the defaults. */
  readonly k1?: number | undefined
  readonly b?: number | undefined
  /** Grows with every change; a new graph with the same name does not repeat the numbers. */
  readonly seq: number
  /** Change up to which requested anchors are not made yet; undefined: none. */
  readonly requestedSeq?: number | undefined
  /** Part of the hash of the version 2 key; undefined until a server of version 2 writes. */
  readonly place?: Place | undefined
  /** Version of all its leaves; undefined: the upgrade is not done. */
  readonly proofs?: number | undefined
  readonly upgrading?: Upgrading | undefined
  /** Undefined if no root of version 1 was anchored. */
  readonly upgraded?: Upgraded | undefined
}

/** The version of leaves that this server writes. */
export const proofsVersion = 2

const settingsId = stringValue('graph')
const keySubtype = 0
/** No graph has this many changes in a millisecond. */
const changesPerMs = 1_000

/** Key of the settings document. */
export function settingsKey(anchors: Namespace): Bytes {
  return recordKey(anchors, settingsId)
}

/** Undefined until something is written to the graph. */
export function* findSettings(tx: ReadTx, anchors: Namespace): Program<GraphSettings | undefined> {
  const document = yield* findById(tx, anchors, settingsId)
  return document === undefined ? undefined : readSettings(document)
}

/** Settings of a new graph, as stored. */
export function* beginSettings(
  tx: Tx,
  anchors: Namespace,
  key: Bytes,
  now: number,
): Program<GraphSettings> {
  const place = placeOfPart(anchors)
  const seq = now * changesPerMs
  const settings = { key, analyzer: analyserVersion, seq, place, proofs: proofsVersion }
  yield* insertDocument(tx, anchors, settingsDocument(settings))
  noteWaiting(tx, anchors)
  return settings
}

/** Records a change of the graph and of its settings. */
export function* noteChange(
  tx: Tx,
  anchors: Namespace,
  changed: Partial<Pick<GraphSettings, 'k1' | 'b'>> = {},
): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => {
    return { ...settings, ...changed, seq: settings.seq + 1 }
  })
}

/** Records that everything waiting is to be anchored; readers see no change. */
export function* noteRequest(tx: Tx, anchors: Namespace): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => ({ ...settings, requestedSeq: settings.seq }))
}

/** Ends the request up to that change; a later request stays. */
export function* endRequest(tx: Tx, anchors: Namespace, requestedSeq: number): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => {
    if (settings.requestedSeq !== requestedSeq) return undefined
    return { ...settings, requestedSeq: undefined }
  })
}

type ProofSettings = Pick<GraphSettings, 'place' | 'proofs' | 'upgrading' | 'upgraded'>

/** Records progress of anchoring; readers see no change. */
export function* noteProofs(tx: Tx, anchors: Namespace, changed: ProofSettings): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => ({ ...settings, ...changed }))
}

/** From the collection of a graph's anchors: `memory.<graph>.anchors`. */
export function placeOfPart({ db, name }: Namespace): Place {
  return { database: db, name: name.slice(graphPrefix.length, name.lastIndexOf('.')) }
}

/** Writes nothing if `change` returns undefined. */
function* replaceSettings(
  tx: Tx,
  anchors: Namespace,
  change: (settings: GraphSettings) => GraphSettings | undefined,
): Program<void> {
  const before = yield* findById(tx, anchors, settingsId)
  const after = before === undefined ? undefined : change(readSettings(before))
  if (before === undefined || after === undefined) return
  const key = settingsKey(anchors)
  const place = after.place ?? placeOfPart(anchors)
  yield* replaceDocument(tx, anchors, key, before, settingsDocument({ ...after, place }))
  noteWaiting(tx, anchors)
}

function settingsDocument(settings: GraphSettings): Document {
  const { key, analyzer, k1, b, seq, requestedSeq, proofs } = settings
  return writeDocument((writer) => {
    writer.value('_id', settingsId).binary('key', keySubtype, key)
    writer.int32('analyzer', analyzer)
    if (k1 !== undefined) writer.double('k1', k1)
    if (b !== undefined) writer.double('b', b)
    writer.int64('seq', seq)
    if (requestedSeq !== undefined) writer.int64('requestedSeq', requestedSeq)
    writePlace(writer, settings.place)
    if (proofs !== undefined) writer.int32('proofs', proofs)
    writeUpgrade(writer, settings)
  })
}

function writePlace(writer: DocumentWriter, place: Place | undefined): void {
  if (place === undefined) return
  const { database, name } = place
  writer.openDocument('place').string('database', database).string('name', name).close()
}

function writeUpgrade(writer: DocumentWriter, { upgrading, upgraded }: GraphSettings): void {
  if (upgrading !== undefined) {
    const { part, after } = upgrading
    writer.openDocument('upgrading').string('part', part).string('after', after).close()
  }
  if (upgraded === undefined) return
  const { anchorId, root, sequence } = upgraded
  writer.openDocument('upgraded').string('anchorId', anchorId).string('root', root)
  writer.int64('sequence', sequence).close()
}

function readSettings(document: Document): GraphSettings {
  const number = (name: string): number | undefined => {
    const value = field(document, name)
    return value?.isNumber === true ? numberOf(value) : undefined
  }
  const key = field(document, 'key')
  return {
    key: key === undefined ? new Uint8Array(0) : key.bytes.slice(key.start + 5, key.end),
    analyzer: number('analyzer') ?? 0,
    k1: number('k1'),
    b: number('b'),
    seq: number('seq') ?? 0,
    requestedSeq: number('requestedSeq'),
    place: readPlace(field(document, 'place')),
    proofs: number('proofs'),
    upgrading: readUpgrading(field(document, 'upgrading')),
    upgraded: readUpgraded(field(document, 'upgraded')),
  }
}

/** Stored data of any writer: a field that is no text is empty. */
function textsOf<N extends string>(value: Value | undefined, names: readonly N[]) {
  if (value?.type !== bsonType.object) return undefined
  const texts = names.map((name) => {
    const text = fieldIn(value, name)
    return [name, text?.type === bsonType.string ? stringOf(text) : ''] as const
  })
  return Object.fromEntries(texts) as Record<N, string>
}

function readPlace(value: Value | undefined): Place | undefined {
  return textsOf(value, ['database', 'name'])
}

function readUpgrading(value: Value | undefined): Upgrading | undefined {
  return textsOf(value, ['part', 'after'])
}

function readUpgraded(value: Value | undefined): Upgraded | undefined {
  const texts = textsOf(value, ['anchorId', 'root'])
  const sequence = value === undefined ? undefined : fieldIn(value, 'sequence')
  if (texts === undefined) return undefined
  return { ...texts, sequence: sequence?.isNumber === true ? numberOf(sequence) : 0 }
}
