// Accumulators and window functions on which Sigil and mingo differ: decided by the values that
// each field is made of, so that a difference over plain values of one type is noticed. "source" is
// the reference server's public source (src/mongo/db/pipeline/accumulator*.cpp), "manual" its
// manual.

import { type Decision, type Disagreement, isError, textOf } from './decisions.js'
import { isObject, kindOf } from './filter-model.js'
import type { Plain } from './values.js'

/** A field that the stage makes: its function, and what this is given of the documents. */
interface Made {
  readonly field: string
  readonly name: string
  readonly values: readonly unknown[]
}

function specOf(found: Disagreement): Plain {
  return found.operands[0] as Plain
}

function inputOf(found: Disagreement): Plain[] {
  return found.document as Plain[]
}

function madeBy(found: Disagreement): Made[] {
  const spec = specOf(found)
  const fields = Object.entries(isObject(spec.output) ? spec.output : spec)
  return fields.flatMap(([field, call]): Made[] => {
    const [name, argument] = isObject(call) ? (Object.entries(call)[0] ?? []) : []
    if (name === undefined || field === '_id') return []
    const paths = pathsIn(argument)
    const values = inputOf(found).flatMap((each) => paths.map((path) => valueAt(each, path)))
    return [{ field, name, values }]
  })
}

/** The paths in an argument, those that are sorted by among them. */
function pathsIn(argument: unknown): string[] {
  if (typeof argument === 'string') return argument.startsWith('$') ? [argument.slice(1)] : []
  if (Array.isArray(argument)) return argument.flatMap(pathsIn)
  if (!isObject(argument)) return []
  const { sortBy, ...others } = argument
  const sorted = isObject(sortBy) ? Object.keys(sortBy) : []
  return [...sorted, ...Object.values(others).flatMap(pathsIn)]
}

export function valueAt(document: Plain, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), document)
}

/** Where $bucket puts a value: the boundary below it, or what is written for all others. */
function bucketOf(spec: Plain, value: unknown): unknown {
  const boundaries = spec.boundaries as number[]
  const above = boundaries.findIndex((each) => typeof value === 'number' && value < each)
  return above > 0 ? boundaries[above - 1] : spec.default
}

/** Whether some document belongs into a bucket. */
function isFilledBy(found: Disagreement): (bucket: Plain) => boolean {
  const filled = new Set(inputOf(found).map(({ g }) => bucketOf(specOf(found), g)))
  return ({ _id }) => filled.has(_id)
}

/** mingo's results without its empty buckets, each value in the reference server's form. */
function mingoResults(found: Disagreement): Plain[] {
  const results = isError(found.mingo) ? [] : (found.mingo.value as Plain[])
  const made = madeBy(found)
  const kept = found.name === '$bucket' ? results.filter(isFilledBy(found)) : results
  return kept.map((each) => {
    const formed = made.map(({ field, name }) => [field, inReferenceForm(name, each[field])])
    return { ...each, ...Object.fromEntries(formed) }
  })
}

/** No list around one value, and null where one number has no deviation. */
function inReferenceForm(name: string, value: unknown): unknown {
  if (name === '$top' || name === '$bottom') return [value].flat()[0]
  return name === '$stdDevSamp' && Number.isNaN(value) ? null : value
}

/** In an order that the other fields do not decide, by which documents of one _id are sorted. */
function project(documents: readonly Plain[], keeps: (name: string) => boolean): string {
  const texts = documents.map((each) =>
    textOf(Object.fromEntries(Object.entries(each).filter(([name]) => keeps(name)))),
  )
  return texts.sort().join()
}

/** The fields in which the two differ; undefined if they differ in others that were not made. */
function differing(found: Disagreement): Made[] | undefined {
  if (isError(found.sigil) || isError(found.mingo)) return undefined
  const made = madeBy(found)
  const [ours, theirs] = [found.sigil.value as Plain[], mingoResults(found)]
  const names = new Set(made.map(({ field }) => field))
  const isSame = (keeps: (name: string) => boolean) =>
    project(ours, keeps) === project(theirs, keeps)
  if (!isSame((name) => !names.has(name))) return undefined
  return made.filter(({ field }) => !isSame((name) => !names.has(name) || name === field))
}

const numeric = ['$sum', '$avg', '$stdDevPop', '$stdDevSamp']
const ordered = ['$min', '$max', '$minN', '$maxN']
const sorting = ['$top', '$bottom', '$topN', '$bottomN']

/** Whether the values are such that no habit of mingo's explains another result. */
function isPlain({ name, values }: Made): boolean {
  const kinds = new Set(values.map((each) => (each === undefined ? 'missing' : kindOf(each))))
  if (numeric.includes(name)) return kinds.size === 1 && kinds.has('number')
  const hasNone = (...of: readonly string[]) => !of.some((kind) => kinds.has(kind))
  if (ordered.includes(name))
    return kinds.size === 1 && hasNone('object', 'array', 'missing', 'null')
  if (sorting.includes(name)) return hasNone('object', 'array', 'objectId', 'missing')
  return hasNone('missing')
}

function holdsForAll(found: Disagreement, test: (made: Made) => boolean): boolean {
  return differing(found)?.every(test) === true
}

const names = ['$group', '$bucket', '$setWindowFields']

export const accumulatorDecisions: readonly Decision[] = [
  {
    about: 'empty buckets, lists of one, and the deviation of one number',
    names,
    reason:
      'only buckets with documents are given (manual, $bucket); $top and $bottom give one value ' +
      'and no list; $stdDevSamp of one number is null (manual); mingo says NaN',
    applies: (found) => differing(found)?.length === 0,
  },
  {
    about: 'accumulators of missing and of different values',
    names,
    reason:
      'numbers alone are summed, the total order decides over types, nullish values do not count ' +
      'in $min and $max, what is missing is not pushed, arrays sort by one element (manual, each ' +
      'accumulator; source: AccumulatorPush, AccumulatorMinMax, SortKeyGenerator); mingo keeps ' +
      'what is missing, and has an order of its own over types',
    applies: (found) => holdsForAll(found, (made) => !isPlain(made)),
  },
  {
    about: 'values on a boundary',
    names: ['$bucket'],
    reason:
      'the lower boundary belongs to its bucket, the upper does not (manual, $bucket); mingo ' +
      'puts them into the neighbour',
    applies: (found) =>
      differing(found) !== undefined &&
      inputOf(found).some(({ g }) => (specOf(found).boundaries as unknown[]).includes(g)),
  },
]
