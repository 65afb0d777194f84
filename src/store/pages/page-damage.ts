// A damaged page of the tables and its keys. No read may come near a known one: LMDB trusts the
// pages that it walks, and may return wrong data or end the process.

import { type Bytes, bufferOf, compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { KeyRange } from '../store.js'
import type { Damage } from '../tables/stored-pairs.js'

/** From `start` on, and below `end`; to the last key where that is undefined. */
export interface Span {
  readonly start: Bytes
  readonly end: Bytes | undefined
}

/** Plain data: it comes from other threads. */
export interface PageDamage {
  readonly page: number
  /** A sentence that names the page and the keys. */
  readonly text: string
  /** Whether a walk of the pairs gets to it; else it lists free pages, or is a first page. */
  readonly isInPairs: boolean
  /** Keys whose values cannot be read; none where the page holds no keys. */
  readonly keys?: Span
  /** With the pages before and behind it: who goes through these gets to the page. */
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

/** One of the two first pages: no key can be found then. */
export function damagedFirstPage(page: number, what: string): PageDamage {
  const text = `page ${page} of data.mdb is damaged: ${what}`
  return { page, text, isInPairs: false, keys: { start: new Uint8Array(0), end: undefined } }
}

/** As of a damaged pair, for reports. */
export function damageAt({ text, keys }: PageDamage): Damage {
  const start = keys?.start
  const id = start !== undefined && start.length >= 5 ? bufferOf(start).readUInt32BE(1) : 0
  return { kind: start?.[0] ?? 0, id, text }
}

/** The damaged pages of a store, asked before each read of its tables. */
export class DamagedPages {
  constructor(readonly damages: readonly PageDamage[]) {}

  /** Throws InternalError, naming the page, where the key may lie under a damaged one. */
  requireKey(key: Bytes): void {
    for (const { keys, text } of this.damages) {
      if (keys !== undefined && isIn(keys, key)) throw fail('InternalError', text)
    }
  }

  /** Throws InternalError where going through the range may touch a damaged page. */
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
