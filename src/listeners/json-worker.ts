// The thread that parses and writes long JSON texts and fields: it receives texts or values one
// after the other and answers in order. Bytes are moved, not copied.

import { parentPort } from 'node:worker_threads'
import { type Bytes, utf8 } from '../base/bytes/bytes.js'
import { toGatewayError } from '../base/errors.js'
import { KiB, MiB } from '../base/units.js'
import { binaryForm, textForm } from '../protocol/pgwire/forms.js'
import { bytesInJson, jsonToValue } from '../value/json/json.js'
import { Value } from '../value/value.js'
import type { JsonAnswer, JsonTask } from './json-thread.js'

/** A shorter answer may share its buffer with others. */
const movedBytesMin = 64 * KiB
/** A thread's collection takes some milliseconds, as does the text of so many bytes. */
const collectedBytes = 1 * MiB

/** Whether nothing else uses the buffer. */
function isMoved(kind: 'text' | 'value', { length, buffer }: Bytes): boolean {
  return kind === 'text' ? length > movedBytesMin : length === buffer.byteLength
}

function collect(): void {
  globalThis.gc?.()
}

function answerOf(task: JsonTask): JsonAnswer {
  try {
    if (task.kind === 'read') {
      const { type, bytes } = jsonToValue(task.bytes)
      return { kind: 'value', type, bytes }
    }
    const value = new Value(task.type, task.bytes, 0, task.bytes.length)
    if (task.kind === 'field') return { kind: 'text', bytes: fieldOf(value, task) }
    const { before, after, mode } = task
    return { kind: 'text', bytes: bytesInJson(before, value, after, mode) }
  } catch (error) {
    const { kind, message, extra } = toGatewayError(error)
    // Only those of fields are known to be plain data.
    return { kind: 'failure', error: kind, message, extra: task.kind === 'field' ? extra : {} }
  }
}

function fieldOf(value: Value, { column, format }: JsonTask & { kind: 'field' }): Bytes {
  const field = format === 'text' ? textForm(value, column) : binaryForm(value, column)
  return typeof field === 'object' ? field : utf8(field ?? '')
}

parentPort?.on('message', (task: JsonTask) => {
  const answer = answerOf(task)
  // A long text is moved with the unused end of its buffer, which takes no memory.
  const moved = 'bytes' in answer && isMoved(answer.kind, answer.bytes)
  parentPort?.postMessage(answer, moved ? [answer.bytes.buffer as ArrayBuffer] : [])
  // Nothing else makes the thread collect: it would keep tens of megabytes of what it has moved.
  if (task.bytes.length > collectedBytes) setImmediate(collect)
})
