// Stages that read the collection `f`, drawn from a seed.

import type { Draw, Plain } from './values.js'

const localFields = ['n', 's', 'g', 'l', 'w', 'o.x', 'absent', 'r.v']
const foreignFields = ['n', 's', 'g', 'l', 'w', 'o.x', 'r.k', '_id']

const joins: readonly ((draw: Draw) => Plain)[] = [
  (draw) => ({
    $lookup: {
      from: 'f',
      localField: draw.pick(localFields),
      foreignField: draw.pick(foreignFields),
      as: draw.pick(['m', 'n']),
    },
  }),
  (draw) => ({
    $lookup: {
      from: 'f',
      let: { v: `$${draw.pick(['n', 'g', '_id'])}` },
      pipeline: [
        {
          $match: {
            $expr: { [draw.pick(['$eq', '$gt', '$lte'])]: [draw.pick(['$n', '$g']), '$$v'] },
          },
        },
        { $sort: { _id: draw.pick([1, -1]) } },
        { $limit: 3 },
        { $project: { s: 1 } },
      ],
      as: 'm',
    },
  }),
  (draw) => ({
    $unionWith: {
      coll: 'f',
      pipeline: [{ $match: { g: draw.pick([0, 1, 2]) } }, { $project: { n: 1 } }],
    },
  }),
  (draw) => ({
    $graphLookup: {
      from: 'f',
      startWith: draw.pick(['$g', '$n', '$l']),
      connectFromField: draw.pick(['n', 'g']),
      connectToField: '_id',
      as: 'reached',
      maxDepth: draw.pick([0, 1, 2]),
    },
  }),
]

export function joinOf(draw: Draw): Plain {
  return draw.pick(joins)(draw)
}
