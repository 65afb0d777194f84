// Updates, projections and sorts of find drawn from a seed.

import { anyOf, type Draw, looseFields, numberOf, type Plain, scalarOf, textOf } from './values.js'

const updatePaths = [
  'n',
  'm',
  's',
  'l',
  'w',
  'o',
  'o.x',
  'o.y',
  'o.z.x',
  'made',
  'made.a',
  'l.0',
  'l.5',
]
const arrays = ['l', 'w', 'r', 'o.y', 'made']
const bits = ['and', 'or', 'xor'] as const

type Make = (draw: Draw) => Plain

const at = (draw: Draw, paths: readonly string[], value: unknown): Plain => ({
  [draw.pick(paths)]: value,
})

export const updateOperators: Readonly<Record<string, Make>> = {
  $set: (draw) => at(draw, updatePaths, anyOf(draw, 1)),
  $unset: (draw) => at(draw, updatePaths, ''),
  $inc: (draw) => at(draw, updatePaths, numberOf(draw)),
  $mul: (draw) => at(draw, updatePaths, numberOf(draw)),
  $min: (draw) => at(draw, updatePaths, scalarOf(draw)),
  $max: (draw) => at(draw, updatePaths, scalarOf(draw)),
  $rename: (draw) =>
    at(draw, ['n', 's', 'o', 'o.x', 'absent'], draw.pick(['other', 'made.b', 't'])),
  $push: (draw) => at(draw, arrays, draw.chance(0.5) ? anyOf(draw, 1) : eachOf(draw)),
  $addToSet: (draw) =>
    at(draw, arrays, draw.chance(0.6) ? anyOf(draw, 1) : { $each: [numberOf(draw), textOf(draw)] }),
  $pop: (draw) => at(draw, arrays, draw.pick([1, -1])),
  $pull: (draw) =>
    at(
      draw,
      arrays,
      draw.pick<unknown>([numberOf(draw), textOf(draw), { $gt: 1 }, { v: { $gte: 1 } }]),
    ),
  $pullAll: (draw) => at(draw, arrays, [numberOf(draw), textOf(draw)]),
  $bit: (draw) => at(draw, ['n', 'm', 'g', 'made'], { [draw.pick(bits)]: draw.whole(0, 7) }),
}

function eachOf(draw: Draw): Plain {
  const each: Plain = { $each: draw.list(0, 3, () => numberOf(draw)) }
  if (draw.chance(0.4)) each.$position = draw.pick([0, 1, -1, 9])
  if (draw.chance(0.3)) each.$slice = draw.pick([0, 2, -2])
  if (draw.chance(0.3)) each.$sort = draw.pick([1, -1])
  return each
}

export interface UpdateCase {
  readonly update: Plain
  readonly arrayFilters: readonly Plain[]
}

export function updateOf(draw: Draw): UpdateCase {
  if (draw.chance(0.15)) {
    const name = draw.pick(['$set', '$inc', '$mul', '$min', '$max'])
    if (draw.chance(0.5))
      return { update: { [name]: { 'l.$[]': numberOf(draw) } }, arrayFilters: [] }
    const filter = { each: { [draw.pick(['$gt', '$lte', '$eq'])]: numberOf(draw) } }
    return { update: { [name]: { 'l.$[each]': numberOf(draw) } }, arrayFilters: [filter] }
  }
  const name = draw.pick(Object.keys(updateOperators))
  return { update: { [name]: updateOperators[name]?.(draw) }, arrayFilters: [] }
}

export function findProjectionOf(draw: Draw): Plain {
  const spec: Plain = {}
  const isInclusion = draw.chance(0.5)
  for (const path of draw.list(1, 3, () =>
    draw.pick(['a', 'b', 'c', 'a.x', 'a.y', 'b.x', 'b.x.y']),
  )) {
    const isClash = Object.keys(spec).some(
      (each) => `${each}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${each}.`),
    )
    if (!isClash)
      spec[path] = isInclusion ? draw.pick<unknown>([1, true]) : draw.pick<unknown>([0, false])
  }
  if (draw.chance(0.15)) spec.c = { $slice: draw.pick<unknown>([1, -2, [1, 1], [-2, 1], 0]) }
  else if (draw.chance(0.1) && isInclusion)
    spec.c = { $elemMatch: draw.pick<Plain>([{ $gte: 1 }, { x: 1 }]) }
  if (draw.chance(0.2)) spec._id = isInclusion ? draw.pick([0, 1]) : 0
  return spec
}

export function findSortOf(draw: Draw): Plain {
  const sort: Plain = {}
  for (const path of draw.list(1, 2, () => draw.pick(looseFields))) sort[path] = draw.pick([1, -1])
  sort._id = 1
  return sort
}
