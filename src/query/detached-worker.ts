// The thread that computes heavy documents. It receives them one by one with their recipe and
// answers in order. Its time is not bounded here; its memory is, and it is checked regularly.

import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { fail, toGatewayError } from '../base/errors.js'
import { heavyDocumentBytesMax } from '../base/limits/documents.js'
import { work } from '../base/work/work-budget.js'
import { type Cell, failureOf } from './detached.js'
import { type Evaluate, evaluatorOf } from './detached-recipes.js'
import type { DetachedAnswer, DetachedTask } from './detached-threads.js'

/** Functions that are cached: those of a few queries. */
const evaluatorsKept = 8
/** Units between two checks of memory: 10 ms, or 50 MiB of copies. */
const grantUnits = 100_000

const evaluators = new Map<number, Evaluate>()

function heldBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

function grant(): number {
  if (heldBytes() > heavyDocumentBytesMax) {
    globalThis.gc?.()
    if (heldBytes() > heavyDocumentBytesMax) {
      const text = 'Exceeded memory limit: one document takes more memory than a thread has for it'
      throw fail('ExceededMemoryLimit', text)
    }
  }
  return grantUnits
}

function evaluatorFor({ recipe, data }: DetachedTask): Evaluate {
  const known = evaluators.get(recipe)
  if (known !== undefined) return known
  if (data === undefined) throw fail('InternalError', 'a recipe is missing')
  const made = evaluatorOf(data)
  for (const oldest of evaluators.keys()) {
    if (evaluators.size < evaluatorsKept) break
    evaluators.delete(oldest)
  }
  evaluators.set(recipe, made)
  return made
}

function cellsOf(task: DetachedTask): Omit<DetachedAnswer, 'known'> {
  try {
    return { cells: evaluatorFor(task)(task.document) }
  } catch (error) {
    return { cells: [], failure: failureOf(toGatewayError(error)) }
  }
}

function buffersOf(cells: readonly Cell[]): ArrayBuffer[] {
  return cells.flatMap((cell) =>
    cell !== undefined && 'bytes' in cell ? [cell.bytes.buffer as ArrayBuffer] : [],
  )
}

work.granting = grant

parentPort?.on('message', (task: DetachedTask) => {
  work.begin(grantUnits, 0)
  const answer = { ...cellsOf(task), known: [...evaluators.keys()] }
  work.end()
  parentPort?.postMessage(answer, buffersOf(answer.cells))
})
