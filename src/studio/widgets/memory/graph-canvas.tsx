// The picture of a graph with its buttons and legend. The list beside it shows the same for those
// who do not see it.

import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { counted } from '../../lib/format.js'
import type { GraphView } from '../../lib/memory/graph.js'
import type { Standing } from '../../lib/memory/verdict.js'
import { labelOf } from './paint.js'
import { GraphPicture } from './picture.js'

interface GraphCanvasProps {
  readonly view: GraphView
  /** What the question names. */
  readonly named: ReadonlySet<string> | undefined
  readonly standings: ReadonlyMap<string, Standing>
  readonly selected: Signal<string | undefined>
  /** Shows a node, and moves the focus to it. */
  readonly open: (id: string) => void
}

export function GraphCanvas({ view, named, standings, selected, open }: GraphCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const probe = useRef<HTMLSpanElement>(null)
  const picture = useRef<GraphPicture | undefined>(undefined)
  const wishes = useRef({ open })
  wishes.current = { open }
  useEffect(() => {
    if (canvas.current === null || probe.current === null) return
    const made = new GraphPicture(canvas.current, probe.current, {
      select: (id) => {
        selected.value = id
      },
      open: (id) => wishes.current.open(id),
    })
    picture.current = made
    return () => made.end()
  }, [])
  useEffect(() => picture.current?.show(view), [view])
  const { value: chosen } = selected
  useEffect(
    () => picture.current?.mark({ selected: chosen, named, standings }),
    [chosen, named, standings],
  )
  const node = chosen === undefined ? undefined : view.nodes.get(chosen)
  const figures = `${counted(view.nodes.size, 'node')}, ${counted(view.edges.length, 'edge')}`
  return (
    <figure class="picture">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: its keys are its own. */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`Graph: ${figures}`}
        aria-describedby="graph-keys"
      />
      <span ref={probe} hidden />
      <div class="zooms">
        <button type="button" aria-label="Zoom in" onClick={() => picture.current?.zoom(1.25)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => picture.current?.zoom(0.8)}>
          −
        </button>
        <button type="button" onClick={() => picture.current?.fit()}>
          Fit
        </button>
      </div>
      <Legend />
      <p class="faint" id="graph-keys">
        Drag to move. Arrow keys go to neighbours, Enter opens, + and − zoom, 0 fits.
      </p>
      <p class="visually-hidden" role="status">
        {node === undefined ? '' : `${node.type}: ${labelOf(node)}`}
      </p>
    </figure>
  )
}

function Legend() {
  return (
    <ul class="legend">
      <li class="disc">memory</li>
      <li class="square">entity</li>
      <li class="ring">verified</li>
      <li class="cross">tampered</li>
    </ul>
  )
}
