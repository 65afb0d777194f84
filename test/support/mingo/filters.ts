// Filters drawn from a seed, and their smallest parts: one condition on one path.

import { anyOf, arrayOf, type Draw, looseFields, numberOf, type Plain, scalarOf } from './values.js'

const typeNames = ['int', 'double', 'string', 'object', 'array', 'bool', 'null', 'date', 'objectId']

type Make = (draw: Draw, depth: number) => unknown

const operators: Readonly<Record<string, Make>> = {
  $eq: (draw) => anyOf(draw, 1),
  $ne: (draw) => anyOf(draw, 1),
  $gt: (draw) => anyOf(draw, 1),
  $gte: (draw) => anyOf(draw, 1),
  $lt: (draw) => anyOf(draw, 1),
  $lte: (draw) => anyOf(draw, 1),
  $in: (draw) => draw.list(1, 3, () => anyOf(draw, 1)),
  $nin: (draw) => draw.list(1, 3, () => anyOf(draw, 1)),
  $exists: (draw) => draw.chance(0.5),
  $type: (draw) =>
    draw.chance(0.8)
      ? draw.pick([...typeNames, 'number'])
      : draw.list(1, 2, () => draw.pick(typeNames)),
  $size: (draw) => draw.whole(0, 3),
  $all: (draw) => draw.list(0, 2, () => anyOf(draw, 1)),
  $mod: (draw) => [draw.pick([1, 2, 3]), draw.pick([0, 1, -1])],
  $regex: (draw) => draw.pick(['^a', 'b$', '[ab]', 'A', '^$', '.', '\\d+']),
  $bitsAllSet: (draw) => draw.pick([1, 2, 3, [0], [0, 1]]),
  $bitsAnySet: (draw) => draw.pick([1, 2, 3, [0], [0, 1]]),
  $bitsAllClear: (draw) => draw.pick([1, 2, 3, [0], [0, 1]]),
  $bitsAnyClear: (draw) => draw.pick([1, 2, 3, [0], [0, 1]]),
  $elemMatch: (draw, depth) => elementFilter(draw, depth),
  $not: (draw, depth) => conditionOf(draw, depth - 1, 0),
}
const names = Object.keys(operators)
const flat = names.filter((name) => name !== '$elemMatch' && name !== '$not')

function elementFilter(draw: Draw, depth: number): Plain {
  if (draw.chance(0.5)) return { $gte: numberOf(draw), $lt: numberOf(draw) }
  return { [draw.pick(['x', 'y'])]: conditionOf(draw, depth - 1) }
}

/** What stands under a path: a value, or operators. */
function conditionOf(draw: Draw, depth: number, plain = 0.15): unknown {
  if (draw.chance(plain)) return draw.chance(0.3) ? arrayOf(draw, 1) : scalarOf(draw)
  const condition: Plain = {}
  for (const name of draw.list(1, draw.chance(0.2) ? 2 : 1, () =>
    draw.pick(depth > 0 ? names : flat),
  )) {
    condition[name] = operators[name]?.(draw, depth)
  }
  return condition
}

export function filterOf(draw: Draw, depth = 2): Plain {
  if (depth > 0 && draw.chance(0.25)) {
    return {
      [draw.pick(['$and', '$or', '$nor'])]: draw.list(1, 2, () => filterOf(draw, depth - 1)),
    }
  }
  const filter: Plain = {}
  for (const path of draw.list(1, 2, () => draw.pick(looseFields)))
    filter[path] = conditionOf(draw, 2)
  return filter
}

/** One condition on one path. */
export interface FilterPart {
  readonly path: string
  readonly name: string
  readonly operand: unknown
}

/** Conditions of a filter, $not's in place of $not itself. */
export function partsOf(filter: Plain): FilterPart[] {
  return Object.entries(filter).flatMap(([name, operand]): FilterPart[] => {
    if (name.startsWith('$')) return (operand as Plain[]).flatMap(partsOf)
    if (!isOperators(operand)) return [{ path: name, name: '$eq', operand }]
    return Object.entries(operand).flatMap(([operator, given]) =>
      operator === '$not'
        ? partsOf({ [name]: given })
        : [{ path: name, name: operator, operand: given }],
    )
  })
}

function isOperators(operand: unknown): operand is Plain {
  if (typeof operand !== 'object' || operand === null || Array.isArray(operand)) return false
  return Object.keys(operand)[0]?.startsWith('$') === true
}

export function filterOfPart({ path, name, operand }: FilterPart): Plain {
  return { [path]: { [name]: operand } }
}
