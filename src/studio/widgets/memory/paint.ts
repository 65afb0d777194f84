// Draws a graph on a canvas: memories as discs, entities as squares, so that shape tells them apart
// and not colour alone. Names are drawn where they find room.

import { visible } from '../../lib/format.js'
import { type GraphNode, type GraphView, type Neighbours, titleOf } from '../../lib/memory/graph.js'
import type { Point } from '../../lib/memory/layout.js'
import { type Places, type Sight, seenAt } from '../../lib/memory/sight.js'
import type { Standing } from '../../lib/memory/verdict.js'

export interface Colours {
  readonly page: string
  readonly line: string
  readonly text: string
  readonly faint: string
  readonly accent: string
  readonly good: string
  readonly bad: string
}

export interface Marks {
  readonly selected: string | undefined
  /** What the question names; undefined without one. */
  readonly named: ReadonlySet<string> | undefined
  readonly standings: ReadonlyMap<string, Standing>
}

interface Scene {
  readonly view: GraphView
  readonly neighbours: Neighbours
  readonly places: Places
  readonly sight: Sight
  readonly size: { readonly width: number; readonly height: number }
  readonly marks: Marks
}

type Context = CanvasRenderingContext2D

const labelsMax = 80
const labelChars = 28
const dimmed = 0.3

export function paint(context: Context, scene: Scene, colours: Colours): void {
  const { width, height } = scene.size
  context.clearRect(0, 0, width, height)
  paintEdges(context, scene, colours)
  for (const node of scene.view.nodes.values()) paintNode(context, scene, colours, node)
  context.globalAlpha = 1
  paintLabels(context, scene, colours)
}

function paintEdges(context: Context, scene: Scene, colours: Colours): void {
  const { view, places, sight, marks } = scene
  const { selected, named } = marks
  const groups = { plain: new Path2D(), dim: new Path2D(), selected: new Path2D() }
  for (const { from, to } of view.edges) {
    const [start, end] = [places.get(from), places.get(to)]
    if (start === undefined || end === undefined) continue
    const isDim = named !== undefined && !(named.has(from) && named.has(to))
    const isSelected = from === selected || to === selected
    const path = isSelected ? groups.selected : isDim ? groups.dim : groups.plain
    const [one, other] = [seenAt(sight, start), seenAt(sight, end)]
    path.moveTo(one.x, one.y)
    path.lineTo(other.x, other.y)
  }
  context.lineWidth = 1
  context.strokeStyle = colours.faint
  context.globalAlpha = 0.15
  context.stroke(groups.dim)
  context.globalAlpha = 0.5
  context.stroke(groups.plain)
  context.globalAlpha = 1
  context.strokeStyle = colours.accent
  context.stroke(groups.selected)
}

function paintNode(context: Context, scene: Scene, colours: Colours, node: GraphNode): void {
  const { places, sight, size, marks } = scene
  const place = places.get(node.id)
  if (place === undefined) return
  const at = seenAt(sight, place)
  const radius = radiusOf(scene, node)
  const isOutside = at.x < -20 || at.y < -20 || at.x > size.width + 20 || at.y > size.height + 20
  if (isOutside) return
  const isDim = marks.named?.has(node.id) === false && node.id !== marks.selected
  context.globalAlpha = isDim ? dimmed : 1
  context.fillStyle = node.type === 'memory' ? colours.accent : colours.faint
  context.beginPath()
  if (node.type === 'memory') context.arc(at.x, at.y, radius, 0, 2 * Math.PI)
  else context.rect(at.x - radius, at.y - radius, 2 * radius, 2 * radius)
  context.fill()
  paintStanding(context, colours, { at, radius }, marks.standings.get(node.id))
  if (node.id !== marks.selected) return
  context.lineWidth = 2
  context.strokeStyle = colours.text
  context.beginPath()
  context.arc(at.x, at.y, radius + 5, 0, 2 * Math.PI)
  context.stroke()
}

interface Disc {
  readonly at: Point
  readonly radius: number
}

