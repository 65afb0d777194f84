// Members of a large container: records of class 0x08 under the container's id, in parts. A part is
// ordered by member bytes or by numbers; each type defines its parts. A member too long for a key
// has a prefix and a SHA-256 there, and its full bytes in the record. A value too large for a
// record is chunked. (docs/design/storage.md, "Key space"; docs/design/transactions.md, rules 8 and
// 13)

import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, prefixEnd } from '../../../base/bytes/bytes.js'
import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { room } from '../../../base/heap/slab.js'
import { memberKeyBytesMax, memberKeyPrefixBytes } from '../../../base/limits/key-value.js'
import { inlineValueBytesMax } from '../../../base/limits/store.js'
import { ReadAhead, readAheadIn } from '../../../store/read-ahead.js'
import { Done, endsRange } from '../../../store/steps.js'
import type {
  Entry,
  InPlace,
  KeyRange,
  Program,
  ReadBefore,
  ReadTx,
  Step,
  Tx,
} from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { discardValue, membersPrefix, type ValueId } from '../../background/garbage.js'
import { noWaste, wasteOf } from '../../background/waste.js'
import { type ChunkedHead, documentOfRecord, headOf } from '../../collection/records.js'
import type { Access, MembersId, NamespaceId } from '../../types.js'
import { lookUp } from '../look-up.js'
import type { Tally, Work } from '../work.js'
import { membersPageBytes } from './trip-size.js'

/** class u8, id u64, part u8. */
const prefixBytes = 10
const twoTo32 = 4294967296

/** Record of a short member without payload. The store keeps it, so it must not be changed. */
const emptyRecord = new Uint8Array(1)

/** Bits of the first byte of a member's record. */
const flag = { long: 1, chunked: 2 } as const

export interface Member {
  /** In a numbered part: the eight bytes of the number. */
  readonly member: Slice
  readonly payload: Slice
  /** The chunks of the payload, if it is chunked. */
  readonly chunks: ValueId | undefined
}

export interface MembersPage<T = Member> {
  readonly members: readonly T[]
  /** No member of the range follows. */
  readonly isOver: boolean
}

/** The page of a small container, whose members are read together. */
export function wholePage<T>(members: Iterable<T>, after: Slice | undefined): MembersPage<T> {
  return { members: after === undefined ? [...members] : [], isOver: true }
}

export class Members {
  private readonly prefixes: (Bytes | undefined)[] = []
  private readonly tally: Tally

  constructor(
    private readonly tx: ReadTx,
    private readonly namespace: NamespaceId,
    readonly id: MembersId,
    private readonly work: Work,
    /** Access of the database, if its members are changed one by one. */
    private readonly access?: Access,
  ) {
    this.tally = work.tally(id)
  }

  /** Adds to the bytes of the members, as quotas count them; each type computes its own. */
  grow(bytes: number): void {
    this.tally.bytes += bytes
  }

  /** Growth in bytes since the head was last written. */
  get grown(): number {
    return this.tally.bytes
  }

  get(part: number, member: Slice): Step<Member | undefined> {
    const step = lookUp(this.tx, this.keyOf(part, member))
    if (!(step instanceof Done)) return this.read(step, member)
    const { value } = step
    if (value === undefined) return step as Step<undefined>
    return isPlain(value) ? new Done(plain(value, member)) : this.open(value, member)
  }

  /** Whether there is such a member; a long one is not read. */
  *has(part: number, member: Slice): Program<boolean> {
    const { tx } = this
    if (member.length <= membersPageBytes || 'scanOwn' in tx) {
      return (yield* this.get(part, member)) !== undefined
    }
    const [version] = yield* tx.getVersions([this.keyOf(part, member)])
    return version !== undefined
  }

  /** Reads members of a part ahead; `memberAt` for 0 to count - 1. */
  ahead(
    part: number,
    count: number,
    memberAt: (index: number) => Slice,
    further?: (from: number, end: number) => Program<void>,
  ): ReadAhead | undefined {
    if (this.tx.readAhead === undefined) return undefined
    return ReadAhead.of(this.tx, {
      count,
      keysOf: (index, keys) => keys.push(this.keyOf(part, memberAt(index))),
      ...(further === undefined ? {} : { further }),
    })
  }

