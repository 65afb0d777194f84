// What a graph remembers of itself: its secret-free part of its key on the chain, how texts are
// analysed and ranked, and the number of its last change, by which readers know that nothing has
// changed. One small document among the anchors.

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
  return settings
}

/** Notes a change of the graph, and what of the settings has changed. */
export function* noteChange(
  tx: Tx,
  anchors: Namespace,
  changed: Partial<Pick<GraphSettings, 'k1' | 'b'>> = {},
): Program<void> {
  const before = yield* findById(tx, anchors, settingsId)
  if (before === undefined) return
  const settings = readSettings(before)
  const after = settingsDocument({ ...settings, ...changed, seq: settings.seq + 1 })
  yield* replaceDocument(tx, anchors, recordKey(anchors, settingsId), before, after)
}

function settingsDocument({ key, analyzer, k1, b, seq }: GraphSettings): Document {
  return writeDocument((writer) => {
    writer.value('_id', settingsId).binary('key', keySubtype, key)
    writer.int32('analyzer', analyzer)
    if (k1 !== undefined) writer.double('k1', k1)
    if (b !== undefined) writer.double('b', b)
    writer.int64('seq', seq)
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
  }
}
