// Key-value commands and replies as JSON. Words are strings, numbers or wrapped bytes. Replies look
// as for a RESP2 client: maps and scores flat, doubles as text. Integers that JSON clients would
// round are text, and bytes that are not UTF-8 are base64. (docs/http.md, "Key-value commands")

import { type Bytes, shortUtf8, utf8 } from '../../../base/bytes/bytes.js'
import { doubleText } from '../../../base/bytes/double-text.js'
import { Slice } from '../../../base/bytes/slice.js'
import { fail } from '../../../base/errors.js'
import type { Reply, Tagged } from '../../../bus/keyvalue/reply.js'
import { RespRequest } from '../../../protocol/resp/request.js'
import { elementsOf } from '../../../value/elements.js'
import { valueToJson } from '../../../value/json/json.js'
import { numberOf } from '../../../value/numbers.js'
import { bigintOf, boolOf, bsonType, doubleOf, type Value } from '../../../value/value.js'

/** Of an array without elements: its length and its end. */
const emptyArrayBytes = 5

/** Words as a command: one buffer and offsets, as from a socket. */
export function requestOf(words: readonly Bytes[]): RespRequest {
  const table = new Int32Array(words.length * 2)
  let length = 0
  for (let i = 0; i < words.length; i++) {
    table[2 * i] = length
    length += (words[i] as Bytes).length
    table[2 * i + 1] = length
  }
  const bytes = new Uint8Array(length)
  for (let i = 0; i < words.length; i++) bytes.set(words[i] as Bytes, table[2 * i])
  return new RespRequest(bytes, table, 0, words.length)
}

/**
 * A command as an array; its first element is the name. With `asJson`, elements other than strings
 * and numbers become their JSON. Throws BadValue.
 */
export function commandOf(given: Value, asJson = false): RespRequest {
  requireWords(given)
  return requestOf(elementsOf(given).map((value) => wordOf(value, asJson)))
}

/** Throws BadValue unless it is a non-empty array. */
export function requireWords({ type, start, end }: Value): void {
  if (type !== bsonType.array) throw fail('BadValue', 'a command must be an array')
  if (end - start <= emptyArrayBytes) throw fail('BadValue', 'a command must not be empty')
}

/** One word of a command, as commandOf takes it. Throws BadValue. */
export function wordOf(value: Value, asJson: boolean): Bytes {
  const { type, bytes, start, end } = value
  switch (type) {
    case bsonType.string:
      return bytes.subarray(start + 4, end - 1)
    case bsonType.int32:
      return shortUtf8(String(numberOf(value)))
    case bsonType.int64:
      return shortUtf8(String(bigintOf(value)))
    case bsonType.double:
      return shortUtf8(String(doubleOf(value)))
    case bsonType.binary:
      return bytes.subarray(start + 5, end)
    case bsonType.bool:
      if (asJson) return utf8(String(boolOf(value)))
      break
    default:
      if (asJson) return utf8(valueToJson(value, 'plain'))
  }
  throw fail('BadValue', 'words of a command must be strings, numbers or {"$binary": …}')
}

/** Encoding of text: plain, base64, or lossy for clients that accept nothing else. */
export type TextEncoding = 'plain' | 'base64' | 'lossy'

/** A reply as JSON text; an error inside an array is an object. */
export function replyJson(reply: Reply, encoding: TextEncoding): string {
  if (reply instanceof Slice) return textJson(reply, encoding)
  if (reply instanceof Uint8Array) return textJson(Slice.of(reply), encoding)
  if (reply === null) return 'null'
  switch (typeof reply) {
    case 'string':
      return textJson(Slice.ofText(reply), encoding)
    case 'number':
      return String(reply)
    case 'bigint':
      return integerJson(reply, encoding)
  }
  return 'kind' in reply ? taggedJson(reply, encoding) : arrayJson(reply, encoding)
}

function taggedJson(reply: Tagged, encoding: TextEncoding): string {
  switch (reply.kind) {
    case 'simple':
      // The only status that base64 clients expect as plain text.
      return reply.text === 'OK' ? '"OK"' : textJson(Slice.ofText(reply.text), encoding)
    case 'error':
      return `{"error":${JSON.stringify(reply.text)}}`
    case 'nullArray':
    case 'none':
      return 'null'
    case 'double':
      return textJson(Slice.ofText(doubleText(reply.value)), encoding)
    case 'verbatim':
      return textJson(Slice.ofText(reply.text), encoding)
    case 'map':
    case 'scored':
      return arrayJson(reply.pairs, encoding)
    case 'set':
    case 'push':
    case 'several':
      return arrayJson(reply.items, encoding)
    default:
      return reply satisfies never
  }
}

function arrayJson(items: readonly Reply[], encoding: TextEncoding): string {
  const parts: string[] = []
  for (let i = 0; i < items.length; i++) parts.push(replyJson(items[i] as Reply, encoding))
  return `[${parts.join(',')}]`
}

function integerJson(value: bigint, encoding: TextEncoding): string {
  const isSafe = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
  return isSafe ? String(value) : textJson(Slice.ofText(String(value)), encoding)
}

/** Text, or bytes in the plain form. */
export function textJson(slice: Slice, encoding: TextEncoding = 'plain'): string {
  if (encoding === 'base64') return `"${base64(slice)}"`
  if (encoding === 'lossy' || slice.isText()) return JSON.stringify(slice.text())
  return `{"$binary":"${base64(slice)}"}`
}

export function base64({ bytes, start, end }: Slice): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('base64')
}
