// Stages that read another collection, drawn from a seed.

import type { Draw, Plain } from './values.js'

const localFields = ['n', 's', 'g', 'l', 'w', 'o.x', 'absent', 'r.v']
const foreignFields = ['n', 's', 'g', 'l', 'w', 'o.x', 'r.k', '_id']

const joins: readonly ((draw: Draw, from: string) => Plain)[] = [
  (draw, from) => ({
    $lookup: {
      from,
      localField: draw.pick(localFields),
      foreignField: draw.pick(foreignFields),
      as: draw.pick(['m', 'n']),
    },
  }),
  (draw, from) => ({
    $lookup: {
      from,
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
  (draw, from) => ({
    $unionWith: {
      coll: from,
      pipeline: [{ $match: { g: draw.pick([0, 1, 2]) } }, { $project: { n: 1 } }],
    },
  }),
  (draw, from) => ({
    $graphLookup: {
      from,
      startWith: draw.pick(['$g', '$n', '$l']),
      connectFromField: draw.pick(['n', 'g']),
      connectToField: '_id',
      as: 'reached',
      maxDepth: draw.pick([0, 1, 2]),
    },
  }),
]

/** A stage that reads the collection `from`. */
export function joinOf(draw: Draw, from: string): Plain {
  return draw.pick(joins)(draw, from)
}