  /** Reads these members of a part in one trip. */
  readAhead(part: number, members: readonly Slice[]): Program<ReadBefore> {
    return this.readKeysAhead(members.map((member) => this.keyOf(part, member)))
  }

  /** Reads the records of these keys (keyOf, raw) in one trip. */
  readKeysAhead(keys: readonly Bytes[]): Program<ReadBefore> {
    return readAheadIn(this.tx, keys)
  }

  /** The member with that number in a numbered part. */
  at(part: number, number: number): Step<Member | undefined> {
    return this.get(part, numberSlice(number))
  }

  /** `before` is the result of `get`; its chunks are discarded. */
  put(part: number, member: Slice, payload: Slice, before?: Member): void {
    const tx = this.tx as Tx
    const record = this.recordOf(tx, member, payload)
    this.work.changes++
    if (before !== undefined) this.discardChunks(before)
    tx.put(this.keyOf(part, member), record)
  }

  /** Like put, for a member without payload whose key comes from `keyOf`. */
  putEmpty(key: Bytes, member: Slice): void {
    const tx = this.tx as Tx
    this.work.changes++
    const isShort = member.length < memberKeyBytesMax
    tx.put(key, isShort ? emptyRecord : this.recordOf(tx, member, emptySlice))
  }

  /** Reads the raw record, flags before payload; only for short, unchunked members. */
  getRaw(key: Bytes): Step<Bytes | undefined> {
    return lookUp(this.tx, key)
  }

  putRaw(key: Bytes, record: Bytes): void {
    this.work.changes++
    ;(this.tx as Tx).put(key, record)
  }

  /** Removes a member without chunks. */
  removeRaw(key: Bytes): void {
    this.work.changes++
    ;(this.tx as Tx).remove(key)
  }

  /** Copies a record of another container to the same place in this one. */
  *putCopy(entry: Entry): Program<void> {
    const tx = this.tx as Tx
    const key = entry.key.slice()
    key.set(membersPrefix(this.id))
    let { value } = entry
    const head = headBytes(value)
    if (((value[0] as number) & flag.chunked) !== 0) {
      const payload = yield* documentOfRecord(tx, value.subarray(head))
      const body = this.recordOfLarge(tx, payload)
      value = concatBytes(value.subarray(0, head), body)
    }
    this.work.changes++
    tx.put(key, value)
  }

  /** Removes what a copy of this record is in this container, if there is one. */
  *removeCopy(original: Bytes): Program<void> {
    const tx = this.tx as Tx
    const key = original.slice()
    key.set(membersPrefix(this.id))
    const value = yield* tx.get(key)
    if (value === undefined) return
    const chunks = chunkedOfMember(value)
    if (chunks !== undefined) discardValue(tx, chunks.value, noWaste)
    this.work.changes++
    tx.remove(key)
  }

  remove(part: number, before: Member): void {
    const tx = this.tx as Tx
    this.work.changes++
    this.discardChunks(before)
    tx.remove(this.keyOf(part, before.member))
  }

  private discardChunks({ chunks, payload }: Member): void {
    const { access } = this
    if (chunks === undefined) return
    const waste = access === undefined ? noWaste : wasteOf(access, payload.length)
    discardValue(this.tx as Tx, chunks, waste)
  }

  /**
   * Members of a part in range order, at most `limit`, and few if they are large; a write program
   * sees its own writes.
   */
  *page(range: KeyRange, limit: number): Program<MembersPage> {
    const { work } = this
    work.expectPage()
    const { start, end, reverse = false } = range
    const bounded = { start, end, reverse, bytesMax: membersPageBytes }
    const entries = yield* this.entries(bounded, limit)
    const isOver = endsRange(entries, bounded, limit)
    const members: Member[] = []
    for (const { key, value } of entries) {
      const member = new Slice(key, prefixBytes, key.length)
      if (isPlain(value)) members.push(plain(value, member))
      else {
        work.expectLong(value.length)
        members.push(yield* this.open(value, member))
      }
    }
    return { members, isOver }
  }

