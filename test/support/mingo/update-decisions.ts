// Updates, projections and sorts on which Sigil and mingo differ, each kind decided, with what
// shows the reference server's side: "source" is the reference server's public source
// (src/mongo/db/update, db/exec), "manual" its manual.

import { type Decision, type Disagreement, isError } from './decisions.js'
import { compare, isObject, kindOf } from './filter-model.js'
import type { Plain } from './values.js'

/** The reference server's errors for what mingo leaves as it is. */
const refusals: Readonly<Record<string, readonly number[]>> = {
  $addToSet: [2, 28],
  $bit: [2, 28],
  $inc: [2, 14, 28],
  $max: [2, 28],
  $min: [2, 28],
  $mul: [2, 14, 28],
  $pop: [14, 28],
  $pull: [2, 28],
  $pullAll: [2, 28],
  $push: [2, 28],
  $rename: [2, 28],
  $set: [2, 28],
}

/** The one path of an update and its operand. */
function changeOf(found: Disagreement): [path: string, operand: unknown] {
  return Object.entries(found.operands[0] as Plain)[0] ?? ['', undefined]
}

/** What a document has at the path of the update. */
function valueAt(document: unknown, found: Disagreement): unknown {
  const at = changeOf(found)[0].split('.')
  return at.reduce<unknown>(
    (value, part) => (isObject(value) || Array.isArray(value) ? (value as Plain)[part] : undefined),
    document,
  )
}

function currentOf(found: Disagreement): unknown {
  return valueAt(found.document, found)
}

function hasDuplicates(array: unknown): boolean {
  return (
    Array.isArray(array) && new Set(array.map((each) => JSON.stringify(each))).size < array.length
  )
}

export const updateDecisions: readonly Decision[] = [
  {
    about: 'targets that the operator cannot change',
    names: Object.keys(refusals),
    reason:
      'of another type 14 or 2, through a scalar or null 28, no array for $[] 2 (source: ' +
      '*_node.cpp); mingo does nothing',
    applies: ({ name, sigil, mingo }) =>
      isError(sigil) && !isError(mingo) && refusals[name]?.includes(sigil.code) === true,
  },
  {
    about: 'duplicates that were there',
    names: ['$addToSet'],
    reason:
      'they stay, and what is new is added (manual, $addToSet); mingo counts and adds nothing',
    applies: (found) => hasDuplicates(currentOf(found)),
  },
  {
    about: 'order and length of a new array',
    names: ['$push'],
    reason: '$sort and $slice hold for a field that was missing, too (manual, $push)',
    applies: (found) => currentOf(found) === undefined,
  },
  {
    about: 'order of arrays in an array',
    names: ['$push'],
    reason: 'elements are compared whole (manual, $sort modifier); mingo looks into arrays',
    applies: (found) => {
      const current = currentOf(found)
      const [, change] = changeOf(found)
      const isSorted = isObject(change) && change.$sort !== undefined
      return isSorted && Array.isArray(current) && current.some(Array.isArray)
    },
  },
  {
    about: 'order of ids',
    names: ['$push'],
    reason:
      'an ObjectId is above arrays and below booleans (manual, comparison order); mingo knows no ' +
      'such type',
    applies: (found) => {
      const [, change] = changeOf(found)
      const sort = isObject(change) ? change.$sort : undefined
      const array = isError(found.sigil) ? undefined : valueAt(found.sigil.value, found)
      if (typeof sort !== 'number' || !Array.isArray(array)) return false
      const isOrdered = array.every((each, i) => i === 0 || compare(array[i - 1], each) * sort <= 0)
      return isOrdered && array.some((each) => kindOf(each) === 'objectId')
    },
  },
  {
    about: 'least and greatest across types',
    names: ['$min', '$max'],
    reason: 'by the total order, arrays whole (manual, $min); mingo looks into arrays',
    applies: (found) => kindOf(currentOf(found)) !== kindOf(changeOf(found)[1]),
  },
  {
    about: 'fields of scalars',
    names: ['$pull'],
    reason: 'a condition with fields matches elements that are objects (manual, $pull)',
    applies: ({ operands }) => JSON.stringify(operands).includes('"v"'),
  },
  {
    about: 'arrays in an array',
    names: ['$pullAll'],
    reason: 'what goes is equal to a value, arrays whole (manual, $pullAll); mingo looks into them',
    applies: (found) => {
      const current = currentOf(found)
      return Array.isArray(current) && current.some(Array.isArray)
    },
  },
  {
    about: 'array filters of arrays in an array',
    names: ['$set', '$min', '$max'],
    reason:
      'a filter looks into arrays, as a query does (source: matchesBSONElement); mingo does not',
    applies: (found) => {
      const [path] = changeOf(found)
      const { l } = found.document as Plain
      return path === 'l.$[each]' && Array.isArray(l) && l.some(Array.isArray)
    },
  },
]

