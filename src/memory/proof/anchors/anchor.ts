// The record of one batch and its state on the chain. Its hashes are in a separate document, so
// that lists of anchors stay cheap and do not contain them.

import { elementsOf, field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { ProofVersion } from '../../graph/graph-key.js'
import { leafVersion } from '../leaves/leaf.js'

/** Not sent; sent but not confirmed; confirmed; failed for now. */
type AnchorStatus = 'pending' | 'submitted' | 'confirmed' | 'failed'

/** The content of an anchor: leaves by subject, in the order of their creation. */
export interface Batch {
  readonly ids: readonly string[]
  /** Hashes of leaves; in version 1 those of the memories. */
  readonly hashes: readonly string[]
  /** Number of each leaf among those of its subject; undefined in version 1: all are memories. */
  readonly ns?: readonly number[] | undefined
}

export interface Anchor {
  /** `anc_` and a ULID. */
  readonly id: string
  /** Version of its leaves, and of the graph key that it is anchored under. */
  readonly version: ProofVersion
  /** Number in the key's chain of anchors, from 1, as in the contract. */
  readonly seq: number
  /** Root of the previous anchor. */
  readonly prev: string | null
  readonly root: string
  /** Number of leaves in the batch. */
  readonly count: number
  readonly status: AnchorStatus
  /** Its memories refer to it; it is not sent before. */
  readonly isMarked: boolean
  /** Failed attempts since the last success. */
  readonly attempts: number
  readonly error: string | null
  readonly createdAt: number
  readonly chainId: number | null
  readonly contract: string | null
  /** Hash of the transaction, its block, that block's time (milliseconds), and the sender. */
  readonly tx: string | null
  readonly block: number | null
  readonly anchoredAt: number | null
  readonly anchoredBy: string | null
}

/** Whether no known transaction contains it. */
export function isUnsent(anchor: Anchor | undefined): boolean {
  return anchor?.status === 'pending' || anchor?.status === 'failed'
}

/** Prefix of the ids of an anchor and of its batch, before the ULID. */
export const anchorPrefix = 'anc_'
const batchPrefix = 'batch_'

/** Id of the document with an anchor's hashes. */
export function batchId(anchorId: string): string {
  return batchPrefix + anchorId.slice(anchorPrefix.length)
}

export function anchorDocument(anchor: Anchor): Document {
  const { id, seq, prev, root, count, status, isMarked, attempts, error, createdAt } = anchor
  const { chainId, contract, tx, block, anchoredAt, anchoredBy } = anchor
  return writeDocument((writer) => {
    const text = (name: string, value: string | null): void => {
      if (value === null) writer.null(name)
      else writer.string(name, value)
    }
    const number = (name: string, value: number | null): void => {
      if (value === null) writer.null(name)
      else writer.int64(name, value)
    }
    writer.string('_id', id)
    if (anchor.version !== 1) writer.int32('v', anchor.version)
    writer.int32('seq', seq)
    text('prev', prev)
    writer.string('root', root).int32('count', count).string('status', status)
    writer.bool('isMarked', isMarked).int32('attempts', attempts)
    text('error', error)
    writer.int64('createdAt', createdAt)
    number('chainId', chainId)
    text('contract', contract)
    text('tx', tx)
    number('block', block)
    number('anchoredAt', anchoredAt)
    text('anchoredBy', anchoredBy)
  })
}

/** Stored data of any writer: verify must report errors in it, not fail. */
export function readAnchor(document: Document): Anchor {
  const text = (name: string): string | null => {
    const value = field(document, name)
    return value?.type === bsonType.string ? stringOf(value) : null
  }
  const number = (name: string): number | null => {
    const value = field(document, name)
    return value?.isNumber === true ? numberOf(value) : null
  }
  const status = text('status')
  const isMarked = field(document, 'isMarked')
  return {
    id: text('_id') ?? '',
    version: number('v') === leafVersion ? leafVersion : 1,
    seq: number('seq') ?? 0,
    prev: text('prev'),
    root: text('root') ?? '',
    count: number('count') ?? 0,
    status: isStatus(status) ? status : 'failed',
    isMarked: isMarked?.type === bsonType.bool && boolOf(isMarked),
    attempts: number('attempts') ?? 0,
    error: text('error'),
    createdAt: number('createdAt') ?? 0,
    chainId: number('chainId'),
    contract: text('contract'),
    tx: text('tx'),
    block: number('block'),
    anchoredAt: number('anchoredAt'),
    anchoredBy: text('anchoredBy'),
  }
}

export function batchDocument(anchorId: string, { ids, hashes, ns }: Batch): Document {
  return writeDocument((writer) => {
    writer.string('_id', batchId(anchorId)).openArray('ids')
    for (const [i, id] of ids.entries()) writer.string(String(i), id)
    writer.close().openArray('hashes')
    for (const [i, hash] of hashes.entries()) writer.string(String(i), hash)
    writer.close()
    if (ns === undefined) return
    writer.openArray('ns')
    for (const [i, n] of ns.entries()) writer.int32(String(i), n)
    writer.close()
  })
}

export function readBatch(document: Document): Batch {
  const ids = textsIn(document, 'ids')
  const hashes = textsIn(document, 'hashes')
  const ns = field(document, 'ns')
  return ns === undefined ? { ids, hashes } : { ids, hashes, ns: numbersIn(ns) }
}

function numbersIn(list: Value): number[] {
  if (list.type !== bsonType.array) return []
  return elementsOf(list).map((number) => (number.isNumber ? numberOf(number) : Number.NaN))
}

function textsIn(document: Document, name: string): string[] {
  const list = field(document, name)
  if (list?.type !== bsonType.array) return []
  return elementsOf(list).map((text) => (text.type === bsonType.string ? stringOf(text) : ''))
}

const statuses: readonly string[] = ['pending', 'submitted', 'confirmed', 'failed']

function isStatus(text: string | null): text is AnchorStatus {
  return text !== null && statuses.includes(text)
}
