// Validates a member of a large container: its place by its type, and its counterpart in the
// container's other part. All comparisons use the state in which the member was read.

import { type Bytes, compareBytes, equalBytes } from '../../base/bytes/bytes.js'
import { Slice } from '../../base/bytes/slice.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Program, ReadTx } from '../../store/store.js'
import { discardedMembersKey, membersChunks } from '../background/garbage.js'
import { documentOfRecord } from '../collection/records.js'
import { type Head, isHead, readHead } from '../keyspace/containers/head.js'
import { type Member, Members, numberBytes, numberOfSlice } from '../keyspace/containers/members.js'
import { type KeyType, readKeyDocument } from '../keyspace/keys/key.js'
import { positionsPart, readLeftovers, type Span } from '../keyspace/lists/list-leftovers.js'
import { behind, blockOf, placesPart } from '../keyspace/sorted-sets/rank-blocks.js'
import { placeOf, scoreBytes, scoredOf } from '../keyspace/sorted-sets/sorted-set-place.js'
import { usualBounds, Work } from '../keyspace/work.js'
import type { MembersId } from '../types.js'
import { pagesOf } from './check-steps.js'

/** The head of a container in one state, with related facts. */
export interface Holder {
  readonly type: KeyType
  readonly head: Head
  /** Version of the head's record. */
  readonly version: number
  readonly members: Members
  readonly leftovers: readonly Span[]
  /** Whether its members are listed for deletion. */
  readonly isDiscarded: boolean
}

/** A description of the problem, or the member's contribution to the count of its part. */
type Verdict = string | number

/** Undefined if the key no longer has these members. */
export function* readHolder(tx: ReadTx, record: Bytes, id: MembersId): Program<Holder | undefined> {
  const found = yield* headAt(tx, record)
  if (found?.head.id !== id) return undefined
  const members = new Members(tx, membersChunks, id, new Work(usualBounds, false))
  const leftovers = yield* readLeftovers(tx, id)
  const isDiscarded = (yield* tx.get(discardedMembersKey(id))) !== undefined
  return { ...found, members, leftovers, isDiscarded }
}

/** The head under a record key, if there is one. */
export function* headAt(
  tx: ReadTx,
  record: Bytes,
): Program<Pick<Holder, 'type' | 'head' | 'version'> | undefined> {
  const stored = yield* tx.getVersioned(record)
  if (stored === undefined) return undefined
  const { type, value } = readKeyDocument(yield* documentOfRecord(tx, stored.value))
  return isHead(value) ? { type, head: readHead(value), version: stored.version } : undefined
}

export function judge(tx: ReadTx, holder: Holder, part: number, member: Member): Program<Verdict> {
  switch (holder.type) {
    case 'list':
      return part === positionsPart
        ? judged(judgeElement(holder, member))
        : judgeBlock(tx, holder, positionsPart, part, member)
    case 'zset':
      return part <= placesPart
        ? judgeScored(holder, part, member)
        : judgeBlock(tx, holder, placesPart, part, member)
    default:
      return judgeDense(holder, part, member)
  }
}

function* judged(verdict: Verdict): Program<Verdict> {
  return verdict
}

function judgeElement({ head, leftovers }: Holder, { member }: Member): Verdict {
  const { levels, lowest = nothing, highest = nothing } = head
  if (levels !== undefined) {
    const place = member.view()
    const isPlace = member.length === numberBytes || place.at(-1) !== 0
    if (member.length < numberBytes || !isPlace) return notOfType
    const isInside = compareBytes(place, lowest) >= 0 && compareBytes(place, highest) <= 0
    return isInside ? 1 : 'lies outside of its list'
  }
  if (member.length !== numberBytes) return notOfType
  const position = numberOfSlice(member)
  if (position >= head.first && position < head.first + head.count) return 1
  if (leftovers.some(({ from, to }) => position >= from && position <= to)) return 0
  return `has position ${position}, where the list has none`
}

/** For a hash or set: member to number, and number to member. */
function* judgeDense(
  { head, members, type }: Holder,
  part: number,
  { member, payload }: Member,
): Program<Verdict> {
  if (part > 1) return notOfType
  const numbered = part === 0 ? payload : member
  const isWhole = part === 1 || type === 'set' ? numbered.length === numberBytes : true
  if (numbered.length < numberBytes || !isWhole) return 'has no number'
  const number = numberOfSlice(startOf(numbered))
  if (number < 0 || number >= head.count) return `has number ${number} of ${head.count}`
  if (part === 0) {
    const found = yield* members.at(1, number)
    return found?.payload.equals(member) === true ? 1 : `is not what number ${number} stands for`
  }
  const found = yield* members.get(0, payload)
  const isSame = found !== undefined && startOf(found.payload).equals(member)
  return isSame ? 1 : `stands for a member that does not have number ${number}`
}

/** For a sorted set: member to score, and places by score. */
function* judgeScored(
  { members }: Holder,
  part: number,
  { member, payload }: Member,
): Program<Verdict> {
  if (part === 0) {
    if (payload.length !== scoreBytes) return 'has no score'
    const place = yield* members.get(1, placeOf(scoredOf(payload).score, member))
    return place === undefined ? 'has no place by its score' : 1
  }
  if (member.length < scoreBytes) return notOfType
  const { score, member: placed } = scoredOf(member)
  const found = yield* members.get(0, placed)
  const isRight = found?.payload.length === scoreBytes && scoredOf(found.payload).score === score
  return isRight ? 1 : 'is the place of a member that does not have that score'
}

/** For part `places`: a block counts the places, or the blocks' places, up to the next block. */
function* judgeBlock(
  tx: ReadTx,
  { members, head }: Holder,
  places: number,
  part: number,
  { member, payload }: Member,
): Program<Verdict> {
  if (part > places + (head.levels ?? 0) || payload.length < numberBytes) return notOfType
  const start = member.copy()
  const {
    members: [next],
  } = yield* members.page(
    { start: members.raw(part, behind(start)), end: members.raw(part + 1, nothing) },
    1,
  )
  const below = part - 1
  const range = {
    start: members.raw(below, start),
    end: next === undefined ? members.raw(part, nothing) : members.raw(below, next.member.view()),
  }
  const block = blockOf(start, payload)
  const isTold = payload.length > numberBytes
  if (isTold && !isSameEnd(block.next, next?.member.view())) return 'has another block behind it'
  let found = 0
  yield* pagesOf(tx, range, scanEntriesMax, function* (entries) {
    for (const { value } of entries) {
      found += below === places ? 1 : numberOfSlice(new Slice(value, 1, value.length))
    }
    return true
  })
  const { count } = block
  return found === count ? count : `counts ${count} places where there are ${found}`
}

function isSameEnd(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b)
}

const nothing = new Uint8Array(0)
const notOfType = 'is none that its type has'

function startOf({ bytes, start }: Slice): Slice {
  return new Slice(bytes, start, start + numberBytes)
}
