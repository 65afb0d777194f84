// The graph on its canvas: lays it out in slices, and draws it when something has changed. Pointer,
// wheel and keys move what is seen and select nodes.

import { edgeKey, type GraphView, type Neighbours, neighboursOf } from '../../lib/memory/graph.js'
import { Layout, type Point } from '../../lib/memory/layout.js'
import {
  type Direction,
  fitted,
  moved,
  neighbourToward,
  nodeAt,
  type Places,
  revealed,
  type Sight,
  zoomed,
} from '../../lib/memory/sight.js'
import { type Colours, type Marks, paint } from './paint.js'

/** Of a frame that lays out; the rest is for drawing. */
const sliceMs = 8
/** Pixels around a node that select it. */
const reach = 14
/** Pixels that a pointer may move in a click. */
const clickMove = 4

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

interface Wishes {
  readonly select: (id: string | undefined) => void
  readonly open: (id: string) => void
}

export class GraphPicture {
  private readonly context: CanvasRenderingContext2D | null
  private readonly ending = new AbortController()
  private readonly resizing: ResizeObserver
  private readonly theming: MutationObserver
  private readonly pointers = new Map<number, Point>()
  private view: GraphView | undefined
  private neighbours: Neighbours = new Map()
  private layout = new Layout([], [])
  private shape = ''
  private places: Places = new Map()
  private sight: Sight = { x: 0, y: 0, scale: 1 }
  private marks: Marks = { selected: undefined, named: undefined, standings: new Map() }
  private colours: Colours | undefined
  /** The user has moved or zoomed, so nothing is fitted on its own. */
  private isTouched = false
  private movedBy = 0
  private frame = 0

  /** `probe` is an element whose colours tell those of the theme. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly probe: HTMLElement,
    private readonly wishes: Wishes,
  ) {
    this.context = canvas.getContext('2d')
    this.resizing = new ResizeObserver(() => this.resize())
    this.resizing.observe(canvas)
    const recolour = () => {
      this.colours = undefined
      this.draw()
    }
    this.theming = new MutationObserver(recolour)
    this.theming.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const { signal } = this.ending
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour, { signal })
    this.listen(signal)
  }

  end(): void {
    this.ending.abort()
    this.resizing.disconnect()
    this.theming.disconnect()
    cancelAnimationFrame(this.frame)
  }

  /** Nodes that were there stay where they are; the same graph is not laid out again. */
  show(view: GraphView): void {
    this.view = view
    const shape = [...view.nodes.keys(), ...view.edges.map(edgeKey)].join(' ')
    if (shape !== this.shape) {
      this.shape = shape
      this.neighbours = neighboursOf(view.edges)
      this.layout = new Layout(view.nodes.keys(), view.edges, this.places)
    }
    this.draw()
  }

  mark(marks: Marks): void {
    const isOther = marks.named !== this.marks.named
    const isMoved = marks.selected !== this.marks.selected
    this.marks = marks
    if (isOther) this.isTouched = false
    const place = marks.selected === undefined ? undefined : this.places.get(marks.selected)
    if (isMoved && place !== undefined && this.isTouched) {
      this.sight = revealed(this.sight, place, this.size())
    }
    this.draw()
  }

  zoom(factor: number, at: Point = this.middle()): void {
    this.isTouched = true
    this.sight = zoomed(this.sight, factor, at)
    this.draw()
  }

  fit(): void {
    this.isTouched = false
    this.draw()
  }

  private draw(): void {
    if (this.frame !== 0) return
    this.frame = requestAnimationFrame(() => {
      this.frame = 0
      this.turn()
    })
  }

  /** One frame. Without motion, only the end of the layout is drawn. */
  private turn(): void {
    this.layout.step(sliceMs, () => performance.now())
    this.places = this.layout.places()
    const { isDone } = this.layout
    this.canvas.dataset.layout = isDone ? 'done' : 'running'
    if (!isDone) this.draw()
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (this.view === undefined || this.context === null || (isCalm && !isDone)) return
    const size = this.size()
    if (!this.isTouched) this.sight = fitted(this.fittedPoints(), size)
    const { view, neighbours, places, sight, marks } = this
    this.colours ??= this.readColours()
    const ratio = devicePixelRatio
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(this.context, { view, neighbours, places, sight, size, marks }, this.colours)
  }

