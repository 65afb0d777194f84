// RESTORE: decodes a dump of Redis or of Sigil. It supports every type up to version 10 except
// modules and streams, in each encoding. The payload comes from a client and is not trusted.

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit, wordUnits } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { eachInTurns } from '../containers/in-turns.js'
import type { HashField } from '../hashes/hash.js'
import type { Contents } from '../keys/contents.js'
import type { ScoredMember } from '../sorted-sets/sorted-set.js'
import { parseFloat64 } from '../strings/numbers.js'
import { crc64InTurns } from './crc64.js'
import { readIntset, readListpack, readZiplist, readZipmap } from './packed.js'
import { badFormat, DumpReader } from './reader.js'
import { dumpType, dumpVersion, footerBytes } from './types.js'

/** Whether a payload has a valid checksum and a readable version. */
export function* isIntact(tx: ReadTx, payload: Bytes): Program<boolean> {
  if (payload.length < footerBytes) return false
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const end = payload.length - footerBytes
  if (view.getUint16(end, true) > dumpVersion) return false
  const { high, low } = yield* crc64InTurns(tx, payload, end + 2)
  return view.getUint32(end + 2, true) === low && view.getUint32(end + 6, true) === high
}

/** Decodes an intact payload. Throws "Bad data format". */
export function* readDump(tx: ReadTx, payload: Bytes): Program<Contents> {
  const reader = new DumpReader(payload, 1, payload.length - footerBytes)
  if (payload.length === footerBytes) throw badFormat()
  switch (payload[0]) {
    case dumpType.string:
      return { type: 'string', text: reader.string() }
    case dumpType.list:
      return list(yield* strings(tx, reader, reader.count()))
    case dumpType.listZiplist:
      return list(readZiplist(reader.nested()))
    case dumpType.listQuicklist:
      return list(yield* many(tx, reader.count(), () => readZiplist(reader.nested())))
    case dumpType.listQuicklist2:
      return list(yield* many(tx, reader.count(), () => quicklistNode(reader)))
    case dumpType.set:
      return yield* set(tx, yield* strings(tx, reader, reader.count()))
    case dumpType.setIntset:
      return yield* set(tx, readIntset(reader.nested()))
    case dumpType.zset:
      return yield* zset(tx, yield* scored(tx, reader, () => reader.double()))
    case dumpType.zsetText:
      return yield* zset(tx, yield* scored(tx, reader, () => textScore(reader)))
    case dumpType.zsetZiplist:
      return yield* zset(tx, pairs(readZiplist(reader.nested())).map(scoredPair))
    case dumpType.zsetListpack:
      return yield* zset(tx, pairs(readListpack(reader.nested())).map(scoredPair))
    case dumpType.hash:
      return yield* hash(tx, pairs(yield* strings(tx, reader, reader.count() * 2)))
    case dumpType.hashZipmap:
      return yield* hash(tx, pairs(readZipmap(reader.nested())))
    case dumpType.hashZiplist:
      return yield* hash(tx, pairs(readZiplist(reader.nested())))
    case dumpType.hashListpack:
      return yield* hash(tx, pairs(readListpack(reader.nested())))
    default:
      throw badFormat()
  }
}

function* strings(tx: ReadTx, reader: DumpReader, count: number): Program<Slice[]> {
  if (count > reader.left) throw badFormat()
  const found: Slice[] = []
  while (found.length < count) {
    found.push(reader.string())
    yield* tx.pause(wordUnits)
  }
  return found
}

function* many(tx: ReadTx, count: number, read: () => Slice[]): Program<Slice[]> {
  const found: Slice[] = []
  for (let i = 0; i < count; i++) {
    const some = read()
    for (const each of some) found.push(each)
    yield* tx.pause(some.length)
  }
  return found
}

const nodeKind = { plain: 1, packed: 2 } as const

function quicklistNode(reader: DumpReader): Slice[] {
  const kind = reader.count()
  if (kind === nodeKind.plain) return [reader.string()]
  if (kind !== nodeKind.packed) throw badFormat()
  return readListpack(reader.nested())
}

function* scored(tx: ReadTx, reader: DumpReader, score: () => number): Program<ScoredMember[]> {
  const count = reader.count()
  const found: ScoredMember[] = []
  while (found.length < count) {
    const member = reader.string()
    found.push({ member, score: score() })
    yield* tx.pause(wordUnits)
  }
  return found
}

/** A length and digits, or a special length for infinities and NaN. */
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

function* set(tx: ReadTx, members: readonly Slice[]): Program<Contents> {
  yield* requireDistinct(tx, members, (member) => member)
  return { type: 'set', members }
}

function* zset(tx: ReadTx, entries: readonly ScoredMember[]): Program<Contents> {
  yield* requireDistinct(tx, entries, ({ member }) => member)
  if (entries.some(({ score }) => Number.isNaN(score))) throw badFormat()
  return { type: 'zset', entries }
}

function* hash(tx: ReadTx, found: readonly Pair[]): Program<Contents> {
  yield* requireDistinct(tx, found, ([field]) => field)
  const fields: HashField[] = found.map(([field, value]) => ({ field, value }))
  return { type: 'hash', fields }
}

/** Requires at least one, without duplicates. */
function* requireDistinct<T>(
  tx: ReadTx,
  items: readonly T[],
  nameOf: (item: T) => Slice,
): Program<void> {
  const seen = new Set<string>()
  yield* eachInTurns(tx, items, (item) => {
    const name = nameOf(item).view()
    work.note(name.length / bytesPerUnit)
    seen.add(mapKey(name))
  })
  if (items.length === 0 || seen.size !== items.length) throw badFormat()
}
