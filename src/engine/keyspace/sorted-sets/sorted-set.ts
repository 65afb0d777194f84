// A sorted set: members ordered by score, then by bytes. A small one is `value: [{member, score},
// …]` in its document, in that order; a large one has its members in records. A command opens it
// once, changes it any number of times, and saves it once.

import type { Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import { keptAtOnceMax, sortRunElements } from '../../../base/limits/key-value.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { elementsOf, fieldIn } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { nullValue, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { KnownSource } from '../../collection/staging.js'
import type { MembersId } from '../../types.js'
import { buildMembers } from '../containers/building.js'
import { Container, containerType } from '../containers/container.js'
import type { Head } from '../containers/head.js'
import { eachInTurns, mapInTurns } from '../containers/in-turns.js'
import { type MembersPage, wholePage } from '../containers/members.js'
import { sortInTurns } from '../containers/merge-sort.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'
import type { Changes } from './changes-ahead.js'
import { scoredBuilding } from './scored-building.js'
import { placeKeyOf } from './scored-records.js'
import { keepAhead, recallAhead } from './shared-ahead.js'
import { Edges } from './sorted-set-edges.js'
import { ScoredMembers } from './sorted-set-members.js'
import { compareScored, firstNotBelow, isOrdered, type ScoredMember } from './sorted-set-place.js'
import { isAbove, isBelow, isEmptySpan, type Span, walker } from './sorted-set-span.js'

/** Members that a range removes one by one. */
const removeAtOnceMax = 1_000

export type { ScoredMember } from './sorted-set-place.js'
export type { LexBound, LexSpan, ScoreSpan, Span } from './sorted-set-span.js'

/**
 * Replaces the contents of a key by these members, in any order; none removes the key. `source`:
 * see putMade.
 */
export function* storeSortedSet(
  ks: Keyspace,
  key: Key,
  entries: readonly ScoredMember[],
  source?: KnownSource,
): Program<void> {
  yield* ks.remove(key)
  const stored = new SortedSet(ks, key)
  yield* stored.fill(entries, source)
  yield* stored.save()
}

const noMembers = 0 as MembersId
/** Records of a member: its score and its place. */
const recordsPerMember = 2

export class SortedSet extends Container {
  readonly type = 'zset'
  /** Members of a small set; decoded on first use. */
  private entries: Scored[] | undefined
  /** False while added members are unsorted; they are sorted on demand. */
  private isInOrder = true
  /** For a small set with many lookups. */
  private byName: GrowingMap<Scored> | undefined
  private lookUps = 0
  /** Removed members of a small set, filtered out when all are read. */
  private readonly gone = new Set<Scored>()
  private head: Head | undefined
  private source: KnownSource | undefined
  private members: ScoredMembers | undefined

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    const { head } = key
    this.head = head
    if (head === undefined) return
    const { id, count, levels = 0, lowest, highest } = head
    this.members = new ScoredMembers(ks, ks.members(id), count, levels, new Edges(lowest, highest))
  }

  get size(): number {
    return this.members?.count ?? this.all().length
  }

  get isLarge(): boolean {
    return this.members !== undefined
  }

  /** For a loop that gets the scores of these members; undefined if it needs nothing. */
  scoresAhead(count: number, memberAt: (index: number) => Slice): ReadAhead | undefined {
    return this.members?.scoresAhead(count, memberAt)
  }

  /** For a loop that changes or removes these members; it ends with `endChanges`. */
  changesAhead(changes: Changes): ReadAhead | undefined {
    return this.members?.changesAhead(changes)
  }

  *endChanges(): Program<void> {
    if (this.members !== undefined) yield* this.members.endChanges()
  }

  *score(member: Slice): Program<number | undefined> {
    const { members } = this
    if (members !== undefined) return yield* members.score(member)
    return this.find(member)?.score
  }

  /** Sets the score of a member; `before` is the result of `score`. */
  *set(member: Slice, score: number, before: number | undefined): Program<void> {
    const { members } = this
    this.isChanged = true
    if (members !== undefined) yield* members.set(member, score, before)
    else this.setInline({ member, score: score === 0 ? 0 : score })
  }

  /**
   * Sets a member's score and saves, for an open set whose records are in memory. Otherwise returns
   * undefined without a change.
   */
  setNow(member: Slice, score: number): Step<'new' | 'changed' | 'same'> | undefined {
    const set = this.members?.setNow(member, score)
    if (set instanceof Done && set.value === 'same') return set
    if (set !== undefined) this.ks.noteOpenChanged(this)
    return set
  }

  /** Returns whether the member existed. */
  *remove(member: Slice): Program<boolean> {
    const score = yield* this.score(member)
    if (score === undefined) return false
    yield* this.take(member, score)
    return true
  }

  /** The number of members before it, and its score; undefined if it is not a member. */
  *rank(member: Slice): Program<{ rank: number; score: number } | undefined> {
    const { members } = this
    const score = yield* this.score(member)
    if (score === undefined) return undefined
    if (members === undefined) return { rank: this.place(member), score }
    return { rank: yield* members.rank(member, score), score }
  }

  /** `limit` members from a rank (0 to size - 1) on, or downwards if `reverse`. */
  *byRank(rank: number, limit: number, reverse = false): Program<ScoredMember[]> {
    const { members } = this
    if (members !== undefined) {
      this.ks.work.requireRoom(this.ks.tx, Math.min(limit, members.count))
      return yield* members.byRank(rank, limit, reverse)
    }
    if (!reverse) return this.inline().slice(rank, rank + limit)
    return this.inline()
      .slice(Math.max(rank + 1 - limit, 0), rank + 1)
      .reverse()
  }

  /** `limit` members of a span after the first `offset`, in the given direction. */
  *inSpan(
    span: Span,
    offset = 0,
    limit = Number.POSITIVE_INFINITY,
    reverse = false,
  ): Program<ScoredMember[]> {
    const { members } = this
    if (members !== undefined) return yield* members.inSpan(span, offset, limit, reverse)
    return this.walk(span, reverse, offset, limit)
  }

  /** The number of members in a span. */
  *countIn(span: Span): Program<number> {
    const interval = yield* this.interval(span)
    return interval.to - interval.from
  }

  /** Removes the members of a span; returns their number. */
  *removeSpan(span: Span): Program<number> {
    const found = yield* this.inSpan(span, 0, removeAtOnceMax + 1)
    if (found.length <= removeAtOnceMax) return yield* this.takeAll(found)
    const { members } = this
    const interval = members === undefined ? undefined : yield* members.interval(span)
    if (interval !== undefined) return yield* this.removeRanks(interval.from, interval.to)
    return yield* this.takeAll(yield* this.inSpan(span))
  }

  /** Removes `limit` members at an end, nearest first. */
  *pop(fromBack: boolean, limit: number): Program<readonly ScoredMember[]> {
    const { size } = this
    if (size === 0 || limit === 0) return []
    const { members, ks } = this
    if (members !== undefined && limit < size && limit <= removeAtOnceMax) {
      this.isChanged = true
      yield* recallAhead(ks, members.ahead, { head: this.head, record: this.key.record })
      return yield* members.takeEnd(limit, fromBack, ks.work.left)
    }
    const found = yield* this.byRank(fromBack ? size - 1 : 0, Math.min(limit, size), fromBack)
    const { length } = found
    if (length <= removeAtOnceMax) yield* this.takeAll(found)
    else yield* this.removeRanks(fromBack ? size - length : 0, fromBack ? size : length)
    return found
  }

  /**
   * Like pop of one member plus save, for an open set with members read ahead. Otherwise returns
   * undefined without a change.
   */
  popNow(fromBack: boolean): ScoredMember | undefined {
    const taken = this.members?.takeNow(fromBack)
    if (taken !== undefined) this.ks.noteOpenChanged(this)
    return taken
  }

  /** Removes the members from a rank to another (exclusive); returns their number. */
  *removeRanks(from: number, to: number): Program<number> {
    const { size } = this
    const count = to - from
    const left = size - count
    const leavesFew = left <= keptAtOnceMax && count > removeAtOnceMax
    const isEach = left > 0 && !leavesFew && this.members !== undefined
    if (isEach) this.ks.work.requireRoom(this.ks.tx, count, recordsPerMember * count)
    if (left > 0 && !leavesFew) return yield* this.takeAll(yield* this.byRank(from, count))
    const kept = left === 0 ? [] : yield* this.byRank(0, from)
    if (left > 0) kept.push(...(yield* this.byRank(to, size - to)))
    yield* this.fill(kept)
    return count
  }

  /**
   * At most `limit` members after `after` (undefined: from the start), in byte order, and few if
   * they are large; the last one is the next `after`. A small set returns all members at once.
   */
  *page(after: Slice | undefined, limit: number): Program<MembersPage<ScoredMember>> {
    const { members } = this
    if (members !== undefined) return yield* members.page(after, limit)
    return wholePage(this.inline(), after)
  }

  /** Replaces all members. */
  *fill(entries: readonly ScoredMember[], source?: KnownSource): Program<void> {
    this.source = source
    this.members = undefined
    this.head = undefined
    this.entries = yield* mapInTurns(this.ks.tx, entries, ({ member, score }) => {
      return { member, score: score === 0 ? 0 : score }
    })
    this.isInOrder = isOrdered(this.entries)
    this.byName = undefined
    this.gone.clear()
    this.isChanged = true
  }

  *rewrite(): Program<void> {
    if (this.members === undefined) return
    const entries = yield* this.byRank(0, this.size)
    const { isChanged } = this
    yield* this.fill(entries)
    const byName = new GrowingMap<Scored>()
    yield* eachInTurns(this.ks.tx, this.all(), (entry) => byName.set(nameOf(entry), entry))
    this.byName = byName
    this.isChanged = isChanged
  }

  override settleMembers(): void {
    this.members?.settle()
  }

  override closed(): void {
    const { members, ks, head, key } = this
    if (members !== undefined) keepAhead(ks, members.ahead, { head, record: key.record })
  }

  get openHead(): Head | undefined {
    const { head, members } = this
    return head === undefined || members === undefined ? undefined : headOf(head, members)
  }

  protected override *saveSmall(): Program<void> {
    yield* this.order()
    yield* super.saveSmall()
  }

  protected writeValue(writer: DocumentWriter, bytesMax: number): boolean {
    writer.openArray('value')
    for (const { member, score } of this.inline()) {
      if (member.length > bytesMax) return false
      writer.pushOpenDocument().value('member', scalarValue(member))
      writer.double('score', score).close()
    }
    writer.close()
    return true
  }

  protected *enlarge(): Program<Head> {
    const { ks, source } = this
    const entries = this.inline()
    // Places are the same under any id.
    const { building, levels } = yield* scoredBuilding(ks.tx, ks.members(noMembers), entries)
    const whole = { id: noMembers, count: entries.length, first: 0 }
    const head = headOf(whole, scoredMembers(ks, noMembers, entries, levels))
    const id = yield* buildMembers(ks, { ...building, source, head })
    this.members = scoredMembers(ks, id, entries, levels)
    this.head = { ...whole, id }
    return { ...head, id }
  }

  /** Removes adjacent members, in order. */
  private *takeAll(entries: readonly ScoredMember[]): Program<number> {
    const { members } = this
    if (entries.length === this.size) yield* this.fill([])
    else if (members !== undefined) {
      this.isChanged = true
      yield* members.removeRun(entries)
    } else for (const { member, score } of entries) yield* this.take(member, score)
    return entries.length
  }

  private *take(member: Slice, score: number): Program<void> {
    const { members } = this
    this.isChanged = true
    if (members !== undefined) yield* members.remove(member, score)
    else {
      const entry = this.find(member) as Scored
      this.byName?.delete(member.mapKey())
      this.gone.add(entry)
    }
  }

  private *interval(span: Span): Program<{ from: number; to: number }> {
    const { members } = this
    const found = members === undefined ? undefined : yield* members.interval(span)
    return found ?? { from: 0, to: (yield* this.inSpan(span)).length }
  }

  private walk(span: Span, reverse: boolean, offset: number, limit: number): ScoredMember[] {
    const entries = this.inline()
    const first = entries[0]
    const last = entries.at(-1)
    if (first === undefined || last === undefined || isEmptySpan(span)) return []
    if (isBelow(span, last) || isAbove(span, first)) return []
    const judge = walker(span, reverse, offset)
    const found: ScoredMember[] = []
    for (let i = 0; i < entries.length && found.length < limit; i++) {
      const entry = entries[reverse ? entries.length - 1 - i : i] as ScoredMember
      const verdict = judge(entry)
      if (verdict === 'stop') break
      if (verdict === 'take') found.push(entry)
    }
    return found
  }

  /** The members of a small set, in any order. */
  private all(): Scored[] {
    const { gone } = this
    this.entries ??= this.key.exists ? readEntries(this.key.value) : []
    if (gone.size > 0) {
      this.entries = this.entries.filter((entry) => !gone.has(entry))
      gone.clear()
    }
    return this.entries
  }

  /** Sorts the members of a small set that becomes large. */
  private *order(): Program<void> {
    const entries = this.all()
    if (this.isInOrder || entries.length <= sortRunElements) return
    this.entries = yield* sortInTurns(this.ks.tx, entries, compareScored)
    this.isInOrder = true
  }

  /** The members of a small set, in order. */
  private inline(): Scored[] {
    const entries = this.all()
    if (!this.isInOrder) entries.sort(compareScored)
    this.isInOrder = true
    return entries
  }

  private find(member: Slice): Scored | undefined {
    if (this.byName !== undefined) return this.byName.get(member.mapKey())
    const entries = this.all()
    if (this.lookUps++ < plainLookUps) {
      return entries.find((entry) => entry.member.equals(member))
    }
    const byName = new GrowingMap(entries.map((entry) => [nameOf(entry), entry]))
    this.byName = byName
    return byName.get(member.mapKey())
  }

  private setInline(entry: Scored): void {
    const entries = this.all()
    const known = this.find(entry.member)
    if (known !== undefined) {
      known.score = entry.score
      this.isInOrder = false
      return
    }
    this.byName?.set(entry.member.mapKey(), entry)
    if (this.isInOrder && entries.length <= insertedMax) {
      entries.splice(firstNotBelow(entries, entry), 0, entry)
    } else {
      entries.push(entry)
      this.isInOrder = false
    }
  }

  /** The index of an existing member. */
  private place(member: Slice): number {
    return firstNotBelow(this.inline(), this.find(member) as Scored)
  }
}

