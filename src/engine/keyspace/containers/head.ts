// The head of a large container: the field `value` of its document. Document clients see a summary,
// `{$truncated: true, count, id}`. The id identifies the members, which belong to this one
// document.

import { type Bytes, equalBytes } from '../../../base/bytes/bytes.js'
import { Elements, findElement } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { MembersId } from '../../types.js'

export interface Head {
  /** Never reused. */
  readonly id: MembersId
  /** Members, at least 1. */
  readonly count: number
  /** For a list: the position of its first element; positions have no gaps. Otherwise 0. */
  readonly first: number
  /** For a list: dropped members may still exist beside it (list-leftovers.ts). */
  readonly hasLeftovers?: boolean
  /**
   * Bytes of its members, as quotas count them. Absent in a head of an earlier version, which
   * counts only changes since. For a list that was cut by many elements at once, a proportional
   * share.
   */
  readonly bytes?: number
  /**
   * For a sorted set: the places of its first and last members, if known. A queue pops there
   * without scanning past removed members.
   */
  readonly lowest?: Bytes
  readonly highest?: Bytes
  /**
   * For a sorted set: levels of blocks that count its members (sorted-set-ranks.ts). Otherwise 0.
   */
  readonly levels?: number
}

/** A container whose members are written but whose record is not put yet. */
export interface Made {
  readonly head: Head
  /** Bytes of all members, as quotas count them. */
  readonly bytes: number
}

const mark = Buffer.from('$truncated')

/** Whether a stored value is a head, by its first field. */
export function isHead({ type, bytes, start }: Value): boolean {
  return type === bsonType.object && isMarked(bytes, start)
}

function isMarked(bytes: Bytes, start: number): boolean {
  for (let i = 0; i < mark.length; i++) if (bytes[start + 5 + i] !== mark[i]) return false
  return bytes[start + 5 + mark.length] === 0
}

/** Whether a client's value looks like a head, with the mark at any position. */
export function claimsHead({ type, bytes, start }: Value): boolean {
  return type === bsonType.object && findElement(bytes, start, mark) !== undefined
}

export function readHead({ bytes, start }: Value): Head {
  const elements = new Elements(bytes, start)
  let id = 0
  let count = 0
  let first = 0
  let levels = 0
  let bytesOfMembers: number | undefined
  let hasLeftovers = false
  let lowest: Bytes | undefined
  let highest: Bytes | undefined
  while (elements.next()) {
    if (elements.type === bsonType.bool) {
      if (bytes[elements.nameStart] === 0x68) hasLeftovers = bytes[elements.valueStart] === 1
      continue
    }
    if (elements.type === bsonType.binary) {
      const place = bytes.slice(elements.valueStart + 5, elements.valueEnd)
      if (bytes[elements.nameStart] === 0x6c) lowest = place
      else highest = place
      continue
    }
    const number = numberOf(elements.value())
    if (bytes[elements.nameStart] === 0x63) count = number
    else if (bytes[elements.nameStart] === 0x69) id = number
    else if (bytes[elements.nameStart] === 0x6c) levels = number
    else if (bytes[elements.nameStart] === 0x62) bytesOfMembers = number
    else first = number
  }
  const head: Head = {
    id: id as MembersId,
    count,
    first,
    ...(levels === 0 ? {} : { levels }),
    ...(bytesOfMembers === undefined ? {} : { bytes: bytesOfMembers }),
    ...(lowest === undefined ? {} : { lowest }),
    ...(highest === undefined ? {} : { highest }),
  }
  return hasLeftovers ? { ...head, hasLeftovers } : head
}

export function isSameHead(a: Head | undefined, b: Head): boolean {
  if (a === undefined || a.id !== b.id || a.count !== b.count || a.first !== b.first) return false
  const isAlike = (a.hasLeftovers ?? false) === (b.hasLeftovers ?? false)
  if (!isAlike || (a.levels ?? 0) !== (b.levels ?? 0) || a.bytes !== b.bytes) return false
  return isSamePlace(a.lowest, b.lowest) && isSamePlace(a.highest, b.highest)
}

function isSamePlace(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equalBytes(a, b))
}

/** Writes the head as the field `value`. */
export function writeHead(writer: DocumentWriter, head: Head): void {
  writer.openDocument('value').bool('$truncated', true).int64('count', head.count)
  writer.int64('id', head.id)
  if (head.first !== 0) writer.int64('first', head.first)
  if (head.levels !== undefined && head.levels > 0) writer.int32('levels', head.levels)
  if (head.bytes !== undefined) writer.int64('bytes', head.bytes)
  if (head.lowest !== undefined) writer.binary('lowest', 0, head.lowest)
  if (head.highest !== undefined) writer.binary('highest', 0, head.highest)
  if (head.hasLeftovers === true) writer.bool('hasLeftovers', true)
  writer.close()
}
