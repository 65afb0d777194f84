// What a graph remembers of itself: its secret-free part of its key on the chain, how texts are
// analysed and ranked, the number of its last change, by which readers know that nothing has
// changed, and up to which change anchors were asked for. One small document among the anchors.

import type { Bytes } from '../../base/bytes.js'
import {
  findById,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { type Document, stringValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { analyserVersion } from '../text/analyser.js'
import { noteWaiting } from './graph-names.js'

export interface GraphSettings {
  /** 16 random bytes; the graph's key on the chain is made of them and its name. */
  readonly key: Bytes
  /** Version of the analysis that its postings are of. */
  readonly analyzer: number
  /** Parameters of the ranking; undefined: the usual ones. */
  readonly k1?: number | undefined
  readonly b?: number | undefined
  /** Grows with every change; a graph made anew under the name does not repeat the numbers. */
  readonly seq: number
  /** Change up to which anchors were asked for and are still to be made; undefined: none. */
  readonly requestedSeq?: number | undefined
}

const settingsId = stringValue('graph')
const keySubtype = 0
/** So many changes in a millisecond are no graph's. */
const changesPerMs = 1_000

/** Undefined until something is written to the graph. */
export function* findSettings(tx: ReadTx, anchors: Namespace): Program<GraphSettings | undefined> {
  const document = yield* findById(tx, anchors, settingsId)
  return document === undefined ? undefined : readSettings(document)
}

/** Those of a new graph, as they now lie there. */
export function* beginSettings(
  tx: Tx,
  anchors: Namespace,
  key: Bytes,
  now: number,
): Program<GraphSettings> {
  const settings = { key, analyzer: analyserVersion, seq: now * changesPerMs }
  yield* insertDocument(tx, anchors, settingsDocument(settings))
  noteWaiting(tx, anchors)
  return settings
}

/** Notes a change of the graph, and what of the settings has changed. */
export function* noteChange(
  tx: Tx,
  anchors: Namespace,
  changed: Partial<Pick<GraphSettings, 'k1' | 'b'>> = {},
): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => {
    return { ...settings, ...changed, seq: settings.seq + 1 }
  })
}

/** Notes that all that waits for an anchor shall have one: no change that a reader sees. */
export function* noteRequest(tx: Tx, anchors: Namespace): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => ({ ...settings, requestedSeq: settings.seq }))
}

/** Ends the request up to that change; one that came later stands. */
export function* endRequest(tx: Tx, anchors: Namespace, requestedSeq: number): Program<void> {
  yield* replaceSettings(tx, anchors, (settings) => {
    if (settings.requestedSeq !== requestedSeq) return undefined
    return { ...settings, requestedSeq: undefined }
  })
}

/** Nothing is written where `change` answers undefined. */
function* replaceSettings(
  tx: Tx,
  anchors: Namespace,
  change: (settings: GraphSettings) => GraphSettings | undefined,
): Program<void> {
  const before = yield* findById(tx, anchors, settingsId)
  const after = before === undefined ? undefined : change(readSettings(before))
  if (before === undefined || after === undefined) return
  const key = recordKey(anchors, settingsId)
  yield* replaceDocument(tx, anchors, key, before, settingsDocument(after))
  noteWaiting(tx, anchors)
}

function settingsDocument(settings: GraphSettings): Document {
  const { key, analyzer, k1, b, seq, requestedSeq } = settings
  return writeDocument((writer) => {
    writer.value('_id', settingsId).binary('key', keySubtype, key)
    writer.int32('analyzer', analyzer)
    if (k1 !== undefined) writer.double('k1', k1)
    if (b !== undefined) writer.double('b', b)
    writer.int64('seq', seq)
    if (requestedSeq !== undefined) writer.int64('requestedSeq', requestedSeq)
  })
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
  }
}