  private fittedPoints(): readonly Point[] {
    const { named } = this.marks
    const shown = [...this.places].filter(([id]) => named?.has(id) !== false)
    return (shown.length === 0 ? [...this.places] : shown).map(([, place]) => place)
  }

  private resize(): void {
    const { width, height } = this.size()
    this.canvas.width = Math.round(width * devicePixelRatio)
    this.canvas.height = Math.round(height * devicePixelRatio)
    this.draw()
  }

  private size() {
    const { clientWidth: width, clientHeight: height } = this.canvas
    return { width, height }
  }

  private middle(): Point {
    const { width, height } = this.size()
    return { x: width / 2, y: height / 2 }
  }

  private readColours(): Colours {
    const named = (name: string): string => {
      this.probe.style.color = `var(--${name})`
      return getComputedStyle(this.probe).color
    }
    return {
      page: named('page'),
      line: named('line'),
      text: named('text'),
      faint: named('faint'),
      accent: named('accent'),
      good: named('good'),
      bad: named('bad'),
    }
  }

  private listen(signal: AbortSignal): void {
    const { canvas } = this
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      run: (event: HTMLElementEventMap[K]) => void,
    ) => canvas.addEventListener(name, run, { signal, passive: false })
    on('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId)
      if (this.pointers.size === 0) this.movedBy = 0
      this.pointers.set(event.pointerId, pointOf(event))
    })
    on('pointermove', (event) => this.follow(event))
    on('pointerup', (event) => {
      const isClick = this.pointers.size === 1 && this.movedBy <= clickMove
      this.pointers.delete(event.pointerId)
      if (isClick) this.wishes.select(nodeAt(this.places, this.sight, pointOf(event), reach))
    })
    on('pointercancel', (event) => {
      this.pointers.delete(event.pointerId)
    })
    on('dblclick', () => {
      if (this.marks.selected !== undefined) this.wishes.open(this.marks.selected)
    })
    on('wheel', (event) => {
      // A wheel over the page scrolls it, unless the graph has the focus.
      if (!event.ctrlKey && document.activeElement !== canvas) return
      event.preventDefault()
      this.zoom(Math.exp(-event.deltaY / 400), pointOf(event))
    })
    on('keydown', (event) => this.press(event))
  }

  /** One pointer moves; two also zoom. */
  private follow(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId)
    if (before === undefined) return
    const now = pointOf(event)
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1]
    this.pointers.set(event.pointerId, now)
    const by = { x: now.x - before.x, y: now.y - before.y }
    this.movedBy += Math.abs(by.x) + Math.abs(by.y)
    if (this.movedBy <= clickMove) return
    this.isTouched = true
    if (other === undefined) {
      this.sight = moved(this.sight, by)
      this.draw()
    } else {
      const spread = (at: Point) => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y))
      this.zoom(spread(now) / spread(before), other)
    }
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    const direction = directions[key]
    if (direction !== undefined) this.walk(direction)
    else if (key === '+' || key === '=') this.zoom(1.25)
    else if (key === '-') this.zoom(0.8)
    else if (key === '0') this.fit()
    else if (key === 'Enter' && this.marks.selected !== undefined) {
      this.wishes.open(this.marks.selected)
    } else return
    event.preventDefault()
  }

  private walk(direction: Direction): void {
    const { selected, named } = this.marks
    if (selected === undefined || !this.places.has(selected)) {
      const [first] = named ?? this.places.keys()
      if (first !== undefined) this.wishes.select(first)
      return
    }
    const next = neighbourToward(this.places, this.neighbours, selected, direction)
    if (next !== undefined) this.wishes.select(next)
  }
}

function pointOf({ offsetX, offsetY }: MouseEvent): Point {
  return { x: offsetX, y: offsetY }
}
