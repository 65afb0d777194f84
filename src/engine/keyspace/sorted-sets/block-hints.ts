// Remembers where blocks of large sorted sets begin, so a block can be found by key without a scan.
// These are only hints: a block's record states where the next block begins, so its reader can
// verify the hint. So all programs may share hints, even from a program that failed.

import { LRUCache } from 'lru-cache'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { compareKeys } from '../../../store/memtable/ordered-map.js'
import type { MembersId } from '../../types.js'
import { type KeptAhead, KeptAheads } from './kept-aheads.js'

/** Remembered block starts of all large sorted sets; about 200 bytes each. */
const blockHintsMax = 32_768

/** Block starts in order. */
type Starts = Bytes[]

export class BlockHints {
  /** Members read ahead for the next pops. */
  readonly aheads = new KeptAheads()
  private readonly known: LRUCache<number, Starts>

  constructor(most = blockHintsMax) {
    this.known = new LRUCache({ maxSize: most, sizeCalculation: (starts) => starts.length })
  }

  /** The last known start at or before `place`. */
  find(id: MembersId, level: number, place: Bytes): Bytes | undefined {
    const starts = this.known.get(nameOf(id, level))
    return starts?.[firstBehind(starts, place) - 1]
  }

  add(id: MembersId, level: number, start: Bytes): void {
    const name = nameOf(id, level)
    const starts = this.known.get(name) ?? []
    const at = firstBehind(starts, start)
    const before = starts[at - 1]
    if (before !== undefined && compareKeys(before, start) === 0) return
    // Copied, since it would otherwise keep the page of a scan alive.
    starts.splice(at, 0, start.slice())
    this.known.delete(name)
    this.known.set(name, starts)
  }

  remove(id: MembersId, level: number, start: Bytes): void {
    const starts = this.known.get(nameOf(id, level))
    if (starts === undefined) return
    const at = firstBehind(starts, start) - 1
    const found = starts[at]
    if (found !== undefined && compareKeys(found, start) === 0) starts.splice(at, 1)
  }
}

interface Question {
  readonly id: MembersId
  readonly level: number
  readonly place: Bytes
  readonly answer: Bytes | undefined
}

/**
 * The hints used by one program. Every rerun gets the same answers; what it learns is shared when
 * it ends (`tell`).
 */
export class ProgramHints {
  private questions: Question[] | undefined
  private asked = 0
  private learned: (() => void)[] | undefined
  private recalled: Map<MembersId, KeptAhead | undefined> | undefined

  constructor(private readonly hints: BlockHints) {}

  /** Called when the program starts or restarts. */
  begin(): this {
    this.asked = 0
    return this
  }

  find(id: MembersId, level: number, place: Bytes): Bytes | undefined {
    this.questions ??= []
    const known = this.questions[this.asked]
    if (known !== undefined && isSame(known, id, level, place)) {
      this.asked++
      return known.answer
    }
    const answer = this.hints.find(id, level, place)
    this.questions[this.asked++] = { id, level, place, answer }
    return answer
  }

  add(id: MembersId, level: number, start: Bytes): void {
    this.later(() => this.hints.add(id, level, start))
  }

  remove(id: MembersId, level: number, start: Bytes): void {
    this.later(() => this.hints.remove(id, level, start))
  }

  /** What an earlier program kept; what this program keeps is for others. */
  recallAhead(id: MembersId): KeptAhead | undefined {
    this.recalled ??= new Map()
    const { recalled } = this
    if (recalled.has(id)) return recalled.get(id)
    const kept = this.hints.aheads.find(id)
    recalled.set(id, kept)
    return kept
  }

  /** It may be kept before the commit: until then, no other program can read its version. */
  keepAhead(id: MembersId, ahead: KeptAhead): void {
    this.hints.aheads.set(id, ahead)
  }

  tell(): void {
    for (const learn of this.learned ?? []) learn()
    this.learned = undefined
  }

  private later(learn: () => void): void {
    if (this.learned === undefined) this.learned = [learn]
    else this.learned.push(learn)
  }
}

function isSame(known: Question, id: MembersId, level: number, place: Bytes): boolean {
  return known.id === id && known.level === level && compareKeys(known.place, place) === 0
}

/** Levels are few, and ids far below 2^48. */
function nameOf(id: MembersId, level: number): number {
  return id * 32 + level
}

/** The number of starts at or before `place`. */
export function firstBehind(starts: Starts, place: Bytes): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(starts[middle] as Bytes, place) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
