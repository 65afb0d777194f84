// Long JSON texts are read and written in a thread of their own: the event loop could not pause
// within one document of 16 MiB. The thread is there while it has work.

import { Worker } from 'node:worker_threads'
import type { Bytes } from '../base/bytes.js'
import { fail, type GatewayError } from '../base/errors.js'
import { jsonInThreadBytes, jsonThreadIdleMs } from '../base/limits.js'
import type { Awaitable } from '../store/store.js'
import { type JsonMode, jsonToValue, valueInJson } from '../value/json.js'
import { bsonType, type Document, Value } from '../value/value.js'

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

export type JsonAnswer =
  | { readonly kind: 'value'; readonly type: number; readonly bytes: Bytes }
  | { readonly kind: 'text'; readonly bytes: Bytes }
  | { readonly kind: 'failure'; readonly error: GatewayError['kind']; readonly message: string }

/** JSON as a body: its bytes where it is long. */
export type JsonText = string | Buffer

interface Asked {
  readonly resolve: (answer: JsonAnswer) => void
  readonly reject: (error: Error) => void
}

class JsonThread {
  private worker: Worker | undefined
  /** Oldest first. */
  private readonly asked: Asked[] = []
  private idle: NodeJS.Timeout | undefined

  /** The bytes of the task are moved where they have memory of their own. */
  async ask(task: JsonTask): Promise<JsonAnswer> {
    clearTimeout(this.idle)
    this.worker ??= this.start()
    this.worker.ref()
    this.worker.postMessage(task, [task.bytes.buffer as ArrayBuffer])
    const answer = await new Promise<JsonAnswer>((resolve, reject) => {
      this.asked.push({ resolve, reject })
    })
    if (answer.kind === 'failure') throw fail(answer.error, answer.message)
    return answer
  }

  private start(): Worker {
    const worker = new Worker(new URL('./json-worker.js', import.meta.url), { name: 'json' })
    worker.on('message', (answer: JsonAnswer) => {
      this.asked.shift()?.resolve(answer)
      if (this.asked.length === 0) this.rest(worker)
    })
    worker.on('error', () => this.gone(worker))
    worker.on('exit', () => this.gone(worker))
    return worker
  }

  /** A thread without work keeps no process, and goes after a while. */
  private rest(worker: Worker): void {
    worker.unref()
    const end = (): void => {
      this.worker = undefined
      worker.removeAllListeners('exit')
      void worker.terminate()
    }
    this.idle = setTimeout(end, jsonThreadIdleMs).unref()
  }

  private gone(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined
    const error = fail('InternalError', 'a long JSON text was not converted')
    for (const { reject } of this.asked.splice(0)) reject(error)
  }
}

/** One serves the process: what it does depends on nothing but its task. */
const thread = new JsonThread()

/** As jsonToDocument. */
export function readDocument(text: Bytes): Awaitable<Document> {
  const value = readValue(text)
  return value instanceof Promise ? value.then(requireObject) : requireObject(value)
}

/** As jsonToValue. */
export function readValue(text: Bytes): Awaitable<Value> {
  if (text.length <= jsonInThreadBytes) return jsonToValue(text)
  return thread.ask({ kind: 'read', bytes: ownBytes(text) }).then((answer) => {
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
  const { type, bytes, start, end } = value
  if (end - start <= jsonInThreadBytes) return valueInJson(before, value, after, mode)
  const own = bytes.slice(start, end)
  return thread.ask({ kind: 'write', type, bytes: own, before, after, mode }).then((answer) => {
    const { bytes: text } = answer as Extract<JsonAnswer, { kind: 'text' }>
    return Buffer.from(text.buffer, text.byteOffset, text.length)
  })
}

/** Texts with others around and between them: bytes where one of them is. */
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

/** A JSON string with ASCII alone in it. */
export function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** In memory that can be moved: a part of a larger buffer is copied. */
function ownBytes(text: Bytes): Bytes {
  return text.byteLength === text.buffer.byteLength ? text : new Uint8Array(text)
}

function requireObject({ type, bytes }: Value): Document {
  if (type === bsonType.object) return bytes
  throw fail('BadValue', 'invalid JSON at position 0: expected an object')
}
