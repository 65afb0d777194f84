// Walks a range for a check: some entries in each phase, each phase on one snapshot. If the store
// reports damage, phases shrink until the damaged record is isolated.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { GatewayError, hasKind } from '../../base/errors.js'
import type { Entry, KeyRange, Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { StepSize } from '../background/step-size.js'

/**
 * Checks entries in the state in which they were read. Undefined: the rest of the range is not the
 * caller's.
 */
export type Look<T> = (tx: ReadTx, entries: readonly Entry[]) => Program<T | undefined>

/** One state for all reads of a phase. */
export const oneState = { snapshot: true } as const

/** Returns a description if the range cannot be read to its end. */
export function* stepRange<T>(
  range: KeyRange,
  look: Look<T>,
  take: (found: T) => void,
): Sweep<string | undefined> {
  const size = new StepSize()
  let { start } = range
  for (;;) {
    const from = start
    const { limit } = size
    const step = function* (tx: ReadTx) {
      const entries = yield* tx.scan({ start: from, end: range.end }, limit)
      return { entries, found: yield* look(tx, entries) }
    }
    let done: { entries: Entry[]; found: T | undefined }
    try {
      done = yield* readPhase(step, oneState)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      if (size.halve()) continue
      return `cannot be read at or after ${hexOf(from)}: ${error.message}`
    }
    const { entries, found } = done
    if (found === undefined) return undefined
    take(found)
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return undefined
    start = behindKey(last.key)
    size.saw(entries.length, bytesOf(entries))
  }
}

/** Reads a whole range in one program, page by page. */
export function* pagesOf(
  tx: ReadTx,
  range: KeyRange,
  limit: number,
  see: (entries: readonly Entry[]) => Program<boolean>,
): Program<void> {
  let { start } = range
  for (;;) {
    const entries = yield* tx.scan({ start, end: range.end }, limit)
    if (!(yield* see(entries))) return
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return
    start = behindKey(last.key)
  }
}

/** Whether the error is that of a damaged record or of a damaged part of a large document. */
export function isUnreadable(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false
  return error.kind === 'ChecksumMismatch' || error.kind === 'InternalError'
}

export function isTooOld(error: unknown): boolean {
  return hasKind(error, 'SnapshotTooOld')
}

export function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function hexOf(key: Bytes): string {
  return Buffer.from(key).toString('hex')
}

function behindKey(key: Bytes): Bytes {
  return concatBytes(key, Uint8Array.of(0))
}
