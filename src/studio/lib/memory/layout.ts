// Where the nodes of a graph stand: forces of d3-force, computed in slices of a few milliseconds,
// so that the page answers between them. The same graph is laid out the same way each time.

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
} from 'd3-force'

export interface Point {
  readonly x: number
  readonly y: number
}

interface Link {
  readonly from: string
  readonly to: string
}

interface Placed {
  readonly id: string
  x?: number
  y?: number
}

export class Layout {
  private readonly nodes: readonly Placed[]
  private readonly simulation: Simulation<Placed, undefined>

  /** Nodes that stood in `before` begin there, others beside a neighbour that did. */
  constructor(
    ids: Iterable<string>,
    links: readonly Link[],
    before: ReadonlyMap<string, Point> = new Map(),
  ) {
    const beside = besides(links, before)
    this.nodes = [...ids].map((id) => ({ id, ...(before.get(id) ?? beside.get(id)) }))
    const known = new Set(this.nodes.map(({ id }) => id))
    const drawn = links
      .filter(({ from, to }) => known.has(from) && known.has(to))
      .map(({ from, to }) => ({ source: from, target: to }))
    const isNew = this.nodes.every(({ id }) => !before.has(id))
    this.simulation = forceSimulation<Placed>([...this.nodes])
      .stop()
      .alpha(isNew ? 1 : 0.4)
      .alphaMin(0.02)
      .force('links', forceLink<Placed, { source: string; target: string }>(drawn).id(nameOf))
      .force('charge', forceManyBody<Placed>().strength(-60).distanceMax(500))
      .force('collide', forceCollide<Placed>(10))
      .force('x', forceX<Placed>().strength(0.06))
      .force('y', forceY<Placed>().strength(0.06))
  }

  get isDone(): boolean {
    return this.simulation.alpha() < this.simulation.alphaMin()
  }

  /** One tick, and more until the time is used up. */
  step(budgetMs: number, now: () => number): void {
    const end = now() + budgetMs
    do {
      if (this.isDone) return
      this.simulation.tick()
    } while (now() < end)
  }

  places(): ReadonlyMap<string, Point> {
    return new Map(this.nodes.map(({ id, x = 0, y = 0 }) => [id, { x, y }]))
  }
}

function nameOf({ id }: Placed): string {
  return id
}

function besides(
  links: readonly Link[],
  before: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const places = new Map<string, Point>()
  const put = (id: string, other: string) => {
    const place = before.get(other)
    if (place === undefined || before.has(id) || places.has(id)) return
    // Each a little further around, because two nodes at one point push each other nowhere.
    const angle = places.size
    places.set(id, { x: place.x + 20 * Math.cos(angle), y: place.y + 20 * Math.sin(angle) })
  }
  for (const { from, to } of links) {
    put(from, to)
    put(to, from)
  }
  return places
}
