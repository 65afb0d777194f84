// The thread that parses and writes long JSON texts: it receives texts or values one after the
// other and answers in order. Bytes are moved, not copied.

import { parentPort } from 'node:worker_threads'
import { toGatewayError } from '../base/errors.js'
import { jsonToValue, valueInJson } from '../value/json/json.js'
import { Value } from '../value/value.js'
import type { JsonAnswer, JsonTask } from './json-thread.js'

function answerOf(task: JsonTask): JsonAnswer {
  try {
    if (task.kind === 'read') {
      const { type, bytes } = jsonToValue(task.bytes)
      return { kind: 'value', type, bytes }
    }
    const { type, bytes, before, after, mode } = task
    const text = valueInJson(before, new Value(type, bytes, 0, bytes.length), after, mode)
    return { kind: 'text', bytes: Buffer.from(text) }
  } catch (error) {
    const { kind, message } = toGatewayError(error)
    return { kind: 'failure', error: kind, message }
  }
}

parentPort?.on('message', (task: JsonTask) => {
  const answer = answerOf(task)
  const moved = 'bytes' in answer && answer.bytes.byteLength === answer.bytes.buffer.byteLength
  parentPort?.postMessage(answer, moved ? [answer.bytes.buffer as ArrayBuffer] : [])
})
