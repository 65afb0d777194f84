// Where the blocks of large sorted sets begin, as far as earlier reads saw it: a block that is
// looked for is then found by its key, without a scan. These are hints and no more: a block says in
// its record where the next one begins, so its reader sees whether the hint was right. That
// is why they may be shared by all programs, and may come from one that has left no trace.

import { LRUCache } from 'lru-cache'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { compareKeys } from '../../../store/memtable/ordered-map.js'
import type { MembersId } from '../../types.js'

/** Blocks of all large sorted sets whose beginning is remembered: some 200 bytes each. */
const blockHintsMax = 32_768

/** Beginnings of blocks in order. */
type Starts = Bytes[]

export class BlockHints {
  private readonly known: LRUCache<number, Starts>

  constructor(most = blockHintsMax) {
    this.known = new LRUCache({ maxSize: most, sizeCalculation: (starts) => starts.length })
  }

  /** The last beginning known that is not behind `place`. */
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
    // In memory of its own: it would keep the page of a scan alive.
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
 * What one program asks of the hints: every run of it that asks alike is answered alike, and what
 * it learns, others hear when it is over (`tell`).
 */
export class ProgramHints {
  private questions: Question[] | undefined
  private asked = 0
  private learned: (() => void)[] | undefined

  constructor(private readonly hints: BlockHints) {}

  /** The program begins, perhaps again. */
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

/** So many of them are not behind `place`. */
function firstBehind(starts: Starts, place: Bytes): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(starts[middle] as Bytes, place) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
