// What is said about the picture as a whole: how much of the graph it is, and what to do where
// there is none. A part never looks whole.

import type { Signal } from '@preact/signals'
import { figure, visible } from '../../lib/format.js'
import type { GraphView } from '../../lib/memory/graph.js'
import type { GraphPlace } from '../../lib/memory/routes.js'
import { Empty, LiveSign } from '../states.js'
import type { Older } from './graph-state.js'

interface ShownProps<T> {
  readonly view: GraphView
  readonly adding: Signal<T | { readonly what: 'one' } | { readonly what: 'several' } | undefined>
  readonly older: Older
  readonly isLive: boolean
}

export function Shown<T>({ view, adding, older, isLive }: ShownProps<T>) {
  return (
    <div class="head">
      <LiveSign isLive={isLive} />
      <p class="faint" role="status">
        {`${foundText(view)} ${extentText(view)}`.trim()}
      </p>
      {older.load !== undefined && (
        <button type="button" disabled={older.isBusy} onClick={older.load}>
          {older.isBusy ? 'Loading…' : 'Load older nodes'}
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          adding.value = { what: 'one' }
        }}
      >
        Add a memory
      </button>
      <button
        type="button"
        onClick={() => {
          adding.value = { what: 'several' }
        }}
      >
        Add several
      </button>
    </div>
  )
}

function foundText({ recall }: GraphView): string {
  if (recall === undefined) return ''
  const { memories, nodeIds, contextTruncated } = recall
  if (memories.length === 0) return 'No memory was found.'
  const found = memories.length === 1 ? '1 memory was found' : `${memories.length} memories found`
  const cut = contextTruncated ? ', cut off there' : ''
  return `${found}; the context has ${figure(nodeIds.length)} nodes${cut}.`
}

function extentText({ nodes, newest, total, isTruncated, recall }: GraphView): string {
  if (newest >= total) {
    return isTruncated
      ? `All ${figure(total)} nodes of the graph; some edges are left out.`
      : `All ${figure(total)} nodes of the graph.`
  }
  const more = nodes.size - newest
  const beyond = more > 0 ? `, and ${figure(more)} older ones` : ''
  const advice = recall === undefined ? ' Search to see others.' : ''
  return `The newest ${figure(newest)} of ${figure(total)} nodes${beyond}.${advice}`
}

interface NoGraphProps {
  readonly place: GraphPlace
  readonly isListed: boolean
}

export function NoGraph({ place: { graph, database }, isListed }: NoGraphProps) {
  if (!isListed) {
    const place = database === '' ? '' : ` in ${visible(database)}`
    return (
      <Empty>
        <p>{`There is no graph “${visible(graph)}”${place} that you may read.`}</p>
        <p>“Add a memory” makes it in your own space.</p>
      </Empty>
    )
  }
  return (
    <Empty>
      <p>The graph has no memories yet. Add one here, or from a terminal:</p>
      <pre>SIGIL_URL={location.origin} npx sigil remember memories.ndjson</pre>
    </Empty>
  )
}