export const {
  open: openSortedSet,
  findOpen: findOpenSortedSet,
  of: sortedSetOf,
} = containerType('zset', SortedSet)

interface Scored {
  readonly member: Slice
  score: number
}

/** Lookups in a small set before it builds a map. */
const plainLookUps = 4
/**
 * Above this size, new members are appended and sorted later, since each insert would move all
 * others.
 */
const insertedMax = 512

function nameOf({ member }: ScoredMember): string {
  return member.mapKey()
}

/** The members object of a set that has just become large, from members in order. */
function scoredMembers(
  ks: Keyspace,
  id: MembersId,
  entries: readonly ScoredMember[],
  levels: number,
): ScoredMembers {
  const members = ks.members(id)
  const edges = new Edges(undefined, undefined)
  const [first] = entries
  const last = entries.at(-1)
  if (first !== undefined) edges.begin(placeKeyOf(members, first.score, first.member))
  if (last !== undefined) edges.finish(placeKeyOf(members, last.score, last.member))
  return new ScoredMembers(ks, members, entries.length, levels, edges)
}

function headOf({ id, first }: Head, { count, levels, edges }: ScoredMembers): Head {
  return { id, first, count, levels, ...edges.stored }
}

/** A document client may have written them in any order. */
function inOrder(entries: Scored[]): Scored[] {
  return isOrdered(entries) ? entries : entries.sort(compareScored)
}

function readEntries(value: Value): Scored[] {
  return inOrder(
    elementsOf(value).map((entry) => ({
      member: scalarOf(fieldIn(entry, 'member') ?? nullValue) as Slice,
      score: numberOf(fieldIn(entry, 'score') ?? nullValue),
    })),
  )
}
