// Values and documents of every type that mingo and BSON share, drawn from a seed: small sets, so
// that values meet; arrays in arrays, nulls, missing fields, dates and ObjectIds.

import { ObjectId } from 'bson'
import { seededRandom } from '../seeded-random.js'

export type Plain = Record<string, unknown>

/** What cases are drawn with. */
export class Draw {
  private readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** From `least` up to `most`, both possible. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)] as T
  }

  list<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.whole(least, most) }, make)
  }
}

export const dates = [
  new Date('2024-02-29T12:30:15.250Z'),
  new Date('2023-12-31T23:59:59.999Z'),
  new Date('1969-07-20T20:17:40.000Z'),
]
const ids = ['65a000000000000000000001', '65a000000000000000000002'].map((hex) => new ObjectId(hex))
const numbers = [0, 1, 2, 3, 5, -1, 10, 1.5, -2.5]
const texts = ['a', 'b', 'ab', 'Ab', '', 'x y', 'é', '12']

export function numberOf(draw: Draw): number {
  return draw.pick(numbers)
}

export function textOf(draw: Draw): string {
  return draw.pick(texts)
}

export function scalarOf(draw: Draw): unknown {
  const kind = draw.whole(0, 19)
  if (kind < 9) return numberOf(draw)
  if (kind < 14) return textOf(draw)
  if (kind < 16) return draw.chance(0.5)
  if (kind < 18) return null
  return kind === 18 ? draw.pick(dates) : draw.pick(ids)
}

function objectOf(draw: Draw, depth: number): Plain {
  const object: Plain = {}
  for (const name of ['x', 'y', 'z']) if (draw.chance(0.5)) object[name] = anyOf(draw, depth - 1)
  return object
}

export function arrayOf(draw: Draw, depth: number): unknown[] {
  return draw.list(0, 3, () => anyOf(draw, depth - 1))
}

export function anyOf(draw: Draw, depth = 2): unknown {
  if (depth > 0 && draw.chance(0.15)) return arrayOf(draw, depth)
  if (depth > 0 && draw.chance(0.18)) return objectOf(draw, depth)
  return scalarOf(draw)
}

/** A document of fields of no type in particular. */
export function documentOf(draw: Draw, id: number): Plain {
  const document: Plain = { _id: id }
  for (const name of ['a', 'b', 'c']) if (draw.chance(0.75)) document[name] = anyOf(draw)
  return document
}

/** A document whose fields mostly have the type that their name says, so that operators work. */
export function typedDocumentOf(draw: Draw, id: number): Plain {
  const document: Plain = { _id: id }
  const fields: [string, () => unknown][] = [
    ['n', () => numberOf(draw)],
    ['m', () => numberOf(draw)],
    ['s', () => textOf(draw)],
    ['t', () => textOf(draw)],
    ['d', () => draw.pick(dates)],
    ['f', () => draw.chance(0.5)],
    ['l', () => draw.list(0, 4, () => numberOf(draw))],
    ['w', () => draw.list(0, 3, () => textOf(draw))],
    ['o', () => objectOf(draw, 2)],
    ['r', () => draw.list(0, 3, () => ({ k: textOf(draw), v: numberOf(draw) }))],
    ['g', () => draw.whole(0, 2)],
  ]
  for (const [name, make] of fields) {
    if (draw.chance(0.06)) document[name] = draw.chance(0.5) ? null : anyOf(draw)
    else if (draw.chance(0.94)) document[name] = make()
  }
  return document
}

export const looseFields = ['a', 'b', 'c', 'a.x', 'a.y', 'b.x', 'b.x.y', 'a.0', 'c.1', 'a.x.0']
