// Members of a large container: records of class 0x08 under the container's id, in parts. A part is
// ordered by its members' bytes, or by numbers: what the parts of a type hold, its noun says. A
// member too long for a key keeps a prefix and a SHA-256 there and lies whole in its record; a
// value too large for a record lies in chunks.
// (docs/design/storage.md, "Key space"; docs/design/transactions.md, rules 8 and 13)

import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, prefixEnd } from '../../../base/bytes/bytes.js'
import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { room } from '../../../base/heap/slab.js'
import {
  inlineValueBytesMax,
  memberKeyBytesMax,
  memberKeyPrefixBytes,
} from '../../../base/limits.js'
import { Done } from '../../../store/steps.js'
import type { Entry, InPlace, KeyRange, Program, ReadTx, Step, Tx } from '../../../store/store.js'
import { discardValue, membersPrefix, type ValueId } from '../../background/garbage.js'
import { noWaste, wasteOf } from '../../background/waste.js'
import { type ChunkedHead, documentOfRecord, headOf } from '../../collection/records.js'
import type { Access, MembersId, NamespaceId } from '../../types.js'
import { lookUp } from '../look-up.js'
import type { Tally, Work } from '../work.js'

/** class u8, id u64, part u8. */
const prefixBytes = 10
const twoTo32 = 4294967296

/** Of a short member without payload. The store keeps it; it must not be changed. */
const emptyRecord = new Uint8Array(1)

/** First byte of a member's record: bits. */
const flag = { long: 1, chunked: 2 } as const

export interface Member {
  /** Of a numbered part: the eight bytes of the number. */
  readonly member: Slice
  readonly payload: Slice
  /** Where the payload lies, if that is in chunks. */
  readonly chunks: ValueId | undefined
}

export class Members {
  private readonly prefixes: (Bytes | undefined)[] = []
  private readonly tally: Tally

  constructor(
    private readonly tx: ReadTx,
    private readonly namespace: NamespaceId,
    readonly id: MembersId,
    private readonly work: Work,
    /** Of the database, where its members are changed one by one. */
    private readonly access?: Access,
  ) {
    this.tally = work.tally(id)
  }

  /** The members take so many bytes more, as quotas count them: their noun knows how many. */
  grow(bytes: number): void {
    this.tally.bytes += bytes
  }

  /** By how much they have grown since the head was written last. */
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

  /** Of a numbered part. */
  at(part: number, number: number): Step<Member | undefined> {
    return this.get(part, numberSlice(number))
  }

  /** `before` is what `get` has answered: its chunks are given up. */
  put(part: number, member: Slice, payload: Slice, before?: Member): void {
    const tx = this.tx as Tx
    const record = this.recordOf(tx, member, payload)
    this.work.changes++
    if (before !== undefined) this.discardChunks(before)
    tx.put(this.keyOf(part, member), record)
  }

  /** As put, of a member without payload whose key `keyOf` has answered. */
  putEmpty(key: Bytes, member: Slice): void {
    const tx = this.tx as Tx
    this.work.changes++
    const isShort = member.length < memberKeyBytesMax
    tx.put(key, isShort ? emptyRecord : this.recordOf(tx, member, emptySlice))
  }

  /** A record where it lies, its flags before its payload: nothing long, and nothing in chunks. */
  getRaw(key: Bytes): Step<Bytes | undefined> {
    return lookUp(this.tx, key)
  }

  putRaw(key: Bytes, record: Bytes): void {
    this.work.changes++
    ;(this.tx as Tx).put(key, record)
  }

  /** Of a member that has nothing in chunks. */
  removeRaw(key: Bytes): void {
    this.work.changes++
    ;(this.tx as Tx).remove(key)
  }

