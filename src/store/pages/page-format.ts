// The page format of the tables' file (mdb.c, data version 2): header, node and meta offsets. LMDB
// trusts pages in its memory map. These functions read the same bytes with every offset checked, to
// find a damaged page before LMDB walks it.

import { type Bytes, readUint32 } from '../../base/bytes/bytes.js'

/** Page size of the tables' file. It is stored in the file, so it can never change. */
export const pageBytes = 4_096
/** MDB_page_header; offsets inside a page count from its end. */
const headerBytes = 24
/** MDB_node without key and data. */
const nodeHeaderBytes = 8
/** MDB_ovpage: page, transaction, pages. */
const overflowRefBytes = 24
const branchFlag = 0x01
const leafFlag = 0x02
const overflowFlag = 0x04
const metaFlag = 0x08
/** 8 TiB: a file that names more pages is damaged, and nothing could map it. */
const lastPageMax = 2 ** 31
/** F_BIGDATA of a node: its value lies in overflow pages. */
const bigFlag = 0x01
const magic = 0xbeefc0de
const dataVersion = 2
/** P_INVALID in 48 bits: an empty tree has no root. */
const noPage = 2 ** 48 - 1
const depthMax = 32

/** A tree of the file: the free pages, or the pairs. */
export interface Tree {
  /** Undefined while it is empty. */
  readonly root: number | undefined
  readonly depth: number
  readonly entries: number
}

/** The content of one of the two meta pages: the state that a transaction committed. */
export interface Meta {
  readonly transaction: number
  readonly free: Tree
  readonly pairs: Tree
  readonly lastPage: number
}

/** The location of a value that is too large for its leaf. */
export interface OverflowRef {
  readonly page: number
  readonly transaction: number
  readonly pages: number
}

/** Whether this is a meta page that Sigil made, by the same tests that LMDB applies. */
export function isMeta(page: Bytes): boolean {
  const at = headerBytes
  return (
    (readUint16(page, 18) & metaFlag) !== 0 &&
    readUint32(page, at) === magic &&
    (readUint32(page, at + 4) & 0xffff) === dataVersion &&
    readUint32(page, at + 24) === pageBytes
  )
}

/** The transaction whose state a meta page describes. */
export function metaTransaction(page: Bytes): number {
  return readUint48(page, headerBytes + 128)
}

/** Where 64-bit numbers begin of which 48 bits are read: counts, roots, last page, transaction. */
const numbers = [48, 56, 64, 96, 104, 112, 120, 128]

/** Whether it is below 2^48, or all ones: no page. */
function isUint48(page: Bytes, at: number): boolean {
  const high = readUint16(page, at + 6)
  return high === 0 || (high === 0xffff && readUint48(page, at) === noPage)
}

/** Undefined if the meta page does not describe a valid state. */
export function readMeta(page: Bytes): Meta | undefined {
  const at = headerBytes
  if (!numbers.every((number) => isUint48(page, at + number))) return undefined
  const lastPage = readUint48(page, at + 120)
  const free = readTree(page, at + 24, lastPage)
  const pairs = readTree(page, at + 72, lastPage)
  const transaction = metaTransaction(page)
  if (free === undefined || pairs === undefined || lastPage > lastPageMax) return undefined
  return { transaction, free, pairs, lastPage }
}

function readTree(page: Bytes, at: number, lastPage: number): Tree | undefined {
  const depth = readUint16(page, at + 6)
  const entries = readUint48(page, at + 32)
  const root = readUint48(page, at + 40)
  if (root === noPage) return depth === 0 ? { root: undefined, depth, entries } : undefined
  if (root < 2 || root > lastPage || depth < 1 || depth > depthMax) return undefined
  return { root, depth, entries }
}

/** The bytes of a meta page that a commit writes, in one write. */
export function metaState(page: Bytes): Bytes {
  return page.subarray(headerBytes + 16, headerBytes + 144)
}

/** The transaction that wrote the page. */
export function pageTransaction(page: Bytes): number {
  return readUint48(page, 8)
}

