// biome-ignore-all lint/suspicious/noThenProperty: $cond and $switch call their arguments so
// Stages of pipelines drawn from a seed, over documents whose fields have the type their name says.

import { expressionOf } from './expressions.js'
import { type Draw, numberOf, type Plain, textOf } from './values.js'

const simple = (draw: Draw) => draw.pick(['$n', '$m', '$s', '$g', '$o.x', '$d'])
const number = (draw: Draw) => draw.pick(['$n', '$m', '$g', { $add: ['$n', 1] }])
const order = (draw: Draw) => draw.pick([1, -1])

const accumulators: Readonly<Record<string, (draw: Draw) => unknown>> = {
  $sum: number,
  $avg: number,
  $min: simple,
  $max: simple,
  $first: simple,
  $last: simple,
  $push: simple,
  $addToSet: simple,
  $count: () => ({}),
  $mergeObjects: () => '$o',
  $stdDevPop: number,
  $stdDevSamp: number,
  $firstN: (draw) => ({ input: simple(draw), n: 2 }),
  $lastN: (draw) => ({ input: simple(draw), n: 2 }),
  $minN: (draw) => ({ input: number(draw), n: 2 }),
  $maxN: (draw) => ({ input: number(draw), n: 2 }),
  $top: (draw) => ({ output: '$s', sortBy: { n: order(draw), _id: 1 } }),
  $bottom: (draw) => ({ output: '$s', sortBy: { n: order(draw), _id: 1 } }),
  $topN: (draw) => ({ output: '$s', sortBy: { n: order(draw), _id: 1 }, n: 2 }),
  $bottomN: (draw) => ({ output: '$s', sortBy: { n: order(draw), _id: 1 }, n: 2 }),
}

function accumulated(draw: Draw): Plain {
  const name = draw.pick(Object.keys(accumulators))
  return { [name]: accumulators[name]?.(draw) }
}

function sortOf(draw: Draw): Plain {
  return { [draw.pick(['n', 'm', 's', 'g', 'd', 'o.x', 'l'])]: order(draw), _id: order(draw) }
}

const windows = [
  { documents: [-1, 0] },
  { documents: ['unbounded', 'current'] },
  { documents: [-1, 1] },
]
const windowFunctions: Readonly<Record<string, (draw: Draw) => Plain>> = {
  $sum: (draw) => ({ $sum: '$n', window: draw.pick(windows) }),
  $avg: (draw) => ({ $avg: '$n', window: draw.pick(windows) }),
  $push: (draw) => ({ $push: '$n', window: draw.pick(windows) }),
  $min: (draw) => ({ $min: '$n', window: draw.pick(windows) }),
  $documentNumber: () => ({ $documentNumber: {} }),
  $rank: () => ({ $rank: {} }),
  $denseRank: () => ({ $denseRank: {} }),
  $shift: (draw) => ({ $shift: { output: '$s', by: draw.pick([1, -1, 2]), default: 'none' } }),
  $locf: () => ({ $locf: '$n' }),
}

const paths = ['n', 's', 'o', 'o.x', 'o.y', 'l', 'r', 'r.v', 'absent']

function projectionOf(draw: Draw): Plain {
  const spec: Plain = {}
  const isInclusion = draw.chance(0.6)
  for (const path of draw.list(1, 3, () => draw.pick(paths))) {
    if (
      Object.keys(spec).some((each) => each.startsWith(`${path}.`) || path.startsWith(`${each}.`))
    )
      continue
    spec[path] = isInclusion ? 1 : 0
  }
  if (isInclusion && draw.chance(0.4))
    spec.made = expressionOf(draw, draw.pick(['number', 'text']), 1)
  if (draw.chance(0.2)) spec._id = 0
  return spec
}

export const stages: Readonly<Record<string, (draw: Draw) => unknown>> = {
  $match: (draw) => ({ n: { [draw.pick(['$gt', '$lte', '$ne'])]: numberOf(draw) } }),
  $sort: sortOf,
  $limit: (draw) => draw.whole(1, 6),
  $skip: (draw) => draw.whole(0, 3),
  $project: projectionOf,
  $addFields: (draw) => ({ [draw.pick(['n', 'made', 'o.made', 'r.made'])]: simple(draw) }),
  $set: (draw) => ({ [draw.pick(['s', 'made.b', 'o.x'])]: expressionOf(draw, 'number', 1) }),
  $unset: (draw) => draw.pick<unknown>(['n', ['s', 'o.x'], 'r.v']),
  $group: (draw) => ({
    _id: draw.pick<unknown>(['$g', '$s', null, { g: '$g', f: '$f' }, '$o.x']),
    a: accumulated(draw),
    b: accumulated(draw),
  }),
  $unwind: (draw) =>
    draw.pick<unknown>([
      '$l',
      { path: '$r', includeArrayIndex: 'at' },
      { path: '$w', preserveNullAndEmptyArrays: true },
      '$n',
    ]),
  $count: () => 'total',
  $sortByCount: (draw) => draw.pick(['$g', '$s', '$f']),
  $replaceRoot: () => ({ newRoot: { $mergeObjects: ['$o', { _id: '$_id', n: '$n' }] } }),
  $replaceWith: () => ({ _id: '$_id', s: '$s', l: '$l' }),
  $bucket: (draw) => ({
    groupBy: '$g',
    boundaries: draw.pick([
      [0, 1, 2],
      [-0.5, 0.5, 1.5],
    ]),
    default: 'others',
    output: { a: accumulated(draw) },
  }),
  $bucketAuto: (draw) => ({ groupBy: '$_id', buckets: draw.whole(1, 4) }),
  $facet: (draw) => ({
    a: [{ $sort: sortOf(draw) }, { $limit: 2 }],
    b: [{ $group: { _id: '$g', total: { $sum: 1 } } }, { $sort: { _id: 1 } }],
  }),
  $redact: () => ({
    $cond: { if: { $eq: ['$x', 1] }, then: '$$PRUNE', else: '$$DESCEND' },
  }),
  $setWindowFields: (draw) => ({
    partitionBy: draw.pick(['$g', null]),
    sortBy: { _id: order(draw) },
    output: { out: windowFunctions[draw.pick(Object.keys(windowFunctions))]?.(draw) },
  }),
  $densify: (draw) => ({
    field: '_id',
    range: { step: draw.whole(1, 3), bounds: draw.pick<unknown>(['full', [0, 4]]) },
  }),
  $fill: (draw) => ({
    sortBy: { _id: 1 },
    output: { n: draw.pick<Plain>([{ method: 'locf' }, { value: 7 }]), s: { value: textOf(draw) } },
  }),
}

const stageNames = Object.keys(stages)

/** One to four stages; what follows a stage that changes shapes may find its fields missing. */
export function pipelineOf(draw: Draw): Plain[] {
  return draw.list(1, 4, () => {
    const name = draw.pick(stageNames)
    return { [name]: stages[name]?.(draw) }
  })
}
