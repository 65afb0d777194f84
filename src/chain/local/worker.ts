// Entry point of the local chain's worker. It has no clock: every message brings the time. The EVM
// is loaded only here.

import { parentPort, workerData } from 'node:worker_threads'
import { systemRandom } from '../../base/clock.js'
import { assert } from '../../base/errors.js'
import { answerBody, rpcErrorOf } from './json-rpc.js'
import type { Asked, FromChainWorker, ToChainWorker, WorkerStart } from './messages.js'
import { runMethod } from './methods.js'
import { LocalNode } from './node.js'
import { MemoryStorage, openLmdbStorage } from './storage.js'

const port = parentPort
assert(port !== null, 'the local chain runs in a worker only')
const { folder, chainId, fund, now } = workerData as WorkerStart

/** From the last message. */
let time = now
const memory = new MemoryStorage()
const node = new LocalNode({
  chainId,
  fund,
  random: systemRandom,
  now: () => time,
  openStorage: () => (folder === undefined ? memory : openLmdbStorage(folder)),
  wake: (ms) => say({ kind: 'wake', ms }),
  onBlock: (head) => say({ kind: 'block', head }),
  onError: (text) => say({ kind: 'log', level: 'error', text }),
})

port.on('message', (message: ToChainWorker) => {
  time = message.now
  if (message.id === undefined) node.tick()
  else void answer(message)
})
// Opened before the first request: a failure is reported, and the next request tries again.
node.head().catch(() => undefined)

async function answer(asked: Asked): Promise<void> {
  const { id } = asked
  try {
    const result = await resultOf(asked)
    const moved = result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []
    port?.postMessage({ kind: 'answer', id, result } satisfies FromChainWorker, moved)
  } catch (error) {
    const { code, message, data } = rpcErrorOf(error)
    say({ kind: 'refusal', id, failure: { code, message, data } })
    if (!isExpected(error)) say({ kind: 'log', level: 'error', text: describe(error) })
  }
}

async function resultOf({ question }: Asked): Promise<unknown> {
  switch (question.kind) {
    case 'request':
      return runMethod(node, 'own', question.method, question.params)
    case 'serve':
      return answerBody(question.body, (method, params) => runMethod(node, 'other', method, params))
    case 'keys': {
      const { owner, gasStation } = await node.keys()
      return { owner, gasStation }
    }
    case 'fund':
      return node.fund(question.address, question.wei)
    case 'close':
      await node.close()
      port?.close()
      return undefined
    default:
      return question satisfies never
  }
}

function isExpected(error: unknown): boolean {
  return rpcErrorOf(error) === error
}

function describe(error: unknown): string {
  return `the local chain: ${error instanceof Error ? error.stack : String(error)}`
}

function say(message: FromChainWorker): void {
  port?.postMessage(message)
}
