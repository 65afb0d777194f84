// The lists beside the picture: memories or entities, with their pages and with what the check of
// the visible memories says.

import { type Signal, useSignal } from '@preact/signals'
import { figure } from '../../lib/format.js'
import {
  entitiesOf,
  type GraphView,
  type MemoryNode,
  type Neighbours,
} from '../../lib/memory/graph.js'
import type { BriefVerdict } from '../../lib/memory/verdict.js'
import { RowPages, rowsMax, startOf } from '../row-pages.js'
import { Empty, Failure } from '../states.js'
import { EntityList, MemoryList } from './lists.js'

const kinds = [
  { name: 'memories', title: 'Memories' },
  { name: 'entities', title: 'Entities' },
] as const

interface BesideProps {
  readonly view: GraphView
  readonly neighbours: Neighbours
  readonly memories: readonly MemoryNode[]
  readonly shown: readonly MemoryNode[]
  readonly from: Signal<number>
  readonly verdicts: ReadonlyMap<string, BriefVerdict>
  readonly checking: {
    readonly error: Error | undefined
    readonly isLoading: boolean
    readonly again: () => void
  }
  readonly selected: Signal<string | undefined>
  readonly open: (id: string) => void
}

export function Beside(props: BesideProps) {
  const { view, neighbours, memories, from, checking } = props
  const kind = useSignal<(typeof kinds)[number]['name']>('memories')
  const entityFrom = useSignal(0)
  const entities = entitiesOf(view, neighbours)
  const first = startOf(entityFrom, entities.length)
  const counts = { memories: memories.length, entities: entities.length }
  return (
    <div class="memory-lists">
      <fieldset class="choice">
        <legend>List</legend>
        {kinds.map(({ name, title }) => (
          <label key={name}>
            <input
              type="radio"
              name="list"
              checked={kind.value === name}
              onChange={() => {
                kind.value = name
              }}
            />
            {title} ({figure(counts[name])})
          </label>
        ))}
      </fieldset>
      {kind.value === 'memories' ? (
        <>
          {checking.error !== undefined && (
            <Failure error={checking.error} retry={checking.again} />
          )}
          <Memories {...props} />
          <RowPages name="memories" from={from} count={memories.length} />
        </>
      ) : (
        <>
          <EntityList {...props} entities={entities.slice(first, first + rowsMax)} />
          <RowPages name="entities" from={entityFrom} count={entities.length} />
        </>
      )}
    </div>
  )
}

function Memories({ view, shown, checking, ...props }: BesideProps) {
  if (shown.length === 0) {
    return (
      <Empty>
        {view.recall === undefined
          ? 'No memory is shown.'
          : 'No memory has these words or this entity. Use words of the text, or fewer of them.'}
      </Empty>
    )
  }
  const scores = new Map(view.recall?.memories.map(({ id, score }) => [id, score]))
  const { isLoading: isChecking } = checking
  return <MemoryList {...props} memories={shown} scores={scores} isChecking={isChecking} />
}
