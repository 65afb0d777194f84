// biome-ignore-all lint/suspicious/noThenProperty: $cond and $switch call their arguments so
// Operands of the expression operators that take names, each in the forms whose loops can be long.

const patterns = ['a*?b|a', '(a|aa)+$', 'a', '(a*)*b', '[a-z ]+,', '(?i)AB', '(?=a)a', '(a+)\\1b']

const pattern = patterns.flatMap((regex) => [{ input: '$v', regex }])
const regexes: readonly unknown[] = [...pattern, { input: '$v', regex: '$n' }]

const replacements: readonly unknown[] = [
  { input: '$v', find: '$n', replacement: 'x' },
  { input: '$v', find: 'a', replacement: 'bb' },
  { input: '$v', find: 'ab', replacement: '$n' },
]

const trims: readonly unknown[] = [
  { input: '$v' },
  { input: '$v', chars: 'a' },
  { input: '$v', chars: '$w' },
]

const several = (more: object = {}): readonly unknown[] => [{ input: '$v', ...more }]

const grown = (grow: object, initialValue: unknown): unknown => ({
  input: '$v',
  initialValue,
  in: grow,
})

export const namedOperands: Readonly<Record<string, readonly unknown[]>> = {
  $cond: [
    { if: { $eq: ['$v', '$w'] }, then: '$v', else: '$w' },
    { if: '$v', then: { $size: '$v' }, else: 0 },
  ],
  $switch: [
    {
      branches: Array.from({ length: 300 }, (_, i) => ({ case: { $eq: ['$v', [i]] }, then: i })),
      default: '$w',
    },
  ],
  $trim: trims,
  $ltrim: trims,
  $rtrim: trims,
  $replaceOne: replacements,
  $replaceAll: replacements,
  $regexMatch: regexes,
  $regexFind: regexes,
  $regexFindAll: regexes,
  $map: [
    { input: '$v', in: '$$this' },
    { input: '$v', in: { $add: ['$$this', 1] } },
    { input: '$v', in: { $concat: ['$$this', '$$this'] } },
    { input: '$v', in: { $indexOfArray: ['$w', '$$this'] } },
    { input: '$v', in: { $map: { input: '$w', as: 'x', in: 1 } } },
    { input: '$v', in: '$w' },
  ],
  $filter: [
    { input: '$v', cond: { $gt: ['$$this', 3] } },
    { input: '$v', cond: { $in: ['$$this', '$w'] } },
    { input: '$v', cond: { $eq: ['$$this', '$v'] } },
    { input: '$v', cond: false, limit: 1 },
  ],
  $reduce: [
    grown({ $concatArrays: ['$$value', ['$$this']] }, []),
    grown({ $concatArrays: [['$$this'], '$$value'] }, []),
    grown({ $setUnion: ['$$value', ['$$this']] }, []),
    grown({ $mergeObjects: ['$$value', { x: '$$this' }] }, {}),
    grown(
      {
        $mergeObjects: ['$$value', { $arrayToObject: [[{ k: { $toString: '$$this' }, v: 1 }]] }],
      },
      {},
    ),
    grown({ $concat: ['$$value', { $toString: '$$this' }] }, ''),
    grown({ $add: ['$$value', '$$this'] }, 0),
    grown({ $max: ['$$value', '$$this'] }, null),
    grown({ $concat: ['$$value', '$$value'] }, 'a'),
  ],
  $zip: [
    { inputs: ['$v', '$w'] },
    { inputs: ['$v', [1]], useLongestLength: true, defaults: [0, '$w'] },
  ],
  $sortArray: [
    { input: '$v', sortBy: 1 },
    { input: '$v', sortBy: -1 },
    { input: '$v', sortBy: { v: 1, k: -1 } },
  ],
  $getField: [
    { field: 'f9', input: '$v' },
    { field: 'none', input: '$v' },
  ],
  $setField: [
    { field: 'x', input: '$v', value: '$w' },
    { field: 'f9', input: '$v', value: 1 },
  ],
  $unsetField: [{ field: 'f9', input: '$v' }],
  $dateToParts: [{ date: '$v' }, { date: { $toDate: 5 }, timezone: '$v' }],
  $dateFromParts: [{ year: '$v' }, { year: 2020, month: 1e6, timezone: '$v' }],
  $dateToString: [
    { date: { $toDate: 5 }, format: '$v' },
    { date: { $toDate: 5 }, format: '%Y', timezone: '$v' },
  ],
  $dateFromString: [
    { dateString: '$v' },
    { dateString: '$v', format: '%Y-%m-%d' },
    { dateString: '2020-01-01', format: '$v' },
    { dateString: '2020-01-01', timezone: '$v' },
  ],
  $dateAdd: [{ startDate: { $toDate: 5 }, unit: 'month', amount: 1e9, timezone: '$v' }],
  $dateSubtract: [{ startDate: { $toDate: 5 }, unit: '$v', amount: 1 }],
  $dateDiff: [{ startDate: { $toDate: 5 }, endDate: { $toDate: 1e14 }, unit: '$v' }],
  $dateTrunc: [{ date: { $toDate: 1e14 }, unit: 'week', startOfWeek: '$v' }],
  $convert: ['int', 'long', 'double', 'decimal', 'string', 'objectId', 'date', 'bool'].map(
    (to) => ({ input: '$v', to, onError: 'no' }),
  ),
  $let: [{ vars: { x: '$v', y: '$w' }, in: { $eq: ['$$x', '$$y'] } }],
  $firstN: several({ n: 1_000_000 }),
  $lastN: several({ n: 1_000_000 }),
  $minN: several({ n: 1_000_000 }),
  $maxN: several({ n: 1_000_000 }),
  $percentile: several({ p: [0.5, 0.9, 0.99], method: 'approximate' }),
  $median: several({ method: 'approximate' }),
}
