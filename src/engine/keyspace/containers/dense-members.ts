// Members numbered from 0 without gaps, for a large hash or set. The numbers allow a uniform random
// member with one read. When a member is removed, the last one takes its number. Part 0: member to
// number and value; part 1: number to member.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { memberKeyBytesMax } from '../../../base/limits/key-value.js'
import { inlineValueBytesMax } from '../../../base/limits/store.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import type { InPlace, Program, Step } from '../../../store/store.js'
import type { Building } from './building.js'
import {
  type Member,
  type Members,
  type MembersPage,
  namesPart,
  numberBytes,
  numberOfSlice,
  numberSlice,
  suffixAt,
  writeNumber,
} from './members.js'

const part = { members: namesPart, numbers: 1 } as const

/** The source of a large hash (names and values) or set. */
export function denseBuilding(type: 'hash' | 'set', content: readonly Slice[]): Building {
  const each = type === 'hash' ? 2 : 1
  return {
    type,
    content,
    steps: content.length / each,
    putsPerStep: 2,
    bytes: content.reduce((sum, { length }, i) => {
      return sum + (i % each === 0 ? memberBytes(length, 0) : length)
    }, 0),
    write(members, number) {
      const member = content[number * each] as Slice
      const value = type === 'hash' ? (content[number * each + 1] as Slice) : emptySlice
      new DenseMembers(members).add(member, value, number)
      return 2 * member.length + value.length
    },
  }
}

/** Keys and records of a member and its number. */
function memberBytes(length: number, value: number): number {
  return 38 + 2 * length + value
}

export class DenseMembers {
  constructor(private readonly members: Members) {}

  get(member: Slice): Step<Member | undefined> {
    return this.members.get(part.members, member)
  }

  /** For a loop that gets these members. */
  ahead(count: number, memberAt: (index: number) => Slice): ReadAhead | undefined {
    return this.members.ahead(part.members, count, memberAt)
  }

  /** For a loop that removes these members; `left` tells how many there are. */
  removalsAhead(
    count: number,
    memberAt: (index: number) => Slice,
    left: () => number,
  ): ReadAhead | undefined {
    const { members } = this
    const further = function* (this: DenseMembers, from: number, end: number): Program<void> {
      let removed = 0
      for (let i = from; i < end; i++) if ((yield* this.get(memberAt(i))) !== undefined) removed++
      if (removed > 0) yield* this.lastAhead(left(), removed)
    }
    return members.ahead(part.members, count, memberAt, further.bind(this))
  }

  /** For a loop that takes members by number (`at`). */
  numbersAhead(numbers: readonly number[]): ReadAhead | undefined {
    return this.members.ahead(
      part.numbers,
      numbers.length,
      (index) => numberSlice(numbers[index] as number),
      (from, end) => this.numberedAhead(numbers.slice(from, end)),
    )
  }

  /** Reads the members with these numbers ahead, which are known by now. */
  private *numberedAhead(numbers: readonly number[]): Program<void> {
    const { members } = this
    const names: Slice[] = []
    for (const number of numbers) {
      const found = yield* members.at(part.numbers, number)
      if (found !== undefined) names.push(found.payload)
    }
    yield* members.readAhead(part.members, names)
  }

  /** Reads the last members ahead: they take the numbers of removed ones. */
  private *lastAhead(count: number, removed: number): Program<void> {
    const first = Math.max(0, count - removed)
    const numbers = Array.from({ length: count - first }, (_, i) => first + i)
    yield* this.members.readAhead(part.numbers, numbers.map(numberSlice))
    yield* this.numberedAhead(numbers)
  }

  /** A new member; `number` is the count before it. */
  add(member: Slice, value: Slice, number: number): void {
    const { members } = this
    members.put(part.members, member, payloadOf(numberSlice(number), value))
    members.put(part.numbers, numberSlice(number), member)
    members.grow(memberBytes(member.length, value.length))
  }

  /**
   * Sets a member's value, new or not, if its record is available synchronously and not chunked;
   * otherwise returns undefined without a change. Returns whether it is new; `number` is the count
   * before it.
   */
  setNow(member: Slice, value: Slice, number: number): boolean | undefined {
    const { members } = this
    const { inPlace } = members
    const { length } = value
    if (inPlace === undefined || member.length >= memberKeyBytesMax) return undefined
    if (length > plainBytesMax) return undefined
    const valueBytes = 1 + numberBytes + length
    const { bytes, keyAt, valueAt } = inPlace.begin(suffixAt + member.length, valueBytes)
    members.writeKey(bytes, keyAt, part.members, 0, member)
    const isPlain = inPlace.peekUnder(copyNumber)
    if (isPlain === false) return undefined
    bytes[valueAt] = 0
    if (isPlain === undefined) writeNumber(bytes, valueAt + 1, number)
    else for (let i = 0; i < numberBytes; i++) bytes[valueAt + 1 + i] = numberBefore[i] as number
    copyInto(bytes, valueAt + 1 + numberBytes, value)
    inPlace.keep()
    members.changed()
    const isNew = isPlain === undefined
    members.grow(isNew ? memberBytes(member.length, length) : length - valueBytesBefore)
    if (isNew) this.putNumber(inPlace, number, member)
    return isNew
  }

