// Deletes memories some seconds after the click, so that it can be undone until then: what is
// deleted cannot be brought back.

import { type Signal, useSignal } from '@preact/signals'
import type { MemoryNode } from '../../lib/memory/graph.js'
import { forgetMemory, type GraphPlace } from '../../lib/memory/routes.js'
import { labelOf } from './paint.js'

const undoMs = 6_000

interface Waiting {
  readonly memory: MemoryNode
  readonly undo: () => void
}

export function useForgetting(place: GraphPlace, reload: () => void) {
  const waiting = useSignal<readonly Waiting[]>([])
  const problem = useSignal<Error | undefined>(undefined)
  const gone = useSignal<readonly string[]>([])
  const forget = (memory: MemoryNode) => {
    if (waiting.value.some((one) => one.memory.id === memory.id)) return
    problem.value = undefined
    const end = () => {
      waiting.value = waiting.value.filter((one) => one.memory.id !== memory.id)
    }
    const timer = setTimeout(() => {
      forgetMemory(place, memory.id)
        .then(
          () => {
            gone.value = [...gone.value, memory.id]
            reload()
          },
          (error: Error) => {
            problem.value = error
          },
        )
        .finally(end)
    }, undoMs)
    const undo = () => {
      clearTimeout(timer)
      end()
    }
    waiting.value = [...waiting.value, { memory, undo }]
  }
  const hidden = new Set([...gone.value, ...waiting.value.map(({ memory }) => memory.id)])
  return { forget, hidden, problem, waiting }
}

export function Forgetting({ waiting }: { waiting: Signal<readonly Waiting[]> }) {
  return (
    <div class="toasts" role="status">
      {waiting.value.map(({ memory, undo }) => (
        <p key={memory.id}>
          “{labelOf(memory)}” will be forgotten in {undoMs / 1_000} s.{' '}
          <button type="button" onClick={undo}>
            Undo
          </button>
        </p>
      ))}
    </div>
  )
}
