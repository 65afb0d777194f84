// The two ends of a copy between kinds of stores. Both tell all pairs in key order, with their
// versions, in pages that begin behind the same key: so they are compared page by page.

import type { Bytes } from '../../base/bytes/bytes.js'
import { isVersioned } from '../layout.js'
import type { Entry } from '../store.js'
import { frameBytes, frameVersion, openFrame, writeFrame } from '../tables/record-frame.js'

export interface Pair extends Entry {
  /** 0 for the classes without versions. */
  readonly version: number
}

/** Pairs that are read at once: a value has at most 256 KiB. */
export const pairsAtOnce = 256
/** A target keeps what it was given in parts of this size, bytes. */
export const partBytes = 8 * 1_048_576

export interface CopySource {
  /** About how many there are; 0 if that is not known. */
  readonly pairs: number
  /** No pair has a higher version. */
  readonly highest: number
  /** At most `pairsAtOnce` pairs in key order, those after a key; an empty page is the end. */
  page(after: Bytes): Promise<readonly Pair[]>
  close(): Promise<void>
}

export interface CopyTarget {
  /** The last key that an interrupted copy of the same source has stored. */
  readonly last: Bytes | undefined
  page: CopySource['page']
  /** Stores further pairs, all or none of them. */
  put(pairs: readonly Pair[]): Promise<void>
  /** Makes the copy a store. */
  finish(highest: number): Promise<void>
  /** An unfinished copy stays for the next run. */
  close(): Promise<void>
}

export function bytesOf({ key, value }: Entry): number {
  return key.length + value.length
}

/** The value as it lies in the tables of a folder, and in a backup. */
export function framed({ key, value, version }: Pair): Bytes {
  if (!isVersioned(key)) return value
  const bytes = new Uint8Array(frameBytes + value.length)
  writeFrame(bytes, value, version)
  return bytes
}

/** From such a value. Throws InternalError if its checksum differs. */
export function unframed({ key, value }: Entry): Pair {
  if (!isVersioned(key)) return { key, value, version: 0 }
  return { key, value: openFrame(key, value), version: frameVersion(value) }
}
