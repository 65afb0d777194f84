// One graph: what is read of it, what is selected, and how its parts belong together. All memories
// of the picture are verified by one request.

import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import { useLive } from '../../lib/live/live.js'
import { useLoad } from '../../lib/load.js'
import {
  type GraphView,
  type MemoryNode,
  memoriesOf,
  type Neighbours,
  neighboursOf,
  type WholeMemory,
} from '../../lib/memory/graph.js'
import {
  type GraphPlace,
  loadGraph,
  namespaceOfGraph,
  type Question,
} from '../../lib/memory/routes.js'
import { type BriefVerdict, standingOf, type Verdicts } from '../../lib/memory/verdict.js'
import { usePoll } from '../../lib/poll.js'
import { linkTo, route } from '../../lib/route.js'
import { rowsMax, startOf } from '../row-pages.js'
import { Failure, Loading } from '../states.js'
import { type Added, AddMemory } from './add-memory.js'
import { AddSeveral } from './add-several.js'
import { AnchorList } from './anchor-list.js'
import { Beside } from './beside.js'
import { Details } from './details.js'
import { Forgetting, useForgetting } from './forgetting.js'
import { GraphCanvas } from './graph-canvas.js'
import { useVerdicts, useWholeView } from './graph-state.js'
import { NoGraph, Shown } from './graph-words.js'
import { PinWarning, usePins } from './pin-warning.js'
import { SearchBar } from './search-bar.js'
import { SweepPart } from './sweep-part.js'

/** While an anchor is on its way. */
const anchorPollMs = 3_000
/** A graph that is written to is read, and its memories are verified, at most this often. */
const liveMs = 2_000

type Adding =
  | { readonly what: 'one'; readonly corrected?: WholeMemory }
  | { readonly what: 'several' }

interface GraphPartProps {
  readonly place: GraphPlace
  /** The graph exists, and the caller may read it. */
  readonly isListed: boolean
  /** Called when memories came or went. */
  readonly changed: () => void
}

export function GraphPart({ place, isListed, changed }: GraphPartProps) {
  const adding = useSignal<Adding | undefined>(undefined)
  const question = questionOf(route.value.query)
  const { words, entity, hops } = question
  const { loaded, reload } = useLoad(
    (signal) => loadGraph(place, question, signal),
    [words, entity, hops],
  )
  const { value, error } = loaded.value
  const refresh = () => {
    reload()
    changed()
  }
  const isAnchoring = value?.anchors.some(({ status }) => status !== 'confirmed') === true
  const follow = useCallback(() => {
    if (isAnchoring) reload()
  }, [isAnchoring, reload])
  usePoll(follow, anchorPollMs)
  const isLive = useLive(namespaceOfGraph(place), refresh, liveMs)
  const selected = useSignal<string | undefined>(undefined)
  const finish = (added?: Added) => {
    adding.value = undefined
    if (added !== undefined && added.graph !== place.graph) {
      location.hash = linkTo(['memory'], { db: place.database, graph: added.graph })
      changed()
      return
    }
    if (added !== undefined) selected.value = added.id
    refresh()
  }
  return (
    <>
      <SearchBar
        key={`${words} ${entity}`}
        place={place}
        question={question}
        ask={(next) => ask(place, next)}
      />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && (
        <Graph
          place={place}
          loaded={value}
          isListed={isListed}
          selected={selected}
          adding={adding}
          refresh={refresh}
          isLive={isLive.value}
        />
      )}
      <AddingDialog place={place} adding={adding} finish={finish} />
    </>
  )
}

function questionOf(query: URLSearchParams): Question {
  const [words, entity] = [query.get('q') ?? '', query.get('entity') ?? '']
  return { words, entity, hops: query.get('hops') ?? '1' }
}

function ask({ graph, database: db }: GraphPlace, { words: q, entity, hops }: Question): void {
  location.hash = linkTo(['memory'], { db, graph, q, entity, hops })
}

interface AddingDialogProps {
  readonly place: GraphPlace
  readonly adding: Signal<Adding | undefined>
  readonly finish: (added?: Added) => void
}

function AddingDialog({ place, adding, finish }: AddingDialogProps) {
  const { value } = adding
  const close = () => {
    adding.value = undefined
  }
  if (value === undefined) return null
  if (value.what === 'several') {
    return <AddSeveral place={place} done={() => finish()} close={close} />
  }
  const { corrected } = value
  const given = corrected === undefined ? {} : { corrected }
  return <AddMemory place={place} {...given} done={finish} close={close} />
}

