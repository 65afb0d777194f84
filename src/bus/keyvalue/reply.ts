// Replies as plain data, independent of the client's protocol version. Common replies are plain
// values, the others name their kind; the order is RESP3's. RESP2 clients get what Redis sends
// them, HTTP clients JSON.

import type { Bytes } from '../../base/bytes/bytes.js'
import { Slice } from '../../base/bytes/slice.js'
import type { GatewayError } from '../../base/errors.js'
import { replyValuesAtOnce } from '../../base/limits/key-value.js'
import { errorLine } from '../../base/reply-error.js'
import { valueUnits } from '../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../store/store.js'

/**
 * Bytes, slices and strings (UTF-8) are bulk strings. Numbers (safe integers) and bigints (64 bits)
 * are integers. `null` is the nil of bulk strings, and an array an array.
 */
export type Reply = Bytes | Slice | string | number | bigint | null | readonly Reply[] | Tagged

export type Tagged =
  | { readonly kind: 'simple'; readonly text: string }
  /** The whole line without its dash, as in the array of EXEC. */
  | { readonly kind: 'error'; readonly text: string }
  /** The nil of arrays. */
  | { readonly kind: 'nullArray' }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'verbatim'; readonly text: string }
  /** No reply: the command answered by pushes, or does not answer. */
  | { readonly kind: 'none' }
  /** RESP2: an array. */
  | { readonly kind: 'set' | 'push'; readonly items: readonly Reply[] }
  /** Alternating keys and values. RESP2: a flat array. */
  | { readonly kind: 'map'; readonly pairs: readonly Reply[] }
  /** Members with scores. RESP3 nests each pair in an array; RESP2 is flat. */
  | { readonly kind: 'scored'; readonly pairs: readonly Reply[] }
  /** Several replies in a row to one command, such as SUBSCRIBE. */
  | { readonly kind: 'several'; readonly items: readonly Reply[] }

export const ok: Reply = { kind: 'simple', text: 'OK' }
export const queued: Reply = { kind: 'simple', text: 'QUEUED' }
export const nullArray: Reply = { kind: 'nullArray' }
export const emptyArray: Reply = []
export const none: Reply = { kind: 'none' }

export function simple(text: string): Reply {
  return { kind: 'simple', text }
}

/** A score, as a double. */
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

/** The items of a compound reply. */
export function itemsOf(reply: Reply): readonly Reply[] | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
  if (reply instanceof Slice || reply instanceof Uint8Array) return undefined
  if (!('kind' in reply)) return reply
  if ('items' in reply) return reply.items
  return 'pairs' in reply ? reply.pairs : undefined
}

/** Number of values in the reply, counted up to `most`. */
export function valuesOf(reply: Reply, most: number): number {
  const items = itemsOf(reply)
  if (items === undefined) return 1
  let count = items.length
  for (let i = 0; i < items.length && count < most; i++) {
    const item = items[i] as Reply
    if (typeof item === 'object' && !(item instanceof Slice)) count += valuesOf(item, most - count)
  }
  return count
}

/** Whether it has more values than one turn may count. */
export function isLong(reply: Reply): boolean {
  return valuesOf(reply, replyValuesAtOnce + 1) > replyValuesAtOnce
}

/** Bytes of the values of a reply. */
export function bytesOfReply(reply: Reply): number {
  if (typeof reply === 'string') return reply.length
  if (reply === null || typeof reply !== 'object') return 0
  if (reply instanceof Uint8Array) return reply.length
  if (reply instanceof Slice) return reply.end - reply.start
  const items = itemsOf(reply)
  if (items === undefined) return 0
  let bytes = 0
  for (let i = 0; i < items.length; i++) bytes += bytesOfReply(items[i] as Reply)
  return bytes
}

/** As bytesOfReply for a long reply, with pauses; includes the places of its values. */
export function* bytesInTurns(tx: ReadTx, reply: Reply): Program<number> {
  const items = itemsOf(reply) ?? []
  let bytes = items.length * placeBytes
  for (let i = 0; i < items.length; i++) {
    yield* tx.pause(valueUnits)
    const item = items[i] as Reply
    bytes += isLong(item) ? yield* bytesInTurns(tx, item) : bytesOfReply(item)
  }
  return bytes
}

/** Memory of one place of an array, bytes. */
const placeBytes = 8

export function errorReply(error: GatewayError): Tagged {
  return { kind: 'error', text: errorLine(error) }
}
