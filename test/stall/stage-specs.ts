// Hostile forms of every stage of a pipeline: a spec, or a whole pipeline where the stage needs one.
// Operands of the accumulators and of the window functions.

import { large } from './cases.js'

const groups = { _id: '$i', all: { $push: '$$ROOT' }, sum: { $sum: '$i' } }
const boundaries = Array.from({ length: 10_000 }, (_, i) => i)

export const stageSpecs: Readonly<Record<string, readonly unknown[]>> = {
  $match: [{ v: { $all: large('numbers', 200_000) } }, { $expr: { $in: ['$i', '$list'] } }],
  $limit: [1],
  $skip: [1_000_000],
  $count: ['n'],
  $project: [{ 'v.k': 1 }, { 'v.a.a': 0 }, { v: { $slice: ['$v', 5] } }, { 'x.y.z': '$v' }],
  $addFields: [{ 'v.x': 1 }, { x: '$v', y: '$v', z: ['$v', '$v'] }, { 'v.v.v': '$w' }],
  $set: [{ 'list.x': '$list' }],
  $unset: [['v.k', 'v.v', 'v.a']],
  $replaceRoot: [{ newRoot: { $mergeObjects: ['$$ROOT', { x: '$v' }] } }],
  $replaceWith: [{ x: '$$ROOT' }],
  $group: [groups, { _id: '$v', n: { $sum: 1 } }, { _id: '$text', s: { $addToSet: '$list' } }],
  $sortByCount: ['$text', '$v', '$list'],
  $sort: [{ text: 1 }, { v: -1, w: 1 }, { list: 1, i: -1 }, { 'v.k': 1 }],
  $sample: [{ size: 1_000 }],
  $bucket: [{ groupBy: '$i', boundaries, default: 'x' }],
  $bucketAuto: [
    { groupBy: '$i', buckets: 1_000 },
    { groupBy: '$v', buckets: 5 },
  ],
  $redact: [{ $cond: [{ $eq: ['$v', '$w'] }, '$$PRUNE', '$$DESCEND'] }, '$$DESCEND'],
  $setWindowFields: [
    { sortBy: { i: 1 }, output: { r: { $push: '$i', window: { documents: [-100, 100] } } } },
    { sortBy: { i: 1 }, output: { r: { $max: '$text', window: { range: [-1_000, 1_000] } } } },
    { partitionBy: '$v', sortBy: { i: 1 }, output: { r: { $rank: {} } } },
  ],
  $fill: [{ sortBy: { i: 1 }, output: { x: { method: 'locf' }, y: { value: '$v' } } }],
  $densify: [{ field: 'i', range: { step: 0.1, bounds: 'full' } }],
  $unwind: ['$v', { path: '$list', includeArrayIndex: 'at' }, '$v.k'],
  $lookup: [
    { from: 'many', localField: 'v', foreignField: 'i', as: 'r' },
    { from: 'many', localField: 'g', foreignField: 'g', as: 'r' },
    {
      from: 'many',
      let: { x: '$v' },
      pipeline: [{ $match: { $expr: { $in: ['$i', '$$x'] } } }],
      as: 'r',
    },
    { from: 'values', pipeline: [], as: 'r' },
  ],
  $graphLookup: [
    {
      ...{ from: 'many', startWith: '$list', connectFromField: 'list' },
      ...{ connectToField: 'i', as: 'r' },
    },
    { from: 'many', startWith: '$v', connectFromField: 'i', connectToField: 'g', as: 'r' },
  ],
  $unionWith: [{ coll: 'many', pipeline: [{ $sort: { text: -1 } }] }],
  $facet: [{ a: [{ $group: groups }], b: [{ $sort: { text: 1 } }], c: [{ $unwind: '$list' }] }],
  $collStats: [[{ $collStats: { count: {}, storageStats: {} } }]],
  $indexStats: [[{ $indexStats: {} }]],
  $planCacheStats: [[{ $planCacheStats: {} }]],
  $geoNear: [{ near: [0, 0], distanceField: 'd' }],
  $currentOp: [[{ $currentOp: {} }]],
  $listLocalSessions: [[{ $listLocalSessions: {} }]],
  $listSessions: [[{ $listSessions: {} }]],
  $documents: [[{ $documents: large('objects', 1_000_000) }, { $sort: { v: -1 } }]],
  $out: ['copied'],
  $merge: [{ into: 'merged', on: '_id', whenMatched: 'merge' }],
  $changeStream: [[{ $changeStream: {} }]],
  $search: [{ text: { query: large('text', 100_000), path: 'v' } }],
  $searchMeta: [{}],
  $vectorSearch: [{ queryVector: large('numbers', 100_000) }],
  $listSearchIndexes: [[{ $listSearchIndexes: {} }]],
}

/** As many as the documents of a long count. */
const n = 20_000
const sorted = (output: string) => ({ sortBy: { text: 1, i: -1 }, output })

/** Operands of accumulators and window functions over an input that is not their whole operand. */
const operandOf: Readonly<Record<string, (input: string) => unknown>> = {
  $count: () => ({}),
  $mergeObjects: (input) => ({ [input.slice(1)]: input, all: '$$ROOT' }),
  $firstN: (input) => ({ n, input }),
  $lastN: (input) => ({ n, input }),
  $minN: (input) => ({ n, input }),
  $maxN: (input) => ({ n, input }),
  $top: sorted,
  $bottom: sorted,
  $topN: (output) => ({ n, ...sorted(output) }),
  $bottomN: (output) => ({ n, ...sorted(output) }),
  $percentile: (input) => ({ input, p: [0.5, 0.9], method: 'approximate' }),
  $median: (input) => ({ input, method: 'approximate' }),
  $documentNumber: () => ({}),
  $rank: () => ({}),
  $denseRank: () => ({}),
  $shift: (output) => ({ output, by: -1 }),
  $derivative: (input) => ({ input }),
  $integral: (input) => ({ input }),
  $expMovingAvg: (input) => ({ input, N: 5 }),
  $covariancePop: (input) => [input, '$i'],
  $covarianceSamp: (input) => [input, '$i'],
}

export function accumulatorOperand(name: string, input: string): unknown {
  return operandOf[name]?.(input) ?? input
}
