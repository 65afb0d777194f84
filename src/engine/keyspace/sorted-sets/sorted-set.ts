// A sorted set: members with scores, in the order of the scores and, among equal ones, of the
// members' bytes. Small, it is `value: [{member, score}, …]` in its document, in that order; large,
// its members are records. Opened once a command, changed as often as it likes, saved once.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import { keptAtOnceMax, removeAtOnceMax, sortRunElements } from '../../../base/limits.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { elementsOf, fieldIn } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { nullValue, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { MembersId } from '../../types.js'
import { buildMembers } from '../containers/building.js'
import { Container, containerOf, openContainer } from '../containers/container.js'
import type { Head } from '../containers/head.js'
import { eachInTurns, mapInTurns } from '../containers/in-turns.js'
import { sortInTurns } from '../containers/merge-sort.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'
import { scoredBuilding } from './scored-building.js'
import { Edges } from './sorted-set-edges.js'
import { placeKeyOf, ScoredMembers } from './sorted-set-members.js'
import { compareScored, type ScoredMember } from './sorted-set-place.js'
import { isAbove, isBelow, isEmptySpan, type Span, walker } from './sorted-set-span.js'

export type { ScoredMember } from './sorted-set-place.js'
export type { LexBound, LexSpan, ScoreSpan, Span } from './sorted-set-span.js'

/** The sorted set under a name; an empty one where there is no key. Throws WRONGTYPE. */
export function openSortedSet(ks: Keyspace, name: Slice): Step<SortedSet> {
  const open = findOpenSortedSet(ks, name)
  return open === undefined ? openContainer(ks, name, 'zset', SortedSet) : new Done(open)
}

/** The large one under a name that a command before this one has left open. Throws WRONGTYPE. */
export function findOpenSortedSet(ks: Keyspace, name: Slice): SortedSet | undefined {
  const open = ks.findOpen(name)
  return open?.key.requireType('zset') === true ? (open as SortedSet) : undefined
}

/** The sorted set of a key that has been read. Throws WRONGTYPE. */
export function sortedSetOf(ks: Keyspace, key: Key): SortedSet {
  return containerOf(ks, key, 'zset', SortedSet)
}

/**
 * Makes a key hold these members, whatever it held; none: no key. They need no order. Of a source:
 * see putMade.
 */
export function* storeSortedSet(
  ks: Keyspace,
  key: Key,
  entries: readonly ScoredMember[],
  source?: string,
): Program<void> {
  yield* ks.remove(key)
  const stored = new SortedSet(ks, key)
  yield* stored.fill(entries, source)
  yield* stored.save()
}

const noMembers = 0 as MembersId
/** A member's score and its place. */
const recordsPerMember = 2

export class SortedSet extends Container {
  readonly type = 'zset'
  /** Of a small one; read when first needed. */
  private entries: Scored[] | undefined
  /** They come out of order when many are added, and are sorted on demand. */
  private isInOrder = true
  /** Of a small one that is asked often. */
  private byName: GrowingMap<Scored> | undefined
  private lookUps = 0
  /** Members of a small one that are removed from the others when all of them are read. */
  private readonly gone = new Set<Scored>()
  private head: Head | undefined
  private source: string | undefined
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

  *score(member: Slice): Program<number | undefined> {
    const { members } = this
    if (members !== undefined) return yield* members.score(member)
    return this.find(member)?.score
  }

  /** Gives a member a score; `before` is what `score` answers. */
  *set(member: Slice, score: number, before: number | undefined): Program<void> {
    const { members } = this
    this.isChanged = true
    if (members !== undefined) yield* members.set(member, score, before)
    else this.setInline({ member, score: score === 0 ? 0 : score })
  }

  /**
   * Gives a member a score, whatever it has, and saves: of one that is open, where its records
   * are at hand. Else undefined, and nothing is done.
   */
  setNow(member: Slice, score: number): Step<'new' | 'changed' | 'same'> | undefined {
    const set = this.members?.setNow(member, score)
    if (set instanceof Done && set.value === 'same') return set
    if (set !== undefined) this.ks.noteOpenChanged(this)
    return set
  }

  /** Whether it was there. */
  *remove(member: Slice): Program<boolean> {
    const score = yield* this.score(member)
    if (score === undefined) return false
    yield* this.take(member, score)
    return true
  }

  /** Members before it, and its score; undefined where it is none. */
  *rank(member: Slice): Program<{ rank: number; score: number } | undefined> {
    const { members } = this
    const score = yield* this.score(member)
    if (score === undefined) return undefined
    if (members === undefined) return { rank: this.place(member), score }
    return { rank: yield* members.rank(member, score), score }
  }

  /** `limit` members from a rank (0 to size - 1) on, or, `reverse`, from it downwards. */
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

  /** `limit` members of a span behind the first `offset`, in the direction that is asked. */
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

