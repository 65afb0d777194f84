// The memories and entities of a graph as lists: what the picture shows, for keyboards and screen
// readers, a hundred at a time.

import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { counted, day, visible } from '../../lib/format.js'
import type { EntityNode, MemoryNode, Neighbours } from '../../lib/memory/graph.js'
import type { BriefVerdict } from '../../lib/memory/verdict.js'
import { Empty } from '../states.js'
import { Badge } from './badge.js'

interface ListProps {
  readonly selected: Signal<string | undefined>
  readonly open: (id: string) => void
}

interface MemoryListProps extends ListProps {
  readonly memories: readonly MemoryNode[]
  readonly scores: ReadonlyMap<string, number>
  readonly verdicts: ReadonlyMap<string, BriefVerdict>
  readonly isChecking: boolean
}

export function MemoryList(props: MemoryListProps) {
  const { memories, scores, verdicts, isChecking, selected, open } = props
  const list = useShown(selected.value)
  return (
    <ul ref={list} class="memories" aria-label="Memories">
      {memories.map((memory) => {
        const { id, text, createdAt, status } = memory
        const score = scores.get(id)
        return (
          <li key={id} class={selected.value === id ? 'selected' : ''}>
            <button
              type="button"
              class="quiet"
              aria-pressed={selected.value === id}
              onClick={() => open(id)}
            >
              {visible(text.replace(/\s+/g, ' '))}
            </button>
            <p>
              <Badge verdict={verdicts.get(id)} isChecking={isChecking} />
              <span class="faint">{day(createdAt)}</span>
              {status !== 'active' && <span class="faint">{visible(status)}</span>}
              {score !== undefined && <span class="faint">score {score.toFixed(2)}</span>}
            </p>
          </li>
        )
      })}
    </ul>
  )
}

/** Scrolls the list, and never the page, to what is selected. */
function useShown(id: string | undefined) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const { current } = list
    const row = current?.querySelector<HTMLElement>('.selected')
    if (current === null || row === null || row === undefined) return
    const end = row.offsetTop + row.offsetHeight - current.clientHeight
    current.scrollTop = Math.min(row.offsetTop, Math.max(end, current.scrollTop))
  }, [id])
  return list
}

interface EntityListProps extends ListProps {
  readonly entities: readonly EntityNode[]
  readonly neighbours: Neighbours
}

export function EntityList({ entities, neighbours, selected, open }: EntityListProps) {
  const list = useShown(selected.value)
  if (entities.length === 0) return <Empty>No entity is named here.</Empty>
  return (
    <ul ref={list} class="memories" aria-label="Entities">
      {entities.map(({ id, name, kind }) => (
        <li key={id} class={selected.value === id ? 'selected' : ''}>
          <button
            type="button"
            class="quiet"
            aria-pressed={selected.value === id}
            onClick={() => open(id)}
          >
            {visible(name)}
          </button>
          <p class="faint">
            {visible(kind)}, {counted(neighbours.get(id)?.length ?? 0, 'edge')} shown
          </p>
        </li>
      ))}
    </ul>
  )
}
