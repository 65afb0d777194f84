// What is known of a graph beyond its newest nodes: those that were opened from elsewhere or loaded
// as older ones, and the verdicts on the memories that are shown.

import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useLoad } from '../../lib/load.js'
import {
  entitiesOf,
  type GraphView,
  type MemoryNode,
  type NodesById,
  neighboursOf,
  withNodes,
} from '../../lib/memory/graph.js'
import {
  type GraphPlace,
  nodesBefore,
  nodesById,
  type OlderNodes,
  verifyMemories,
} from '../../lib/memory/routes.js'
import type { BriefVerdict } from '../../lib/memory/verdict.js'

export interface Older {
  /** Undefined where all nodes are shown, or as many as fit. */
  readonly load: (() => void) | undefined
  readonly isBusy: boolean
}

/** The picture with nodes that were opened from elsewhere, and with older ones. */
export function useWholeView(
  place: GraphPlace,
  loaded: GraphView,
  selected: Signal<string | undefined>,
) {
  const opened = useSignal<readonly NodesById[]>([])
  const problem = useSignal<Error | undefined>(undefined)
  const view = useMemo(() => opened.value.reduce(withNodes, loaded), [loaded, opened.value])
  const opening = (id: string) => {
    problem.value = undefined
    if (view.nodes.has(id)) {
      selected.value = id
      return
    }
    const beside = selected.value
    nodesById(place, beside === undefined ? [id] : [id, beside]).then(
      (found) => {
        if (found.nodes.some((node) => node.id === id)) {
          opened.value = [...opened.value, found]
          selected.value = id
        } else problem.value = new Error(`${id} does not exist any more.`)
      },
      (error: Error) => {
        problem.value = error
      },
    )
  }
  const failed = (error: Error) => {
    problem.value = error
  }
  const add = (found: readonly NodesById[]) => {
    opened.value = [...opened.value, ...found]
  }
  return { view, opening, problem, older: useOlder(place, view, { add, failed }) }
}

interface OlderParts {
  readonly add: (found: readonly NodesById[]) => void
  readonly failed: (error: Error) => void
}

/** Reads the graph from its newest node on, and passes over what is shown already. */
function useOlder(place: GraphPlace, view: GraphView, { add, failed }: OlderParts): Older {
  const cursor = useSignal<string | null>('')
  const isBusy = useSignal(false)
  const load = () => {
    if (isBusy.value) return
    isBusy.value = true
    loadOlder(place, view, cursor.value ?? '')
      .then((found) => {
        cursor.value = found.cursor
        add(found.parts)
      }, failed)
      .finally(() => {
        isBusy.value = false
      })
  }
  const isWhole = view.nodes.size >= view.total || cursor.value === null
  const isFull = view.nodes.size >= shownMax
  return { load: isWhole || isFull ? undefined : load, isBusy: isBusy.value }
}

/** Nodes of one step; the others of a request are entities that they may name. */
const olderAtOnce = 150
/** More would be too many for a picture. */
const shownMax = 1_500

async function loadOlder(place: GraphPlace, view: GraphView, from: string) {
  const parts: NodesById[] = []
  let cursor: string | null = from
  let ids: readonly string[] = []
  while (cursor !== null && ids.length === 0) {
    const page: OlderNodes = await nodesBefore(place, cursor, olderAtOnce)
    ids = page.nodes.map(({ id }) => id).filter((id) => !view.nodes.has(id))
    cursor = page.cursor
    if (ids.length > 0) parts.push(page)
  }
  const neighbours = neighboursOf(view.edges)
  const hubs = entitiesOf({ ...view, recall: undefined }, neighbours).slice(0, olderAtOnce)
  const linked = [...ids, ...hubs.map(({ id }) => id)]
  // The edges to what was there before.
  if (ids.length > 0) parts.push(await nodesById(place, linked))
  return { parts, cursor }
}

/** Of the memories in the picture: the listed ones, then what was found, then the others. */
export function useVerdicts(place: GraphPlace, shown: readonly MemoryNode[], view: GraphView) {
  const listed = shown.map(({ id }) => id)
  const drawn = [...view.nodes.values()].filter(({ type }) => type === 'memory')
  const memories = new Set(drawn.map(({ id }) => id))
  const named = (view.recall?.nodeIds ?? []).filter((id) => memories.has(id))
  const ids = [...new Set([...listed, ...named, ...memories])].slice(0, verifiedMax)
  const { loaded, reload } = useLoad(
    async (signal) => (ids.length === 0 ? undefined : verifyMemories(place, ids, signal)),
    [view, ids.join(' ')],
  )
  const { value: told, error, isLoading } = loaded.value
  const verdicts: ReadonlyMap<string, BriefVerdict> = useMemo(
    () => new Map(told?.results.map((verdict) => [verdict.id, verdict])),
    [told],
  )
  return { verdicts, told, checking: { error, isLoading, again: reload } }
}

/** Of one request, as docs/memory.md says. */
const verifiedMax = 300