  /**
   * Adds a member without a value if its record is available synchronously; otherwise returns
   * undefined without a change. Returns whether it is new; `number` is the count before it.
   */
  addNow(member: Slice, number: number): boolean | undefined {
    const { members } = this
    const { inPlace } = members
    if (inPlace === undefined || member.length >= memberKeyBytesMax) return undefined
    const { bytes, keyAt, valueAt } = inPlace.begin(suffixAt + member.length, 1 + numberBytes)
    members.writeKey(bytes, keyAt, part.members, 0, member)
    if (inPlace.peekUnder(isThere) === true) return false
    bytes[valueAt] = 0
    writeNumber(bytes, valueAt + 1, number)
    inPlace.keep()
    members.changed()
    members.grow(memberBytes(member.length, 0))
    this.putNumber(inPlace, number, member)
    return true
  }

  /** Puts the number of a new, short member. */
  private putNumber(inPlace: InPlace, number: number, member: Slice): void {
    const { members } = this
    const { length } = member
    const { bytes, keyAt, valueAt } = inPlace.begin(suffixAt + numberBytes, 1 + length)
    members.writeKey(bytes, keyAt, part.numbers, 0, numberSlice(number))
    bytes[valueAt] = 0
    copyInto(bytes, valueAt + 1, member)
    inPlace.seek()
    inPlace.keep()
  }

  /** Replaces the value of a member. */
  replace(before: Member, value: Slice): void {
    const { bytes, start } = before.payload
    const number = new Slice(bytes, start, start + numberBytes)
    this.members.grow(value.length - valueOfMember(before).length)
    this.members.put(part.members, before.member, payloadOf(number, value), before)
  }

  /** `count` is the number of members before the removal. */
  *remove(member: Member, count: number): Program<void> {
    const { members } = this
    const number = numberOfSlice(member.payload)
    members.remove(part.members, member)
    members.grow(-memberBytes(member.member.length, valueOfMember(member).length))
    const lastNumber = numberSlice(count - 1)
    const last = yield* members.at(part.numbers, count - 1)
    if (last === undefined) return
    members.remove(part.numbers, { ...last, member: lastNumber })
    if (number === count - 1) return
    const moved = yield* members.get(part.members, last.payload)
    if (moved === undefined) return
    // A long member is chunked there; its chunks are removed with it.
    const isLarge = member.member.length > inlineValueBytesMax
    const before = isLarge ? yield* members.at(part.numbers, number) : undefined
    members.put(part.numbers, numberSlice(number), moved.member, before)
    members.put(
      part.members,
      moved.member,
      payloadOf(numberSlice(number), valueOfMember(moved)),
      moved,
    )
  }

  /** The member with that number, 0 to count - 1. */
  *at(number: number): Program<Member | undefined> {
    const found = yield* this.members.at(part.numbers, number)
    return found === undefined ? undefined : yield* this.get(found.payload)
  }

  has(member: Slice): Program<boolean> {
    return this.members.has(part.members, member)
  }

  /** Members in byte order, after `after`. */
  page(after: Slice | undefined, limit: number): Program<MembersPage> {
    const { members } = this
    return members.page(members.range(part.members, after), limit)
  }
}

/** The number of the member being changed; shared, since commands run synchronously. */
const numberBefore = new Uint8Array(numberBytes)
/** Length of its old value. */
let valueBytesBefore = 0

/** False if the member or its value is not inline. */
function copyNumber(record: Bytes, start: number, end: number): boolean {
  if (record[start] !== 0) return false
  valueBytesBefore = end - start - 1 - numberBytes
  for (let i = 0; i < numberBytes; i++) numberBefore[i] = record[start + 1 + i] as number
  return true
}

function isThere(): true {
  return true
}

/** Maximum value stored inline in its member's record. */
const plainBytesMax = inlineValueBytesMax - numberBytes

function copyInto(target: Bytes, to: number, { bytes, start, end }: Slice): void {
  if (end - start > loopBytesMax) {
    target.set(bytes.subarray(start, end), to)
    return
  }
  for (let at = start, i = to; at < end; at++, i++) target[i] = bytes[at] as number
}

/** Up to this size, bytes are copied in a loop. */
const loopBytesMax = 96

/** The value of a member: empty in a set. */
export function valueOfMember({ payload }: Member): Slice {
  return new Slice(payload.bytes, payload.start + numberBytes, payload.end)
}

function payloadOf(number: Slice, value: Slice): Slice {
  const bytes = new Uint8Array(numberBytes + value.length)
  for (let i = 0; i < numberBytes; i++) bytes[i] = number.bytes[number.start + i] as number
  bytes.set(value.view(), numberBytes)
  return Slice.of(bytes)
}