  /** Like page, for raw records. */
  *entries(range: KeyRange, limit: number): Program<Entry[]> {
    const { tx } = this
    if (!('scanOwn' in tx)) return yield* tx.scan(range, limit)
    const entries = yield* (tx as Tx).scanOwn(range, limit)
    this.work.read(entries.length)
    return entries
  }

  /** Decodes a record. */
  *memberOf({ key, value }: Entry): Program<Member> {
    const member = new Slice(key, prefixBytes, key.length)
    return isPlain(value) ? plain(value, member) : yield* this.open(value, member)
  }

  /** The range of a part; `after` continues after a member, in the direction of the range. */
  range(part: number, after?: Slice, reverse = false): KeyRange {
    const prefix = this.prefix(part)
    const end = prefixEnd(prefix)
    if (after === undefined) return { start: prefix, end, reverse }
    const key = this.keyOf(part, after)
    if (reverse) return { start: prefix, end: key, reverse }
    const start = new Uint8Array(key.length + 1)
    start.set(key)
    return { start, end, reverse }
  }

  /**
   * The range from the first to the last number, both inclusive; empty if `last` is below `first`.
   */
  numbers(part: number, first: number, last: number, reverse = false): KeyRange {
    const start = this.keyOf(part, numberSlice(first))
    return { start, end: this.keyOf(part, numberSlice(last + 1)), reverse }
  }

  /** The store's key of a member. */
  keyOf(part: number, member: Slice): Bytes {
    const prefix = this.prefix(part)
    const { bytes, start, end } = member
    const length = end - start
    if (length >= memberKeyBytesMax) return hashedKey(prefix, member)
    const key = new Uint8Array(prefixBytes + length)
    for (let i = 0; i < prefixBytes; i++) key[i] = prefix[i] as number
    for (let at = start, to = prefixBytes; at < end; at++, to++) key[to] = bytes[at] as number
    return key
  }

  /** For in-place changes of short members; undefined if unavailable. */
  get inPlace(): InPlace | undefined {
    return (this.tx as Partial<Tx>).inPlace
  }

  /** Like keyOf, for a short member, into a write; leaves `before` bytes free after the part. */
  writeKey(target: Bytes, at: number, part: number, before: number, member: Slice): void {
    const prefix = this.prefix(part)
    for (let i = 0; i < prefixBytes; i++) target[at + i] = prefix[i] as number
    const { bytes, start, end } = member
    const to = at + prefixBytes + before - start
    for (let i = start; i < end; i++) target[to + i] = bytes[i] as number
  }

  /** Counts a record that was put or removed by `inPlace`. */
  changed(): void {
    this.work.changes++
  }

  /** A key of a part from the bytes after the part (`suffixOf`): a bound, or a place. */
  raw(part: number, suffix: Bytes): Bytes {
    const key = new Uint8Array(prefixBytes + suffix.length)
    key.set(this.prefix(part))
    key.set(suffix, prefixBytes)
    return key
  }

  private prefix(part: number): Bytes {
    const known = this.prefixes[part]
    if (known !== undefined) return known
    const prefix = new Uint8Array(prefixBytes)
    prefix.set(membersPrefix(this.id))
    prefix[prefixBytes - 1] = part
    this.prefixes[part] = prefix
    return prefix
  }

  private recordOfLarge(tx: Tx, payload: Document): Bytes {
    const { work } = this
    return work.staged.record(tx, this.namespace, payload, work)
  }

  private recordOf(tx: Tx, member: Slice, payload: Slice): Bytes {
    const isLong = member.length >= memberKeyBytesMax
    const isLarge = payload.length > inlineValueBytesMax
    const body = isLarge ? Slice.of(this.recordOfLarge(tx, documentOfSlice(payload))) : payload
    const head = isLong ? 5 + member.length : 1
    const record = room(head + body.length)
    record[0] = (isLong ? flag.long : 0) | (isLarge ? flag.chunked : 0)
    if (isLong) {
      writeUint32(record, 1, member.length)
      record.set(member.view(), 5)
    }
    const { bytes, start, end } = body
    for (let at = start, to = head; at < end; at++, to++) record[to] = bytes[at] as number
    return record
  }

