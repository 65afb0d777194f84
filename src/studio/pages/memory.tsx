// A graph of memories: which one, what is asked of it, its picture with the list beside it, and
// what a user can do with it.

import { useSignal } from '@preact/signals'
import { figure, visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { type GraphSummary, listGraphs } from '../lib/memory/routes.js'
import { linkTo, route } from '../lib/route.js'
import { Form } from '../widgets/form.js'
import { GraphPart } from '../widgets/memory/graph-part.js'
import { Failure, Loading } from '../widgets/states.js'
import '../widgets/memory/memory.css'

export function MemoryPage() {
  const { query } = route.value
  const database = query.get('db') ?? ''
  const { loaded, reload } = useLoad((signal) => listGraphs(database, signal), [database])
  const { value: graphs, error } = loaded.value
  const graph = query.get('graph') ?? firstOf(graphs)
  return (
    <>
      <div class="head">
        <h1>Memory</h1>
        <GraphChoice key={database} database={database} graph={graph} graphs={graphs ?? []} />
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && graph === undefined && <Loading />}
      {graph !== undefined && (
        <GraphPart
          key={`${database} ${graph}`}
          place={{ graph, database }}
          isListed={graphs === undefined || graphs.some(({ name }) => name === graph)}
          changed={reload}
        />
      )}
    </>
  )
}

const usual = 'default'

/** The usual graph, or another one if it is not there; undefined until they are known. */
function firstOf(graphs: readonly GraphSummary[] | undefined): string | undefined {
  if (graphs === undefined) return undefined
  const isThere = graphs.some(({ name }) => name === usual)
  return isThere ? usual : (graphs[0]?.name ?? usual)
}

interface GraphChoiceProps {
  readonly database: string
  readonly graph: string | undefined
  readonly graphs: readonly GraphSummary[]
}

function GraphChoice({ database, graph, graphs }: GraphChoiceProps) {
  const typed = useSignal(database)
  const go = (db: string, name: string) => {
    location.hash = linkTo(['memory'], { db, graph: name })
  }
  const isListed = graphs.some(({ name }) => name === graph)
  return (
    <Form class="graph-choice" send={() => go(typed.value.trim(), '')}>
      <label>
        Graph
        <select
          value={graph ?? ''}
          onChange={({ currentTarget }) => go(database, currentTarget.value)}
        >
          {graph !== undefined && !isListed && <option value={graph}>{visible(graph)}</option>}
          {graphs.map(({ name, memories }) => (
            <option key={name} value={name}>
              {visible(name)} ({figure(memories)})
            </option>
          ))}
        </select>
      </label>
      <label>
        Database
        <input
          class="data"
          spellcheck={false}
          autocomplete="off"
          placeholder="your own"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
      </label>
      {typed.value.trim() !== database && <button type="submit">Open</button>}
    </Form>
  )
}