interface GraphProps {
  readonly place: GraphPlace
  readonly loaded: GraphView
  readonly isListed: boolean
  readonly selected: Signal<string | undefined>
  readonly adding: Signal<Adding | undefined>
  readonly refresh: () => void
  readonly isLive: boolean
}

function Graph({ place, loaded, isListed, selected, adding, refresh, isLive }: GraphProps) {
  const { view, opening, problem, older } = useWholeView(place, loaded, selected)
  const neighbours = useMemo(() => neighboursOf(view.edges), [view])
  const forgetting = useForgetting(place, refresh)
  const from = useSignal(0)
  const memories = memoriesOf(view).filter(({ id }) => !forgetting.hidden.has(id))
  const first = startOf(from, memories.length)
  const shown = memories.slice(first, first + rowsMax)
  useEffect(() => {
    const index = memories.findIndex(({ id }) => id === selected.value)
    if (index >= 0) from.value = index - (index % rowsMax)
  }, [selected.value])
  const { verdicts, told, checking } = useVerdicts(place, shown, view)
  const pins = usePins(place)
  const graphKey = told?.graphKey ?? null
  useEffect(() => {
    if (graphKey !== null) pins.see({ graphKey, sequence: null, root: null })
  }, [graphKey])
  const open = (id: string) => {
    opening(id)
    // After the details of this node are rendered.
    setTimeout(() => document.getElementById('details')?.focus())
  }
  const drawn = { place, view, neighbours, verdicts, selected, adding, open }
  const lists = { view, neighbours, memories, shown, from, verdicts, checking, selected, open }
  return (
    <>
      <PinWarning {...pins} />
      <Shown view={view} adding={adding} older={older} isLive={isLive} />
      {[problem, forgetting.problem].map(
        ({ value }) => value !== undefined && <Failure key={value.message} error={value} />,
      )}
      {view.nodes.size === 0 ? (
        <NoGraph place={place} isListed={isListed} />
      ) : (
        <div class="graph">
          <Drawn {...drawn} forget={forgetting.forget} />
          <Beside {...lists} />
        </div>
      )}
      <AnchorList
        place={place}
        anchors={view.anchors}
        explorers={explorersOf(told)}
        reload={refresh}
      />
      <SweepPart place={place} open={open} see={pins.see} />
      <Forgetting waiting={forgetting.waiting} />
    </>
  )
}

interface DrawnProps {
  readonly place: GraphPlace
  readonly view: GraphView
  readonly neighbours: Neighbours
  readonly verdicts: ReadonlyMap<string, BriefVerdict>
  readonly selected: Signal<string | undefined>
  readonly adding: Signal<Adding | undefined>
  readonly open: (id: string) => void
  readonly forget: (memory: MemoryNode) => void
}

/** The picture, and below it the node that is open. */
function Drawn(props: DrawnProps) {
  const { place, view, neighbours, verdicts, selected, adding, open, forget } = props
  const standings = useMemo(
    () => new Map([...verdicts].map(([one, verdict]) => [one, standingOf(verdict)])),
    [verdicts],
  )
  const named = useMemo(
    () => (view.recall === undefined ? undefined : new Set(view.recall.nodeIds)),
    [view.recall],
  )
  const { value: id } = selected
  return (
    <div class="graph-main">
      <GraphCanvas
        view={view}
        named={named}
        standings={standings}
        selected={selected}
        open={open}
      />
      {id !== undefined && (
        <Details
          key={id}
          place={place}
          id={id}
          view={view}
          neighbours={neighbours}
          open={open}
          search={(entity) => ask(place, { words: '', entity, hops: '1' })}
          correct={(corrected) => {
            adding.value = { what: 'one', corrected }
          }}
          forget={forget}
          close={() => {
            focusList()
            selected.value = undefined
          }}
        />
      )}
    </div>
  )
}

/** To what is selected in the list, or else to the picture. */
function focusList(): void {
  const row = document.querySelector<HTMLElement>('.memories .selected button')
  const place = row ?? document.querySelector<HTMLElement>('.picture canvas')
  place?.focus()
}

function explorersOf(told: Verdicts | undefined): ReadonlyMap<string, string> {
  return new Map(told?.transactions.map(({ txHash, explorerUrl }) => [txHash, explorerUrl]))
}