  private *read(step: Step<Bytes | undefined>, member: Slice): Program<Member | undefined> {
    const value = yield* step
    if (value === undefined) return undefined
    return isPlain(value) ? plain(value, member) : yield* this.open(value, member)
  }

  private *open(value: Bytes, asked: Slice): Program<Member> {
    const flags = value[0] as number
    const isLong = (flags & flag.long) !== 0
    const at = isLong ? 5 + readUint32(value, 1) : 1
    const member = isLong ? new Slice(value, 5, at) : asked
    if ((flags & flag.chunked) === 0) {
      return { member, payload: new Slice(value, at, value.length), chunks: undefined }
    }
    const body = value.subarray(at)
    this.work.expect(body)
    const payload = Slice.of(yield* documentOfRecord(this.tx, body))
    return { member, payload, chunks: headOf(body)?.value }
  }
}

/**
 * A large payload as a document to stage. It is not copied if it is most of its memory; a small
 * part of a pipeline would keep all of that.
 */
function documentOfSlice(payload: Slice): Bytes {
  return 2 * payload.length > payload.bytes.length ? payload.view() : payload.copy()
}

/** The part that has a record for each member under its name, in hashes, sets and sorted sets. */
export const namesPart = 0

/** Offset of the suffix in a member's key. */
export const suffixAt = prefixBytes

/** The bytes of a member's key after its part. */
export function suffixOf(key: Bytes): Bytes {
  return key.subarray(prefixBytes)
}

/** Chunks that a member's record refers to, for a caller that deletes records one by one. */
export function chunksOfMember(value: Bytes): ValueId | undefined {
  return chunkedOfMember(value)?.value
}

/** Like chunksOfMember, with their length. */
export function chunkedOfMember(value: Bytes): ChunkedHead | undefined {
  const flags = value[0] as number
  if ((flags & flag.chunked) === 0) return undefined
  return headOf(value.subarray(headBytes(value)))
}

/** The part that a key of this class is in. */
export function partOf(key: Bytes): number {
  return key[prefixBytes - 1] as number
}

/** Length of a record before the payload, or before the reference to it. */
function headBytes(value: Bytes): number {
  return ((value[0] as number) & flag.long) === 0 ? 1 : 5 + readUint32(value, 1)
}

/** Eight bytes that order like the numbers, negative ones included. */
export function numberSlice(number: number): Slice {
  const bytes = new Uint8Array(numberBytes)
  writeNumber(bytes, 0, number)
  return new Slice(bytes, 0, numberBytes)
}

/** Writes the bytes of numberSlice into a record. */
export function writeNumber(bytes: Bytes, at: number, number: number): void {
  const high = Math.floor(number / twoTo32)
  writeUint32(bytes, at, high ^ 0x80000000)
  writeUint32(bytes, at + 4, number - high * twoTo32)
}

/** Bytes of a number in a member's record, in numeric order. */
export const numberBytes = 8

export function numberOfSlice({ bytes, start }: Slice): number {
  return ((readUint32(bytes, start) ^ 0x80000000) | 0) * twoTo32 + readUint32(bytes, start + 4)
}

/** Whether a record is a flag byte and the payload, with the member in its key. */
export function isPlain(value: Bytes): boolean {
  return value[0] === 0
}

function plain(value: Bytes, member: Slice): Member {
  return { member, payload: new Slice(value, 1, value.length), chunks: undefined }
}

/**
 * A key of exactly memberKeyBytesMax belongs to a longer member, or to one of exactly that length.
 */
function hashedKey(prefix: Bytes, member: Slice): Bytes {
  const whole = member.view()
  const key = new Uint8Array(prefixBytes + memberKeyBytesMax)
  key.set(prefix)
  key.set(whole.subarray(0, memberKeyPrefixBytes), prefixBytes)
  key.set(createHash('sha256').update(whole).digest(), prefixBytes + memberKeyPrefixBytes)
  return key
}

function writeUint32(bytes: Bytes, at: number, n: number): void {
  bytes[at] = n >>> 24
  bytes[at + 1] = n >>> 16
  bytes[at + 2] = n >>> 8
  bytes[at + 3] = n
}

function readUint32(bytes: Bytes, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
}
