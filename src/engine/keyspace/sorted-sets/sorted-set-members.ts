// The members of a large sorted set: part 0 has their scores, part 1 their places, and further
// parts count the places (sorted-set-ranks.ts). The place of a member above a thousand bytes
// contains a hash. Such members with a common prefix and score are ordered by the hash (Deviation).
// Requests by score or rank use the order of places.

import { type Bytes, compareBytes } from '../../../base/bytes/bytes.js'
import { emptySlice, type Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { memberKeyBytesMax, rankBlockMembersMax } from '../../../base/limits/key-value.js'
import { work } from '../../../base/work/work-budget.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { Done } from '../../../store/steps.js'
import type { InPlace, KeyRange, Program, Step } from '../../../store/store.js'
import { eachInTurns, mapInTurns } from '../containers/in-turns.js'
import { type Members, type MembersPage, suffixAt, suffixOf } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'
import { type Changes, changesAhead } from './changes-ahead.js'
import { beginning, behind, placesPart } from './rank-blocks.js'
import { placeIn, placeKeyOf, putScored, scoredBytes, scoresPart } from './scored-records.js'
import {
  copyScore,
  hasSameScore,
  scoreAfter,
  scoreBefore,
  scratch,
  scratchPlace,
  writeBytes,
} from './scratch-place.js'
import { Ahead, type Inner, type Taken } from './sorted-set-ahead.js'
import type { Edges } from './sorted-set-edges.js'
import {
  placeOf,
  readScore,
  type ScoredMember,
  scoreBytes,
  scoredOf,
  scorePlace,
  writeScore,
} from './sorted-set-place.js'
import { oneLess, Ranks } from './sorted-set-ranks.js'
import { lexReach, type Reach, scoreReach } from './sorted-set-reach.js'
import { isAbove, isBelow, isEmptySpan, type Judge, type Span, walker } from './sorted-set-span.js'

/** Removed members that are subtracted from the counts one by one; more are recounted by block. */
const recountedMax = 4

const same = new Done('same' as const)
const added = new Done('new' as const)
const changed = new Done('changed' as const)

export class ScoredMembers {
  private readonly ranks: Ranks
  readonly ahead = new Ahead()
  private taken: Taken | undefined
  /** While many members change: edges are searched at the end, in a head of so many bytes. */
  private lost: { room: number | undefined } | undefined

  constructor(
    private readonly ks: Keyspace,
    private readonly members: Members,
    public count: number,
    levels: number,
    private readonly known: Edges,
  ) {
    // It may begin at an old edge: no member is before that either.
    this.ranks = new Ranks(ks, members, levels, undefined, known)
  }

  /** The current edges, after applying what takeNow deferred. */
  get edges(): Edges {
    const { known, taken } = this
    if (taken === undefined) return known
    this.taken = undefined
    const { next, reverse, room } = taken
    const place = this.placeKey(next.score, next.member)
    if (reverse) known.finish(place)
    else known.begin(place)
    known.fit(room)
    return known
  }

  get levels(): number {
    return this.ranks.levels
  }

  /** Writes changed blocks: before other reads, and when the program ends. */
  settle(): void {
    this.ranks.settle()
  }

  /** For a loop that gets the scores of these members. */
  scoresAhead(count: number, memberAt: (index: number) => Slice): ReadAhead | undefined {
    return this.members.ahead(scoresPart, count, memberAt)
  }

  /** For a loop that changes or removes these members; it ends with `endChanges`. */
  changesAhead(changes: Changes): ReadAhead | undefined {
    this.lost = { room: undefined }
    return changesAhead(this.members, this.ranks, changes)
  }

  /** Searches the edges that changed members have left, once for all of them. */
  *endChanges(): Program<void> {
    const { lost } = this
    if (lost === undefined) return
    this.lost = undefined
    yield* this.findEdges(beginning, beginning)
    if (lost.room !== undefined) this.edges.fit(lost.room)
  }

  *score(member: Slice): Program<number | undefined> {
    const found = yield* this.members.get(scoresPart, member)
    return found === undefined ? undefined : readScore(found.payload.bytes, found.payload.start)
  }

  /**
   * Sets a member's score if its records are in memory; the step is done unless a block must be
   * split. Otherwise returns undefined without a change.
   */
  setNow(member: Slice, score: number): Step<'new' | 'changed' | 'same'> | undefined {
    const { members, ranks } = this
    const { length } = member
    const { inPlace } = members
    if (inPlace === undefined || ranks.levels > 1) return undefined
    this.ahead.forget()
    if (scoreBytes + length >= memberKeyBytesMax) return undefined
    const { bytes, keyAt, valueAt } = inPlace.begin(suffixAt + length, 1 + scoreBytes)
    members.writeKey(bytes, keyAt, scoresPart, 0, member)
    const isKnown = inPlace.peekUnder(copyScore) === true
    writeScore(scoreAfter, score)
    if (isKnown) {
      if (hasSameScore()) return same
      const end = scratchPlace(scoreBefore, member)
      // The member is at an edge, so a new edge must be searched.
      if (this.edges.hasAt(scratch, end)) return undefined
      if (ranks.levels === 1 && !ranks.recountNow(scratch, end, oneLess)) return undefined
    } else {
      this.count++
      members.grow(scoredBytes(member))
    }
    bytes[valueAt] = 0
    writeBytes(bytes, valueAt + 1, scoreAfter)
    inPlace.keep()
    if (isKnown) {
      this.writePlace(inPlace, scoreBefore, member)
      inPlace.drop()
    }
    this.writePlace(inPlace, scoreAfter, member)
    inPlace.keep()
    members.changed()
    const end = scratchPlace(scoreAfter, member)
    this.edges.added(scratch, end)
    if (ranks.recountNow(scratch, end, ranks.oneMore)) return isKnown ? changed : added
    return this.counted(scratch.slice(0, end), isKnown ? 'changed' : 'new')
  }

  /** Writes the place of a short member, replacing any value. */
  private writePlace(inPlace: InPlace, score: Bytes, member: Slice): void {
    const { members } = this
    const { length } = member
    const { bytes, keyAt, valueAt } = inPlace.begin(suffixAt + scoreBytes + length, 1)
    members.writeKey(bytes, keyAt, placesPart, scoreBytes, member)
    writeBytes(bytes, keyAt + suffixAt, score)
    bytes[valueAt] = 0
    inPlace.seek()
  }

  private *counted<T>(place: Bytes, answer: T): Program<T> {
    yield* this.ranks.added(place, this.count)
    return answer
  }

  /** `before` is the result of `score`. */
  *set(member: Slice, score: number, before: number | undefined): Program<void> {
    this.ahead.forget()
    if (before === undefined) {
      this.count++
      this.members.grow(scoredBytes(member))
    } else {
      const gone = this.removePlace(member, before)
      yield* this.uncount(gone)
      if (this.lost !== undefined) this.edges.lose(gone)
      else if (this.edges.hasAt(gone, gone.length)) yield* this.findEdges(gone, gone)
    }
    const { ranks } = this
    const place = putScored(this.members, member, score)
    this.edges.added(place, place.length)
    if (!ranks.recountNow(place, place.length, ranks.oneMore)) yield* ranks.added(place, this.count)
  }

  /** `score` is its current score. */
  *remove(member: Slice, score: number): Program<void> {
    this.ahead.forget()
    const { lost } = this
    const room = (lost?.room ?? this.edges.bytes) + scoredBytes(member)
    const place = yield* this.removeOne(member, score)
    if (lost !== undefined) {
      lost.room = room
      this.edges.lose(place)
      return
    }
    yield* this.findEdges(place, place)
    this.edges.fit(room)
  }

  /** Removes adjacent members, given in order from either end. */
  *removeRun(entries: readonly ScoredMember[]): Program<void> {
    this.ahead.forget()
    yield* this.removeAll(entries)
  }

  /**
   * Removes `limit` members at an end, nearest first; not all members. It reads more for the `left`
   * commands that follow in the program.
   */
  *takeEnd(limit: number, reverse: boolean, left: number): Program<readonly ScoredMember[]> {
    const { ahead } = this
    if (!ahead.has(limit, reverse)) {
      const { work } = this.ks
      const most = ahead.wanted(limit, left, reverse, (members) => work.roomAhead(members))
      const wanted = Math.min(most, this.count)
      ahead.fill(yield* this.byRank(reverse ? this.count - 1 : 0, wanted, reverse), reverse)
    }
    const found: ScoredMember[] = []
    while (found.length < limit) {
      const one = this.takeNow(reverse)
      if (one === undefined) break
      found.push(one)
    }
    work.note(2 * found.length * entryUnits)
    const rest = ahead.takeAll(limit - found.length)
    if (rest.length > 0) yield* this.removeAll(rest, { next: ahead.first, reverse })
    return found.length === 0 ? rest : found.concat(rest)
  }

  /**
   * Removes the member at an end if it was read ahead, its records are in memory and its block
   * stays. Otherwise returns undefined without a change.
   */
  takeNow(reverse: boolean): ScoredMember | undefined {
    const { members, ranks, ahead } = this
    const { inPlace } = members
    const { first } = ahead
    if (inPlace === undefined || first === undefined || !ahead.has(1, reverse)) return undefined
    const { member, score } = first
    const { length } = member
    if (ranks.levels > 1 || scoreBytes + length >= memberKeyBytesMax) return undefined
    writeScore(scoreBefore, score)
    const end = scratchPlace(scoreBefore, member)
    if (ranks.levels === 1 && !ranks.recountNow(scratch, end, oneLess)) return undefined
    const { bytes, keyAt } = inPlace.begin(suffixAt + length, 1)
    members.writeKey(bytes, keyAt, scoresPart, 0, member)
    inPlace.seek()
    inPlace.drop()
    this.writePlace(inPlace, scoreBefore, member)
    inPlace.drop()
    members.changed()
    const freed = scoredBytes(member)
    members.grow(-freed)
    this.count--
    ahead.take()
    const room = (this.taken?.room ?? this.known.bytes) + freed
    this.taken = { next: ahead.first as ScoredMember, reverse, room }
    return first
  }

  /** `inner` is the next member towards the middle. */
  private *removeAll(entries: readonly ScoredMember[], inner?: Inner): Program<void> {
    if (entries.length > recountedMax) {
      yield* this.removeMany(entries, inner)
      return
    }
    let first: Bytes | undefined
    let last: Bytes | undefined
    let room = this.edges.bytes
    for (const { member, score } of entries) {
      last = yield* this.removeOne(member, score)
      first ??= last
      room += scoredBytes(member)
    }
    if (first !== undefined && last !== undefined) yield* this.findEdges(first, last, inner)
    this.edges.fit(room)
  }

  /** The scan comes first: it sorts the program's own changes, which are few then. */
  private *removeMany(entries: readonly ScoredMember[], inner?: Inner): Program<void> {
    const { ks, edges, ranks } = this
    let room = edges.bytes
    const places = yield* mapInTurns(ks.tx, entries, ({ member, score }) => {
      room += scoredBytes(member)
      return this.placeKey(score, member)
    })
    const [first, last] = [places[0] as Bytes, places.at(-1) as Bytes]
    yield* ranks.removedRun(compareBytes(first, last) > 0 ? places.reverse() : places)
    const areKnown = edges.lowest !== undefined && edges.highest !== undefined
    if (areKnown) yield* this.findEdges(first, last, inner)
    yield* eachInTurns(ks.tx, entries, ({ member, score }) => {
      this.takePlace(member, score)
    })
    if (!areKnown) yield* this.findEdges(first, last, inner)
    edges.fit(room)
  }

  /** Returns its place. */
  private *removeOne(member: Slice, score: number): Program<Bytes> {
    const place = this.takePlace(member, score)
    yield* this.uncount(place)
    return place
  }

  /** Removes its records, but not its count in the blocks. Returns the key suffix of its place. */
  private takePlace(member: Slice, score: number): Bytes {
    const { members } = this
    members.remove(scoresPart, { member, payload: emptySlice, chunks: undefined })
    members.grow(-scoredBytes(member))
    this.count--
    return this.removePlace(member, score)
  }

  /** Updates the edges after the members between two places, in either order, were removed. */
  private *findEdges(a: Bytes, b: Bytes, inner?: Inner): Program<void> {
    const { edges, members, count } = this
    const [from, to] = compareBytes(a, b) <= 0 ? [a, b] : [b, a]
    if (count === 0) return
    const all = members.range(placesPart)
    if (edges.areFirst(from, to)) {
      const start = edges.lowest === undefined ? all.start : behind(members.raw(placesPart, to))
      edges.begin(undefined)
      const known = inner?.reverse === false ? inner.next : undefined
      edges.begin(yield* this.placeOfFirst({ start, end: all.end }, known))
    }
    if (edges.areLast(from, to)) {
      const end = edges.highest === undefined ? all.end : members.raw(placesPart, from)
      edges.finish(undefined)
      const known = inner?.reverse === true ? inner.next : undefined
      edges.finish(yield* this.placeOfFirst({ start: all.start, end, reverse: true }, known))
    }
  }

  private *placeOfFirst(
    range: KeyRange,
    known: ScoredMember | undefined,
  ): Program<Bytes | undefined> {
    const [first] = known === undefined ? yield* this.collect(range, 0, 1) : [known]
    return first === undefined ? undefined : this.placeKey(first.score, first.member)
  }

  /** The number of members before this one, which has that score. */
  rank(member: Slice, score: number): Program<number> {
    return this.ranks.before(this.placeKey(score, member))
  }

  /** `limit` members from a rank on, or downwards if `reverse`. */
  *byRank(rank: number, limit: number, reverse: boolean): Program<ScoredMember[]> {
    if (limit <= 0) return []
    const { members, count } = this
    const { start, end } = members.range(placesPart)
    if (!reverse) {
      if (rank < rankBlockMembersMax) return yield* this.collect({ start, end }, rank, limit)
      const found = yield* this.ranks.find(rank)
      const from = members.raw(placesPart, found.start)
      return yield* this.collect({ start: from, end }, found.skip, limit)
    }
    const behindIt = count - 1 - rank
    if (behindIt < scanEntriesMax) {
      return yield* this.collect({ start, end, reverse }, behindIt, limit)
    }
    const [first] = yield* this.byRank(rank, 1, false)
    if (first === undefined) return []
    const last = members.keyOf(placesPart, placeOf(first.score, first.member))
    return yield* this.collect({ start, end: behind(last), reverse }, 0, limit)
  }

  /** `limit` members of a span after the first `offset`, in the given direction. */
  *inSpan(span: Span, offset: number, limit: number, reverse: boolean): Program<ScoredMember[]> {
    const reach = yield* this.reach(span)
    if (reach === undefined || limit <= 0) return []
    const { start, end, filter } = reach
    const range = { start, end, reverse }
    if (filter !== undefined) return yield* this.collect(range, 0, limit, filter(reverse, offset))
    if (offset < scanEntriesMax) return yield* this.collect(range, offset, limit)
    const from = yield* this.ranks.before(suffixOf(start))
    const to = yield* this.ranks.before(suffixOf(end))
    const left = Math.min(limit, to - from - offset)
    return yield* this.byRank(reverse ? to - 1 - offset : from + offset, left, reverse)
  }

  /**
   * Ranks of a span, from its first member to after its last; undefined if not simple to compute.
   */
  *interval(span: Span): Program<{ from: number; to: number } | undefined> {
    const reach = yield* this.reach(span)
    if (reach === undefined) return { from: 0, to: 0 }
    if (reach.filter !== undefined) return undefined
    const from = yield* this.ranks.before(suffixOf(reach.start))
    return { from, to: yield* this.ranks.before(suffixOf(reach.end)) }
  }

  /** Members in byte order, after `after`. */
  *page(after: Slice | undefined, limit: number): Program<MembersPage<ScoredMember>> {
    const { members } = this
    const page = yield* members.page(members.range(scoresPart, after), limit)
    const scored = page.members.map(({ member, payload }) => {
      return { member, score: scoredOf(payload).score }
    })
    return { ...page, members: scored }
  }

  /** Returns the suffix of its key. */
  private removePlace(member: Slice, score: number): Bytes {
    const { members } = this
    const place = placeOf(score, member)
    const key = members.keyOf(placesPart, place)
    members.removeRaw(key)
    return placeIn(key, place)
  }

  private *uncount(place: Bytes): Program<void> {
    const { ranks } = this
    if (!ranks.recountNow(place, place.length, oneLess)) yield* ranks.removed(place)
  }

  /** The key suffix of its place. */
  private placeKey(score: number, member: Slice): Bytes {
    return placeKeyOf(this.members, score, member)
  }

  private *collect(
    range: KeyRange,
    offset: number,
    limit: number,
    judge?: Judge,
  ): Program<ScoredMember[]> {
    const { members } = this
    const found: ScoredMember[] = []
    let { start, end } = this.within(range)
    if (compareBytes(start, end) >= 0) return found
    const reverse = range.reverse === true
    let skip = offset
    while (found.length < limit) {
      const left = judge === undefined ? skip + limit - found.length : scanEntriesMax
      const wanted = Math.min(left, scanEntriesMax)
      const page = yield* members.page({ start, end, reverse }, wanted)
      const before = found.length
      for (const { member } of page.members) {
        const entry = scoredOf(member)
        const verdict = judge === undefined ? 'take' : judge(entry)
        if (verdict === 'stop') return found
        if (verdict === 'skip') continue
        if (skip > 0) skip--
        else if (found.length < limit) found.push(entry)
      }
      this.ks.work.gatherMembers(found, before)
      const last = page.members.at(-1)
      if (page.isOver || last === undefined) break
      const key = members.keyOf(placesPart, last.member)
      if (reverse) end = key
      else start = behind(key)
    }
    return found
  }

  /** The part of a range between the first and the last member. */
  private within({ start, end }: KeyRange): { start: Bytes; end: Bytes } {
    const { lowest, highest } = this.edges
    const { members } = this
    const first = lowest === undefined ? start : members.raw(placesPart, lowest)
    const last = highest === undefined ? end : behind(members.raw(placesPart, highest))
    return {
      start: compareBytes(first, start) > 0 ? first : start,
      end: compareBytes(last, end) < 0 ? last : end,
    }
  }

  /** Undefined if the span contains nothing. */
  private *reach(span: Span): Program<Reach | undefined> {
    if (isEmptySpan(span)) return undefined
    if (span.by === 'score') return scoreReach(this.members, span)
    const [first] = yield* this.byRank(0, 1, false)
    const [last] = yield* this.byRank(this.count - 1, 1, true)
    if (first === undefined || last === undefined) return undefined
    if (first.score === last.score) return lexReach(this.members, span, scorePlace(first.score))
    if (isBelow(span, last) || isAbove(span, first)) return undefined
    const { start, end } = this.members.range(placesPart)
    return { start, end, filter: (reverse, offset) => walker(span, reverse, offset) }
  }
}
