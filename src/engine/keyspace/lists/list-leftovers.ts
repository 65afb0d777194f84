// Leftovers of a large list after many members were cut at an end. A garbage record for each end
// holds their positions, and they are deleted later. When the list grows over them again, the push
// removes them from the record in the same transaction. So the background job never deletes used
// positions.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../../store/store.js'
import { discardValue, membersPrefix, trimmedKey } from '../../background/garbage.js'
import type { MembersId } from '../../types.js'
import { chunksOfMember, numberOfSlice, numberSlice } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'

export type End = 'front' | 'back'

/** Part of a list's members, ordered by position. */
export const positionsPart = 0

const positionBytes = 8
const endBytes: Readonly<Record<End, number>> = { front: 0, back: 1 }

/** A span of positions, both inclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Records positions at an end that the list no longer uses. */
export function* giveUp(ks: Keyspace, id: MembersId, end: End, given: Span): Program<void> {
  const key = trimmedKey(id, endBytes[end])
  const before = readSpan(yield* ks.tx.get(key))
  // Nothing lies between earlier leftovers and these, so one span holds both.
  const from = Math.min(given.from, before?.from ?? given.from)
  const to = Math.max(given.to, before?.to ?? given.to)
  ks.work.changes++
  writeSpan(ks.tx as Tx, key, { from, to })
}

/** Reclaims positions at an end for use. Returns whether leftovers remain. */
export function* takeBack(ks: Keyspace, id: MembersId, end: End, used: Span): Program<boolean> {
  const keys = [trimmedKey(id, endBytes.front), trimmedKey(id, endBytes.back)]
  const records = yield* ks.tx.getMany(keys)
  if (records.every((record) => record === undefined)) return false
  const place = endBytes[end]
  const left = readSpan(records[place])
  if (left === undefined || left.to < used.from || left.from > used.to) return true
  const members = ks.members(id)
  const from = Math.max(left.from, used.from)
  const range = members.numbers(positionsPart, from, Math.min(left.to, used.to))
  const covered = yield* members.page(range, used.to - used.from + 1)
  for (const member of covered.members) members.remove(positionsPart, member)
  const rest =
    end === 'front' ? { from: left.from, to: used.from - 1 } : { from: used.to + 1, to: left.to }
  writeSpan(ks.tx as Tx, keys[place] as Bytes, rest)
  return true
}

/** The positions of a list that are listed for deletion. */
export function* readLeftovers(tx: ReadTx, id: MembersId): Program<Span[]> {
  const keys = [trimmedKey(id, endBytes.front), trimmedKey(id, endBytes.back)]
  return (yield* tx.getMany(keys)).map(readSpan).filter((span) => span !== undefined)
}

/** Deletes the next `limit` members of a record; removes the record with the last one. */
export function* sweepLeftovers(
  tx: Tx,
  id: MembersId,
  key: Bytes,
  limit: number,
): Program<{ count: number; bytes: number }> {
  const span = readSpan(yield* tx.get(key))
  if (span === undefined) return { count: 0, bytes: 0 }
  const entries = yield* tx.scan(rangeOf(id, span), limit)
  let bytes = 0
  for (const { key: member, value } of entries) {
    const chunks = chunksOfMember(value)
    if (chunks !== undefined) discardValue(tx, chunks)
    tx.remove(member)
    bytes += member.length + value.length
  }
  const last = entries.at(-1)?.key
  const isOver = entries.length < limit || last === undefined
  // Tables may keep tombstones for a while, so the next step starts after them.
  writeSpan(tx, key, { from: isOver ? span.to + 1 : positionOf(last) + 1, to: span.to })
  return { count: entries.length, bytes }
}

function rangeOf(id: MembersId, { from, to }: Span): KeyRange {
  return { start: memberKey(id, from), end: memberKey(id, to + 1) }
}

function memberKey(id: MembersId, position: number): Bytes {
  const prefix = membersPrefix(id)
  const key = new Uint8Array(prefix.length + 1 + positionBytes)
  key.set(prefix)
  key[prefix.length] = positionsPart
  key.set(numberSlice(position).view(), prefix.length + 1)
  return key
}

function positionOf(key: Bytes): number {
  return numberOfSlice(new Slice(key, key.length - positionBytes, key.length))
}

function readSpan(record: Bytes | undefined): Span | undefined {
  if (record === undefined) return undefined
  const from = numberOfSlice(new Slice(record, 0, positionBytes))
  return { from, to: numberOfSlice(new Slice(record, positionBytes, record.length)) }
}

/** An empty span has no record. */
function writeSpan(tx: Tx, key: Bytes, { from, to }: Span): void {
  if (from > to) {
    tx.remove(key)
    return
  }
  const record = new Uint8Array(2 * positionBytes)
  record.set(numberSlice(from).view())
  record.set(numberSlice(to).view(), positionBytes)
  tx.put(key, record)
}