  /** Members in a span. */
  *countIn(span: Span): Program<number> {
    const interval = yield* this.interval(span)
    return interval.to - interval.from
  }

  /** Removes the members of a span; answers how many. */
  *removeSpan(span: Span): Program<number> {
    const found = yield* this.inSpan(span, 0, removeAtOnceMax + 1)
    if (found.length <= removeAtOnceMax) return yield* this.takeAll(found)
    const { members } = this
    const interval = members === undefined ? undefined : yield* members.interval(span)
    if (interval !== undefined) return yield* this.removeRanks(interval.from, interval.to)
    return yield* this.takeAll(yield* this.inSpan(span))
  }

  /** Takes `limit` members away from an end, the one nearest to it first. */
  *pop(fromBack: boolean, limit: number): Program<readonly ScoredMember[]> {
    const { size } = this
    if (size === 0 || limit === 0) return []
    const { members, ks } = this
    if (members !== undefined && limit < size && limit <= removeAtOnceMax) {
      this.isChanged = true
      return yield* members.takeEnd(limit, fromBack, ks.work.left)
    }
    const found = yield* this.byRank(fromBack ? size - 1 : 0, Math.min(limit, size), fromBack)
    const { length } = found
    if (length <= removeAtOnceMax) yield* this.takeAll(found)
    else yield* this.removeRanks(fromBack ? size - length : 0, fromBack ? size : length)
    return found
  }

  /**
   * As pop of one, and saves: of one that is open and has been popped from. Else undefined,
   * and nothing is done.
   */
  popNow(fromBack: boolean): ScoredMember | undefined {
    const taken = this.members?.takeNow(fromBack)
    if (taken !== undefined) this.ks.noteOpenChanged(this)
    return taken
  }

  /** Removes the members from a rank to before another; answers how many. */
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
   * Members behind `after` (undefined: from the start), at most `limit`, in the order of their
   * bytes; the last one is where to go on. A small set answers all of them at once.
   */
  *scan(after: Slice | undefined, limit: number): Program<ScoredMember[]> {
    const { members } = this
    if (members !== undefined) return yield* members.scan(after, limit)
    return after === undefined ? [...this.inline()] : []
  }

  /** These members take the place of all others. */
  *fill(entries: readonly ScoredMember[], source?: string): Program<void> {
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

  get openHead(): Head | undefined {
    const { head, members } = this
    return head === undefined || members === undefined ? undefined : headOf(head, members)
  }

  protected override *saveSmall(): Program<void> {
    yield* this.order()
    yield* super.saveSmall()
  }

  protected writeValue(writer: DocumentWriter): void {
    writer.openArray('value')
    for (const { member, score } of this.inline()) {
      writer.pushOpenDocument().value('member', scalarValue(member))
      writer.double('score', score).close()
    }
    writer.close()
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

  /** Of members that stand next to each other, in order. */
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

  /** The members of a small one, in any order. */
  private all(): Scored[] {
    const { gone } = this
    this.entries ??= this.key.exists ? readEntries(this.key.value) : []
    if (gone.size > 0) {
      this.entries = this.entries.filter((entry) => !gone.has(entry))
      gone.clear()
    }
    return this.entries
  }

  /** Brings the members of a small one that is about to become large into order. */
  private *order(): Program<void> {
    const entries = this.all()
    if (this.isInOrder || entries.length <= sortRunElements) return
    this.entries = yield* sortInTurns(this.ks.tx, entries, compareScored)
    this.isInOrder = true
  }

  /** The members of a small one, in order. */
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

  /** Of a member that is there. */
  private place(member: Slice): number {
    return firstNotBelow(this.inline(), this.find(member) as Scored)
  }
}

interface Scored {
  readonly member: Slice
  score: number
}

/** Look-ups in a small one before it is worth a map. */
const plainLookUps = 4
/** Above so many members a new one is not put in its place, as each would move all the others. */
const insertedMax = 512

function nameOf({ member }: ScoredMember): string {
  return member.mapKey()
}

/** Of members in order that have just become large. */
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
  const { lowest, highest } = edges
  const head: Head = { id, first, count, levels }
  if (lowest === undefined && highest === undefined) return head
  if (highest === undefined) return { ...head, lowest: lowest as Bytes }
  return lowest === undefined ? { ...head, highest } : { ...head, lowest, highest }
}

function firstNotBelow(entries: readonly ScoredMember[], entry: ScoredMember): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareScored(entries[middle] as ScoredMember, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function isOrdered(entries: readonly Scored[]): boolean {
  for (let i = 1; i < entries.length; i++) {
    const isBehind = compareScored(entries[i - 1] as ScoredMember, entries[i] as ScoredMember) < 0
    if (!isBehind) return false
  }
  return true
}

/** A document client may have put them in any order. */
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