/** Whether the page is a valid page of a tree under that number, with all nodes inside it. */
export function isSoundNodes(page: Bytes, number: number, wantsLeaf: boolean): boolean {
  const flags = readUint16(page, 18)
  const lower = readUint16(page, 20)
  const upper = readUint16(page, 22)
  if (readUint48(page, 0) !== number || flags !== (wantsLeaf ? leafFlag : branchFlag)) return false
  if (lower > upper || upper > pageBytes - headerBytes || lower % 2 !== 0) return false
  for (let index = 0; index < nodeCount(page); index++) {
    const at = nodeAt(page, index)
    if (at < headerBytes + upper || at + nodeHeaderBytes > pageBytes) return false
    const data = wantsLeaf ? dataBytes(page, at) : 0
    if (keyAt(at) + keyBytes(page, at) + data > pageBytes) return false
  }
  return true
}

export function isSoundOverflow(page: Bytes, { page: number, pages }: OverflowRef): boolean {
  const isOverflow = (readUint16(page, 18) & overflowFlag) !== 0
  return isOverflow && readUint48(page, 0) === number && readUint32(page, 20) === pages
}

export function nodeCount(page: Bytes): number {
  return readUint16(page, 20) >>> 1
}

/** The child page of a branch page. */
export function childOf(page: Bytes, index: number): number {
  const at = nodeAt(page, index)
  return readUint32(page, at) + readUint16(page, at + 4) * 2 ** 32
}

/** A view on the page. The first key of a branch page is empty and means "below all others". */
export function keyOf(page: Bytes, index: number): Bytes {
  const at = nodeAt(page, index)
  return page.subarray(keyAt(at), keyAt(at) + keyBytes(page, at))
}

/** Whether any value of the leaf at `start` is in overflow pages. */
export function hasOverflow(bytes: Bytes, start: number): boolean {
  const first = start + headerBytes
  const end = first + readUint16(bytes, start + 20)
  for (let at = first; at < end; at += 2) {
    const node = first + readUint16(bytes, at)
    if (((bytes[node + 4] as number) & bigFlag) !== 0) return true
  }
  return false
}

/** For a leaf: the location of the value, if it is in overflow pages. */
export function overflowOf(page: Bytes, index: number): OverflowRef | undefined {
  const at = nodeAt(page, index)
  if ((readUint16(page, at + 4) & bigFlag) === 0) return undefined
  const from = keyAt(at) + keyBytes(page, at)
  return {
    page: readUint48(page, from),
    transaction: readUint48(page, from + 8),
    pages: readUint48(page, from + 16),
  }
}

/** For a leaf: the length of the value. */
export function valueBytes(page: Bytes, index: number): number {
  return readUint32(page, nodeAt(page, index))
}

/** For a leaf: a view of the value, if it is not in overflow pages. */
export function inlineValue(page: Bytes, index: number): Bytes {
  const at = nodeAt(page, index)
  const from = keyAt(at) + keyBytes(page, at)
  return page.subarray(from, from + readUint32(page, at))
}

/** Offset of the value in its first overflow page. */
export const overflowValueAt = headerBytes

function nodeAt(page: Bytes, index: number): number {
  return headerBytes + readUint16(page, headerBytes + 2 * index)
}

function keyAt(nodeAt: number): number {
  return nodeAt + nodeHeaderBytes
}

function keyBytes(page: Bytes, nodeAt: number): number {
  return readUint16(page, nodeAt + 6)
}

function dataBytes(page: Bytes, nodeAt: number): number {
  const isBig = (readUint16(page, nodeAt + 4) & bigFlag) !== 0
  return isBig ? overflowRefBytes : readUint32(page, nodeAt)
}

function readUint16(page: Bytes, at: number): number {
  return (page[at] as number) | ((page[at + 1] as number) << 8)
}

/** Page and transaction numbers are u64 in the file, and always far below 2^48. */
function readUint48(page: Bytes, at: number): number {
  return readUint32(page, at) + readUint16(page, at + 4) * 2 ** 32
}
