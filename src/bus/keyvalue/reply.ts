// Replies as plain data: what a command answers before anyone knows which protocol its client
// speaks. The usual ones are plain values, the rest says what it is; the order is RESP3's. RESP2
// clients get what the peer gives them, HTTP clients JSON.

import type { Bytes } from '../../base/bytes.js'
import { Slice } from '../../base/slice.js'
import { compareUnits } from '../../base/work-figures.js'
import type { Program, ReadTx } from '../../store/store.js'

/**
 * Bytes, slices and strings (UTF-8) are bulk strings, numbers (safe integers) and bigints (64 bits)
 * integers, `null` is the nil of bulk strings, an array an array.
 */
export type Reply = Bytes | Slice | string | number | bigint | null | readonly Reply[] | Tagged

export type Tagged =
  | { readonly kind: 'simple'; readonly text: string }
  /** The whole line without its dash: inside the array of EXEC. */
  | { readonly kind: 'error'; readonly text: string }
  /** Nil where an array would stand. */
  | { readonly kind: 'nullArray' }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'verbatim'; readonly text: string }
  /** Nothing: the command has answered by pushes, or will not answer. */
  | { readonly kind: 'none' }
  /** RESP2: an array. */
  | { readonly kind: 'set' | 'push'; readonly items: readonly Reply[] }
  /** Keys and values in turn. RESP2: a flat array. */
  | { readonly kind: 'map'; readonly pairs: readonly Reply[] }
  /** Members with scores: RESP3 nests each pair in an array, RESP2 has them flat. */
  | { readonly kind: 'scored'; readonly pairs: readonly Reply[] }
  /** One reply behind the other: what one command answers by several, such as SUBSCRIBE. */
  | { readonly kind: 'several'; readonly items: readonly Reply[] }

/** Values of one list whose bytes are added up in one go. */
const countedAtOnce = 4_096
/** Bytes of longer ones. */
const counted = new WeakMap<readonly Reply[], number>()

export const ok: Reply = { kind: 'simple', text: 'OK' }
export const queued: Reply = { kind: 'simple', text: 'QUEUED' }
export const nullArray: Reply = { kind: 'nullArray' }
export const emptyArray: Reply = []
export const none: Reply = { kind: 'none' }

export function simple(text: string): Reply {
  return { kind: 'simple', text }
}

/** A score. */
export function double(value: number): Reply {
  return { kind: 'double', value }
}

export function map(pairs: readonly Reply[]): Reply {
  return { kind: 'map', pairs }
}

export function set(items: readonly Reply[]): Reply {
  return { kind: 'set', items }
}

export function push(items: readonly Reply[]): Reply {
  return { kind: 'push', items }
}

/** Text for people. RESP2: a bulk string. */
export function verbatim(text: string): Reply {
  return { kind: 'verbatim', text }
}

/** Bytes that a reply holds, those of its values alone. */
export function bytesOfReply(reply: Reply): number {
  if (typeof reply === 'string') return reply.length
  if (reply === null || typeof reply !== 'object') return 0
  if (reply instanceof Uint8Array) return reply.length
  if (reply instanceof Slice) return reply.end - reply.start
  if (!('kind' in reply)) return bytesOfAll(reply)
  if ('items' in reply) return bytesOfAll(reply.items)
  return 'pairs' in reply ? bytesOfAll(reply.pairs) : 0
}

function bytesOfAll(replies: readonly Reply[]): number {
  const known = replies.length > countedAtOnce ? counted.get(replies) : undefined
  if (known !== undefined) return known
  let bytes = 0
  for (let i = 0; i < replies.length; i++) bytes += bytesOfReply(replies[i] as Reply)
  return bytes
}

/** Adds up the bytes of a long list, pausing; `bytesOfReply` knows them from then on. */
export function* countLong(tx: ReadTx, reply: Reply): Program<void> {
  const list = longList(reply)
  if (list === undefined) return
  let bytes = 0
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Reply
    if (longList(item) !== undefined) yield* countLong(tx, item)
    bytes += bytesOfReply(item)
    if (i % countedAtOnce === 0) yield* tx.pause(countedAtOnce * compareUnits)
  }
  counted.set(list, bytes)
}

/** The values of a reply that are too many to be counted in one go. */
export function longList(reply: Reply): readonly Reply[] | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
  if (reply instanceof Slice || reply instanceof Uint8Array) return undefined
  let list: readonly Reply[] | undefined
  if (!('kind' in reply)) list = reply
  else if ('items' in reply) list = reply.items
  else if ('pairs' in reply) list = reply.pairs
  return list !== undefined && list.length > countedAtOnce ? list : undefined
}
