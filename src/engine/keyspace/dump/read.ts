// RESTORE: what a dump of the peer's, or of ours, holds. Every type of version 10 and below that is
// no module and no stream, in each of its encodings. A payload is a client's: it is believed in
// nothing.

import type { Bytes } from '../../../base/bytes.js'
import type { Slice } from '../../../base/slice.js'
import type { Contents } from '../contents.js'
import type { HashField } from '../hash.js'
import { parseFloat64 } from '../numbers.js'
import type { ScoredMember } from '../sorted-set.js'
import { crc64 } from './crc64.js'
import { readIntset, readListpack, readZiplist, readZipmap } from './packed.js'
import { badFormat, DumpReader } from './reader.js'
import { dumpType, dumpVersion, footerBytes } from './types.js'

/** Whether a payload is whole and of a version that can be read. */
export function isIntact(payload: Bytes): boolean {
  if (payload.length < footerBytes) return false
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const end = payload.length - footerBytes
  if (view.getUint16(end, true) > dumpVersion) return false
  const { high, low } = crc64(payload, 0, end + 2)
  return view.getUint32(end + 2, true) === low && view.getUint32(end + 6, true) === high
}

/** What an intact payload holds. Throws "Bad data format". */
export function readDump(payload: Bytes): Contents {
  const reader = new DumpReader(payload, 1, payload.length - footerBytes)
  if (payload.length === footerBytes) throw badFormat()
  switch (payload[0]) {
    case dumpType.string:
      return { type: 'string', text: reader.string() }
    case dumpType.list:
      return list(strings(reader, reader.count()))
    case dumpType.listZiplist:
      return list(readZiplist(reader.nested()))
    case dumpType.listQuicklist:
      return list(many(reader.count(), () => readZiplist(reader.nested())))
    case dumpType.listQuicklist2:
      return list(many(reader.count(), () => quicklistNode(reader)))
    case dumpType.set:
      return set(strings(reader, reader.count()))
    case dumpType.setIntset:
      return set(readIntset(reader.nested()))
    case dumpType.zset:
      return zset(scored(reader, () => reader.double()))
    case dumpType.zsetText:
      return zset(scored(reader, () => textScore(reader)))
    case dumpType.zsetZiplist:
      return zset(pairs(readZiplist(reader.nested())).map(scoredPair))
    case dumpType.zsetListpack:
      return zset(pairs(readListpack(reader.nested())).map(scoredPair))
    case dumpType.hash:
      return hash(pairs(strings(reader, reader.count() * 2)))
    case dumpType.hashZipmap:
      return hash(pairs(readZipmap(reader.nested())))
    case dumpType.hashZiplist:
      return hash(pairs(readZiplist(reader.nested())))
    case dumpType.hashListpack:
      return hash(pairs(readListpack(reader.nested())))
    default:
      throw badFormat()
  }
}

function strings(reader: DumpReader, count: number): Slice[] {
  if (count > reader.left) throw badFormat()
  return Array.from({ length: count }, () => reader.string())
}

function many(count: number, read: () => Slice[]): Slice[] {
  const found: Slice[] = []
  for (let i = 0; i < count; i++) for (const each of read()) found.push(each)
  return found
}

const nodeKind = { plain: 1, packed: 2 } as const

function quicklistNode(reader: DumpReader): Slice[] {
  const kind = reader.count()
  if (kind === nodeKind.plain) return [reader.string()]
  if (kind !== nodeKind.packed) throw badFormat()
  return readListpack(reader.nested())
}

function scored(reader: DumpReader, score: () => number): ScoredMember[] {
  return Array.from({ length: reader.count() }, () => {
    const member = reader.string()
    return { member, score: score() }
  })
}

/** A length and digits, or one of the lengths that mean what has no digits. */
function textScore(reader: DumpReader): number {
  const length = reader.byte()
  switch (length) {
    case 253:
      return Number.NaN
    case 254:
      return Number.POSITIVE_INFINITY
    case 255:
      return Number.NEGATIVE_INFINITY
    default:
      return scoreOf(reader.raw(length))
  }
}

type Pair = readonly [Slice, Slice]

function pairs(flat: readonly Slice[]): Pair[] {
  if (flat.length % 2 !== 0) throw badFormat()
  const found: Pair[] = []
  for (let i = 0; i < flat.length; i += 2) found.push([flat[i] as Slice, flat[i + 1] as Slice])
  return found
}

function scoredPair([member, score]: Pair): ScoredMember {
  return { member, score: scoreOf(score) }
}

function scoreOf({ bytes, start, end }: Slice): number {
  return parseFloat64(bytes, start, end) ?? Number.NaN
}

function list(elements: readonly Slice[]): Contents {
  if (elements.length === 0) throw badFormat()
  return { type: 'list', elements }
}

function set(members: readonly Slice[]): Contents {
  requireDistinct(members)
  return { type: 'set', members }
}

function zset(entries: readonly ScoredMember[]): Contents {
  requireDistinct(entries.map(({ member }) => member))
  if (entries.some(({ score }) => Number.isNaN(score))) throw badFormat()
  return { type: 'zset', entries }
}

function hash(found: readonly Pair[]): Contents {
  requireDistinct(found.map(([field]) => field))
  const fields: HashField[] = found.map(([field, value]) => ({ field, value }))
  return { type: 'hash', fields }
}

/** At least one, and none of them twice. */
function requireDistinct(names: readonly Slice[]): void {
  const seen = new Set(names.map((name) => Buffer.from(name.view()).toString('latin1')))
  if (names.length === 0 || seen.size !== names.length) throw badFormat()
}
