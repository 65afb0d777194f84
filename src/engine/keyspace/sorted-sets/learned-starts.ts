// Starts of blocks that a command of many members has read ahead, so that it finds the block of
// each member without a search. Unlike shared hints (block-hints.ts), they are of its own state.

import { type Bytes, compareBytes } from '../../../base/bytes/bytes.js'
import { firstBehind } from './block-hints.js'

interface Level {
  /** In order. */
  readonly starts: Bytes[]
  /** Later places are not known; undefined if all are. */
  readonly end: Bytes | undefined
}

export class LearnedStarts {
  private readonly levels: (Level | undefined)[] = []

  learn(level: number, starts: Bytes[], end: Bytes | undefined): void {
    this.levels[level] = { starts, end }
  }

  /** The last start at or before a place; undefined if it is not known. */
  find(level: number, place: Bytes): Bytes | undefined {
    const known = this.levels[level]
    if (known === undefined) return undefined
    const { starts, end } = known
    if (end !== undefined && compareBytes(place, end) >= 0) return undefined
    return starts[firstBehind(starts, place) - 1]
  }

  /** A block begins there now. */
  add(level: number, start: Bytes): void {
    const starts = this.levels[level]?.starts
    if (starts === undefined) return
    const at = firstBehind(starts, start)
    const before = starts[at - 1]
    if (before === undefined || compareBytes(before, start) !== 0) starts.splice(at, 0, start)
  }

  /** No block begins there any more. */
  remove(level: number, start: Bytes): void {
    const starts = this.levels[level]?.starts ?? []
    const at = firstBehind(starts, start) - 1
    const found = starts[at]
    if (found !== undefined && compareBytes(found, start) === 0) starts.splice(at, 1)
  }
}