/** What one path gives a sort to compare; undefined is below null: that of an empty array. */
function sortValues(value: unknown, parts: readonly string[]): unknown[] {
  const [head, ...rest] = parts
  if (head === undefined) {
    if (Array.isArray(value)) return value.length === 0 ? [undefined] : value
    return [value ?? null]
  }
  if (isObject(value)) return sortValues(value[head] ?? null, rest)
  if (!Array.isArray(value) || value.length === 0) return [null]
  return value.flatMap((each) => (isObject(each) ? sortValues(each, parts) : [null]))
}

function compareKeys(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return compare(a, b)
}

/** The ids in the order that the least, or for -1 the greatest values of each path give. */
function expectedOrder(documents: readonly Plain[], sort: Plain): unknown[] {
  const keyOf = (document: Plain, path: string, direction: number) =>
    sortValues(document, path.split('.')).reduce((best, each) =>
      compareKeys(each, best) * direction < 0 ? each : best,
    )
  const sorted = [...documents].sort((a, b) => {
    for (const [path, direction] of Object.entries(sort)) {
      const sign = Number(direction)
      const order = compareKeys(keyOf(a, path, sign), keyOf(b, path, sign)) * sign
      if (order !== 0) return order
    }
    return 0
  })
  return sorted.map(({ _id }) => _id)
}

function sortPaths(found: Disagreement): string[] {
  return Object.keys(found.operands[0] as Plain)
}

function arraysAt(found: Disagreement, heads: readonly string[]): boolean {
  const documents = found.document as Plain[]
  return documents.some((each) =>
    heads.some((head) => Array.isArray(each[head]) || isObject(each[head])),
  )
}

export const projectionDecisions: readonly Decision[] = [
  {
    about: 'order of arrays and what is missing',
    names: ['sort'],
    reason:
      'missing as null, the least element of an array ascending and the greatest descending, ' +
      'an empty ' +
      'array below null, arrays in an array whole (manual, $sort; source: BtreeKeyGenerator)',
    applies: (found) =>
      !isError(found.sigil) &&
      JSON.stringify(found.sigil.value) ===
        JSON.stringify(expectedOrder(found.document as Plain[], found.operands[0] as Plain)),
  },
  {
    about: 'parallel arrays',
    names: ['sort'],
    reason: 'refused with 2 (source: SortKeyGenerator)',
    applies: ({ sigil }) => isError(sigil) && sigil.code === 2,
  },
  {
    about: 'several parts of one array, and positions in arrays',
    names: ['sort'],
    reason:
      'the least combination of the values of one element counts, a number is a position ' +
      '(source: ' +
      'BtreeKeyGenerator; test/query/sort.test.ts)',
    applies: (found) => {
      const heads = sortPaths(found).map((path) => path.split('.')[0] ?? '')
      const repeated = heads.filter((head, i) => heads.indexOf(head) !== i)
      const numbered = sortPaths(found).filter((path) => /\.\d/.test(path))
      return arraysAt(found, [...repeated, ...numbered.map((path) => path.split('.')[0] ?? '')])
    },
  },
  {
    about: '$slice beside an exclusion, or alone',
    names: ['projection'],
    reason: '$slice alone shows all fields, and stands beside exclusions (manual, $slice)',
    applies: ({ operands, sigil }) =>
      JSON.stringify(operands).includes('$slice') && !isError(sigil),
  },
  {
    about: '$elemMatch with operators, and with fields of scalars',
    names: ['projection'],
    reason:
      'the condition may be of the element itself, and one with fields matches objects (manual, ' +
      '$elemMatch projection); mingo takes the field of a scalar for the scalar',
    applies: ({ operands, mingo, document }) =>
      JSON.stringify(operands).includes('$elemMatch') &&
      (isError(mingo) || [(document as Plain).c].flat().some((each) => !isObject(each))),
  },
  {
    about: 'null in an array on the way',
    names: ['projection'],
    reason: 'what is no object is kept by an exclusion (manual, $project); mingo fails',
    applies: ({ mingo }) => isError(mingo) && /properties of null/.test(mingo.text),
  },
]