/** A ring where a memory is verified, a cross where it was changed. */
function paintStanding(
  context: Context,
  colours: Colours,
  { at: { x, y }, radius }: Disc,
  standing: Standing | undefined,
): void {
  if (standing !== 'verified' && standing !== 'changed') return
  context.lineWidth = 2
  context.strokeStyle = standing === 'verified' ? colours.good : colours.bad
  context.beginPath()
  if (standing === 'verified') context.arc(x, y, radius + 2, 0, 2 * Math.PI)
  else {
    const arm = radius + 3
    context.moveTo(x - arm, y - arm)
    context.lineTo(x + arm, y + arm)
    context.moveTo(x + arm, y - arm)
    context.lineTo(x - arm, y + arm)
  }
  context.stroke()
}

function radiusOf({ sight, neighbours }: Scene, { id, type }: GraphNode): number {
  const base = Math.min(8, Math.max(2.5, 5 * Math.sqrt(sight.scale)))
  if (type === 'memory') return base
  const degree = neighbours.get(id)?.length ?? 0
  return 0.8 * base * (1 + Math.min(1, degree / 20))
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The most important first; a name that would lie on another is left out. */
function paintLabels(context: Context, scene: Scene, colours: Colours): void {
  const { places, sight, size, marks } = scene
  const taken: Box[] = []
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 3
  context.strokeStyle = colours.page
  context.fillStyle = colours.text
  const discs = discsOf(scene)
  for (const node of labelled(scene)) {
    const place = places.get(node.id)
    if (place === undefined) continue
    const { x, y } = seenAt(sight, place)
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue
    const text = labelOf(node)
    const wide = context.measureText(text).width
    const free = (at: Point) => {
      const box = boxAt(at, wide)
      return box.left >= 0 && box.right <= size.width && !taken.some((one) => overlaps(box, one))
    }
    const besides = besidesOf({ x, y }, radiusOf(scene, node) + 6, wide).filter(free)
    const isClear = (at: Point) => !discs.some((one) => overlaps(boxAt(at, wide), one))
    // A name of an entity may lie on a node, a text may not.
    const isNeeded = node.type === 'entity' || node.id === marks.selected
    const found = besides.find(isClear) ?? (isNeeded ? besides[0] : undefined)
    if (found === undefined) continue
    taken.push(boxAt(found, wide))
    context.strokeText(text, found.x, found.y)
    context.fillText(text, found.x, found.y)
    if (taken.length === labelsMax) return
  }
}

/** The boxes of all nodes. */
function discsOf(scene: Scene): readonly Box[] {
  return [...scene.view.nodes.values()].flatMap((node) => {
    const place = scene.places.get(node.id)
    if (place === undefined) return []
    const [{ x, y }, radius] = [seenAt(scene.sight, place), radiusOf(scene, node)]
    return [{ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }]
  })
}

/** Where a text may begin: to the right of a node, to its left, below and above it. */
function besidesOf({ x, y }: Point, off: number, wide: number): readonly Point[] {
  return [
    { x: x + off, y },
    { x: x - off - wide, y },
    { x: x - wide / 2, y: y + off + 6 },
    { x: x - wide / 2, y: y - off - 6 },
  ]
}

function boxAt({ x, y }: Point, wide: number): Box {
  return { left: x, top: y - 8, right: x + wide, bottom: y + 8 }
}

function labelled({ view, neighbours, marks, sight }: Scene): readonly GraphNode[] {
  const degree = ({ id }: GraphNode) => neighbours.get(id)?.length ?? 0
  const { selected, named } = marks
  const nodes = [...view.nodes.values()].filter(({ id, type }) => {
    if (id === selected) return true
    return named?.has(id) !== false && (type === 'entity' || sight.scale > 1.5)
  })
  const rank = (node: GraphNode) => (node.id === selected ? Number.POSITIVE_INFINITY : degree(node))
  return nodes.toSorted((one, other) => rank(other) - rank(one))
}

/** The beginning, with characters that turn or hide text written out. */
export function labelOf(node: GraphNode): string {
  const title = [...titleOf(node).slice(0, 2 * labelChars)]
  const text = visible(title.slice(0, labelChars).join(''))
  return title.length > labelChars ? `${text}…` : text
}

function overlaps(one: Box, other: Box): boolean {
  const isBeside = one.right < other.left || other.right < one.left
  return !(isBeside || one.bottom < other.top || other.bottom < one.top)
}
