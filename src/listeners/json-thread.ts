// Parses and writes long JSON texts, and long fields of SQL rows, in a thread, because the event
// loop cannot pause inside one document of 16 MiB. The thread exists while it has work.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Slice } from '../base/bytes/slice.js'
import { type ErrorExtra, fail, type GatewayError } from '../base/errors.js'
import { jsonInThreadBytes } from '../base/limits/engine.js'
import { IdleThread, movable } from '../base/work/idle-thread.js'
import type { Format } from '../protocol/pgwire/client-message.js'
import type { PgTypeName } from '../protocol/pgwire/types.js'
import type { Awaitable } from '../store/store.js'
import { type JsonMode, jsonToValue, valueInJson } from '../value/json/json.js'
import { bsonType, type Document, Value, writeInt32 } from '../value/value.js'

/** How long the thread waits for more work: it takes 8 MB, and 40 ms to start. */
const jsonThreadIdleMs = 60_000

export type JsonTask =
  | { readonly kind: 'read'; readonly bytes: Bytes }
  | {
      readonly kind: 'write'
      readonly type: number
      readonly bytes: Bytes
      readonly before: string
      readonly after: string
      readonly mode: JsonMode
    }
  | {
      readonly kind: 'field'
      readonly type: number
      readonly bytes: Bytes
      readonly column: PgTypeName
      readonly format: Format
    }

export type JsonAnswer =
  | { readonly kind: 'value'; readonly type: number; readonly bytes: Bytes }
  | { readonly kind: 'text'; readonly bytes: Bytes }
  | {
      readonly kind: 'failure'
      readonly error: GatewayError['kind']
      readonly message: string
      readonly extra: ErrorExtra
    }

/** JSON as a body: bytes if it is long. */
export type JsonText = string | Buffer

/** One thread for the process: a task's result depends on nothing else. */
const thread = new IdleThread<JsonTask, JsonAnswer>({
  file: new URL('./json-worker.js', import.meta.url),
  name: 'json',
  idleMs: jsonThreadIdleMs,
  gone: 'a long JSON text was not converted',
})

/** Tasks that the thread has at once: the next one is ready, and no other is copied yet. */
const tasksAtOnce = 2
let given = 0
const waiting: (() => void)[] = []

/** Makes the task in its turn; its bytes have their own memory and are moved. */
async function ask(make: () => JsonTask): Promise<JsonAnswer> {
  if (given < tasksAtOnce) given++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    const task = make()
    const answer = await thread.ask(task, [task.bytes.buffer as ArrayBuffer])
    if (answer.kind === 'failure') throw fail(answer.error, answer.message, answer.extra)
    return answer
  } finally {
    const next = waiting.shift()
    if (next === undefined) given--
    else next()
  }
}

/** As jsonToDocument. */
export function readDocument(text: Bytes): Awaitable<Document> {
  const value = readValue(text)
  return value instanceof Promise ? value.then(requireObject) : requireObject(value)
}

/** As jsonToValue. */
export function readValue(text: Bytes): Awaitable<Value> {
  if (text.length <= jsonInThreadBytes) return jsonToValue(text)
  return ask(() => ({ kind: 'read', bytes: movable(text) })).then((answer) => {
    const { type, bytes } = answer as Extract<JsonAnswer, { kind: 'value' }>
    return new Value(type, bytes, 0, bytes.length)
  })
}

/** As valueInJson; `before` and `after` are ASCII. */
export function jsonBetween(
  before: string,
  value: Value,
  after: string,
  mode: JsonMode,
): Awaitable<JsonText> {
  return written(before, value, after, mode, false)
}

/** As jsonBetween, of a value in a reply that nothing reads again: a long one is moved. */
export function jsonOfReply(
  before: string,
  value: Value,
  after: string,
  mode: JsonMode,
): Awaitable<JsonText> {
  const { byteLength, buffer } = value.bytes
  return written(before, value, after, mode, byteLength === buffer.byteLength)
}

function written(
  before: string,
  value: Value,
  after: string,
  mode: JsonMode,
  isMoved: boolean,
): Awaitable<JsonText> {
  const { type, bytes, start, end } = value
  if (end - start <= jsonInThreadBytes) return valueInJson(before, value, after, mode)
  return ask(() => {
    const own = isMoved ? bytes.subarray(start, end) : bytes.slice(start, end)
    return { kind: 'write', type, bytes: own, before, after, mode }
  }).then(textOfAnswer)
}

function textOfAnswer(answer: JsonAnswer): Buffer {
  const { bytes } = answer as Extract<JsonAnswer, { kind: 'text' }>
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** As textForm or binaryForm of a value that is not null. */
export async function longField(
  { type, bytes, start, end }: Value,
  column: PgTypeName,
  format: Format,
): Promise<Bytes> {
  const own = (): Bytes => new Uint8Array(bytes.subarray(start, end))
  return textOfAnswer(await ask(() => ({ kind: 'field', type, bytes: own(), column, format })))
}

/** The JSON string of a long UTF-8 text. */
export async function longTextJson(text: Slice): Promise<JsonText> {
  return textOfAnswer(
    await ask(() => {
      // A BSON string; the thread ignores its length.
      const bytes = new Uint8Array(Buffer.allocUnsafeSlow(text.length + 5).buffer)
      writeInt32(bytes, 0, text.length + 1)
      bytes.set(text.view(), 4)
      bytes[text.length + 4] = 0
      const { string: type } = bsonType
      return { kind: 'write', type, bytes, before: '', after: '', mode: 'plain' }
    }),
  )
}

/** Joins texts: the result is bytes if one of them is. */
export function joinedJson(
  before: string,
  texts: readonly JsonText[],
  between: string,
  after: string,
): JsonText {
  if (texts.every((text) => typeof text === 'string')) {
    return `${before}${texts.join(between)}${after}`
  }
  const parts: Buffer[] = [Buffer.from(before)]
  for (const [i, text] of texts.entries()) {
    if (i > 0) parts.push(Buffer.from(between))
    parts.push(typeof text === 'string' ? Buffer.from(text) : text)
  }
  parts.push(Buffer.from(after))
  return Buffer.concat(parts)
}

/** A JSON string with ASCII characters only. */
export function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function requireObject({ type, bytes }: Value): Document {
  if (type === bsonType.object) return bytes
  throw fail('BadValue', 'invalid JSON at position 0: expected an object')
}