  /** A record of another container's members, in the same place of this one. */
  *putCopy(entry: Entry): Program<void> {
    const tx = this.tx as Tx
    const key = entry.key.slice()
    key.set(membersPrefix(this.id))
    let { value } = entry
    const head = headBytes(value)
    if (((value[0] as number) & flag.chunked) !== 0) {
      const payload = yield* documentOfRecord(tx, value.subarray(head))
      const body = this.work.staged.record(tx, this.namespace, payload)
      value = concatBytes(value.subarray(0, head), body)
    }
    this.work.changes++
    tx.put(key, value)
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

  /** Members of a part in the order of a range; a write program sees what it has written. */
  *scan(range: KeyRange, limit: number): Program<Member[]> {
    const entries = yield* this.entries(range, limit)
    const found: Member[] = []
    for (const { key, value } of entries) {
      const member = new Slice(key, prefixBytes, key.length)
      found.push(isPlain(value) ? plain(value, member) : yield* this.open(value, member))
    }
    return found
  }

  /** As scan, of the records as they lie. */
  *entries(range: KeyRange, limit: number): Program<Entry[]> {
    const { tx } = this
    if (!('scanOwn' in tx)) return yield* tx.scan(range, limit)
    const entries = yield* (tx as Tx).scanOwn(range, limit)
    this.work.read(entries.length)
    return entries
  }

  /** What a record is. */
  *memberOf({ key, value }: Entry): Program<Member> {
    const member = new Slice(key, prefixBytes, key.length)
    return isPlain(value) ? plain(value, member) : yield* this.open(value, member)
  }

  /** All of a part; `after` goes on behind a member, in the direction of the range. */
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

  /** From the first to the last number, both included; `last` below `first` is an empty range. */
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

  /** For changes of short members where they will lie; undefined where they are not at hand. */
  get inPlace(): InPlace | undefined {
    return (this.tx as Partial<Tx>).inPlace
  }

  /** As keyOf, of a short member, into a write; `before` bytes behind the part are left free. */
  writeKey(target: Bytes, at: number, part: number, before: number, member: Slice): void {
    const prefix = this.prefix(part)
    for (let i = 0; i < prefixBytes; i++) target[at + i] = prefix[i] as number
    const { bytes, start, end } = member
    const to = at + prefixBytes + before - start
    for (let i = start; i < end; i++) target[to + i] = bytes[i] as number
  }

  /** A record was put or removed by `inPlace`. */
  changed(): void {
    this.work.changes++
  }

  /** A key of a part from the bytes behind the part's own (`suffixOf`): a bound, or a place. */
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

  private recordOf(tx: Tx, member: Slice, payload: Slice): Bytes {
    const isLong = member.length >= memberKeyBytesMax
    const isLarge = payload.length > inlineValueBytesMax
    const body = isLarge
      ? Slice.of(this.work.staged.record(tx, this.namespace, payload.copy()))
      : payload
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
    const payload = Slice.of(yield* documentOfRecord(this.tx, body))
    return { member, payload, chunks: headOf(body)?.value }
  }
}

/** Where that stands in a member's key. */
export const suffixAt = prefixBytes

/** What stands in a member's key behind its part. */
export function suffixOf(key: Bytes): Bytes {
  return key.subarray(prefixBytes)
}

/** Chunks that the record of a member points at: for a caller that deletes records one by one. */
export function chunksOfMember(value: Bytes): ValueId | undefined {
  return chunkedOfMember(value)?.value
}

/** As chunksOfMember, with their length. */
export function chunkedOfMember(value: Bytes): ChunkedHead | undefined {
  const flags = value[0] as number
  if ((flags & flag.chunked) === 0) return undefined
  return headOf(value.subarray(headBytes(value)))
}

/** The part that a key of this class is in. */
export function partOf(key: Bytes): number {
  return key[prefixBytes - 1] as number
}

/** What stands in a record before the payload, or before what points at it. */
function headBytes(value: Bytes): number {
  return ((value[0] as number) & flag.long) === 0 ? 1 : 5 + readUint32(value, 1)
}

/** Eight bytes that are ordered as the numbers are; negative ones too. */
export function numberSlice(number: number): Slice {
  const bytes = new Uint8Array(numberBytes)
  writeNumber(bytes, 0, number)
  return new Slice(bytes, 0, numberBytes)
}

/** The bytes of numberSlice, into a record. */
export function writeNumber(bytes: Bytes, at: number, number: number): void {
  const high = Math.floor(number / twoTo32)
  writeUint32(bytes, at, high ^ 0x80000000)
  writeUint32(bytes, at + 4, number - high * twoTo32)
}

/** Bytes of a number as members keep it: in the order of the numbers. */
export const numberBytes = 8

export function numberOfSlice({ bytes, start }: Slice): number {
  return ((readUint32(bytes, start) ^ 0x80000000) | 0) * twoTo32 + readUint32(bytes, start + 4)
}

/** Whether a record is a byte and the payload, and the member stands in its key. */
export function isPlain(value: Bytes): boolean {
  return value[0] === 0
}

function plain(value: Bytes, member: Slice): Member {
  return { member, payload: new Slice(value, 1, value.length), chunks: undefined }
}

/** A key of exactly memberKeyBytesMax stands for a longer member, or one of that very length. */
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
