// The part of a graph that is seen: moved, zoomed, fitted to its place, and asked what lies at a
// point or in the direction of an arrow key.

import type { Neighbours } from './graph.js'
import type { Point } from './layout.js'

/** A place of the graph times `scale`, plus `x` and `y`, is a place of the picture. */
export interface Sight {
  readonly x: number
  readonly y: number
  readonly scale: number
}

interface Size {
  readonly width: number
  readonly height: number
}

export type Places = ReadonlyMap<string, Point>
export type Direction = 'left' | 'right' | 'up' | 'down'

const scaleMin = 0.05
const scaleMax = 8
/** Pixels between what is fitted and the edge. */
const margin = 32

export function seenAt({ x, y, scale }: Sight, point: Point): Point {
  return { x: point.x * scale + x, y: point.y * scale + y }
}

export function moved({ x, y, scale }: Sight, by: Point): Sight {
  return { x: x + by.x, y: y + by.y, scale }
}

/** What lies at `at`, a point of the picture, stays there. */
export function zoomed({ x, y, scale }: Sight, factor: number, at: Point): Sight {
  const next = Math.min(scaleMax, Math.max(scaleMin, scale * factor))
  const change = next / scale
  return { x: at.x - (at.x - x) * change, y: at.y - (at.y - y) * change, scale: next }
}

export function fitted(points: readonly Point[], { width, height }: Size): Sight {
  if (points.length === 0) return { x: width / 2, y: height / 2, scale: 1 }
  const [left, right] = rangeOf(points.map(({ x }) => x))
  const [top, bottom] = rangeOf(points.map(({ y }) => y))
  const across = Math.max(1, width - 2 * margin) / Math.max(1, right - left)
  const down = Math.max(1, height - 2 * margin) / Math.max(1, bottom - top)
  const scale = Math.min(2, Math.max(scaleMin, Math.min(across, down)))
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 }
  return { x: width / 2 - middle.x * scale, y: height / 2 - middle.y * scale, scale }
}

/** Moved as little as needed for a point to be seen. */
export function revealed(sight: Sight, point: Point, { width, height }: Size): Sight {
  const { x, y } = seenAt(sight, point)
  const shift = (at: number, end: number) =>
    Math.max(0, margin - at) - Math.max(0, at - (end - margin))
  return moved(sight, { x: shift(x, width), y: shift(y, height) })
}

/** The node that is closest to a point of the picture, if one is within `radius`. */
export function nodeAt(
  places: Places,
  sight: Sight,
  at: Point,
  radius: number,
): string | undefined {
  let found: string | undefined
  let least = radius
  for (const [id, place] of places) {
    const { x, y } = seenAt(sight, place)
    const distance = Math.hypot(x - at.x, y - at.y)
    if (distance > least) continue
    least = distance
    found = id
  }
  return found
}

const angles: Readonly<Record<Direction, number>> = {
  right: 0,
  down: Math.PI / 2,
  left: Math.PI,
  up: -Math.PI / 2,
}

/** The neighbour that lies best in a direction; none if all lie to the other side. */
export function neighbourToward(
  places: Places,
  neighbours: Neighbours,
  from: string,
  direction: Direction,
): string | undefined {
  const start = places.get(from)
  if (start === undefined) return undefined
  let found: string | undefined
  let least = Math.PI / 2
  for (const { id } of neighbours.get(from) ?? []) {
    const end = places.get(id)
    if (end === undefined || id === from) continue
    const turn = Math.atan2(end.y - start.y, end.x - start.x) - angles[direction]
    const off = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)))
    if (off >= least) continue
    least = off
    found = id
  }
  return found
}

function rangeOf(values: readonly number[]): readonly [least: number, most: number] {
  return values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
}
