// A damaged page of the tables and its keys. No read may touch a known damaged page: LMDB trusts
// the pages that it walks, and may return wrong data or end the process.

import { type Bytes, bufferOf, compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { KeyRange } from '../store.js'
import type { Damage } from '../tables/stored-pairs.js'

/** From `start` (inclusive) to `end` (exclusive), or to the last key if `end` is undefined. */
export interface Span {
  readonly start: Bytes
  readonly end: Bytes | undefined
}

/** Plain data, since it comes from other threads. */
export interface PageDamage {
  readonly page: number
  /** A sentence that names the page and the keys. */
  readonly text: string
  /**
   * Whether a walk of the pairs reaches the page; otherwise it lists free pages or is a first page.
   */
  readonly isInPairs: boolean
  /** Keys whose values cannot be read; undefined if the page holds no keys. */
  readonly keys?: Span
  /** The keys of this page and its neighbours: a scan through them touches the page. */
  readonly around?: Span
}

const shownKeyBytes = 32

export function damagedPage(page: number, what: string, keys?: Span, around?: Span): PageDamage {
  const where = keys === undefined ? '' : ` (${spanText(keys)})`
  const text = `page ${page} of data.mdb is damaged: ${what}${where}`
  return {
    page,
    text,
    isInPairs: keys !== undefined,
    ...(keys === undefined ? {} : { keys }),
    ...(around === undefined ? {} : { around }),
  }
}

/** Damage of one of the two first pages: then no key can be found. */
export function damagedFirstPage(page: number, what: string): PageDamage {
  const text = `page ${page} of data.mdb is damaged: ${what}`
  return { page, text, isInPairs: false, keys: { start: new Uint8Array(0), end: undefined } }
}

/** Describes it like a damaged pair, for reports. */
export function damageAt({ text, keys }: PageDamage): Damage {
  const start = keys?.start
  const id = start !== undefined && start.length >= 5 ? bufferOf(start).readUInt32BE(1) : 0
  return { kind: start?.[0] ?? 0, id, text }
}

/** The damaged pages of a store, checked before each read of its tables. */
export class DamagedPages {
  constructor(readonly damages: readonly PageDamage[]) {}

  /** Throws InternalError, naming the page, if the key may be on a damaged page. */
  requireKey(key: Bytes): void {
    for (const { keys, text } of this.damages) {
      if (keys !== undefined && isIn(keys, key)) throw fail('InternalError', text)
    }
  }

  /** Throws InternalError if a scan of the range may touch a damaged page. */
  requireRange({ start, end }: KeyRange): void {
    for (const { around, keys, text } of this.damages) {
      const span = around ?? keys
      if (span === undefined) continue
      const isBehind = span.end !== undefined && compareBytes(start, span.end) > 0
      if (!isBehind && compareBytes(end, span.start) >= 0) throw fail('InternalError', text)
    }
  }
}

function isIn({ start, end }: Span, key: Bytes): boolean {
  return compareBytes(key, start) >= 0 && (end === undefined || compareBytes(key, end) < 0)
}

function spanText({ start, end }: Span): string {
  const from = start.length === 0 ? 'from the first key' : `key ${shown(start)}`
  return end === undefined ? `${from} to the last key` : `${from} to key ${shown(end)}`
}

function shown(key: Bytes): string {
  const hex = bufferOf(key.subarray(0, shownKeyBytes)).toString('hex')
  return key.length > shownKeyBytes ? `${hex}…` : hex
}
