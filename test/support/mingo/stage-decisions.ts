// Stages on which Sigil and mingo differ, each kind decided, with what shows the reference server's
// side: "source" is the reference server's public source (src/mongo/db/pipeline), "manual" its
// manual.

import { accumulatorDecisions, valueAt } from './accumulator-decisions.js'
import { type Decision, type Disagreement, isError, textOf } from './decisions.js'
import { operatorOf } from './expressions.js'
import { isObject, kindOf } from './filter-model.js'
import type { Plain } from './values.js'

function specOf(found: Disagreement): Plain {
  return found.operands[0] as Plain
}

function resultsOf({ sigil }: Disagreement): Plain[] {
  return isError(sigil) ? [] : (sigil.value as Plain[])
}

function mingoOf({ mingo }: Disagreement): Plain[] {
  return isError(mingo) ? [] : (mingo.value as Plain[])
}

function inputOf({ document }: Disagreement): Plain[] {
  return document as Plain[]
}

/** Whether a value lies on the way of a dotted field of the stage, that is no object. */
function leadsThroughOthers(found: Disagreement): boolean {
  const heads = Object.keys(specOf(found)).filter((path) => path.includes('.'))
  return inputOf(found).some((each) =>
    heads.some((path) => {
      const head = each[path.split('.')[0] ?? '']
      return head !== undefined && !isObject(head)
    }),
  )
}

/** Whether an object of plain fields is set where an object or an array is, which stays. */
function addsToObjects(found: Disagreement): boolean {
  const set = Object.entries(specOf(found)).filter(
    ([, value]) => isObject(value) && operatorOf(value) === undefined,
  )
  const merged = inputOf(found).flatMap((each, i) =>
    set
      .map(([path, value]) => ({
        before: valueAt(each, path),
        after: valueAt(resultsOf(found)[i] ?? {}, path),
        value,
      }))
      .filter(({ before }) => isObject(before) || Array.isArray(before)),
  )
  return (
    merged.length > 0 &&
    merged.every(({ before, after, value }) => keepsFields(before, after, Object(value)))
  )
}

/** Whether the names of an object that are not set, and the places of an array, are still there. */
function keepsFields(before: unknown, after: unknown, set: object): boolean {
  if (Array.isArray(before) !== Array.isArray(after)) return false
  return Object.keys(Object(before)).every((name) => name in Object(after) || name in set)
}

/** The paths that the stage, or one in its facets, sorts by: `_id` where it says none. */
function sortPaths(found: Disagreement): string[] {
  const facets = Object.values(specOf(found)).flat().filter(isObject)
  const sorts = found.name === '$sort' ? [specOf(found)] : facets.map(({ $sort }) => $sort)
  return ['_id', ...sorts.filter(isObject).flatMap(Object.keys)]
}

/** Whether an object, an array or an ObjectId is what is sorted by. */
function sortsObjects(found: Disagreement): boolean {
  const paths = sortPaths(found)
  return inputOf(found).some((each) =>
    paths.some((path) => ['object', 'array', 'objectId'].includes(kindOf(valueAt(each, path)))),
  )
}

export const stageDecisions: readonly Decision[] = [
  ...accumulatorDecisions,
  {
    about: 'no documents make no count and no bucket',
    names: ['$count', '$bucketAuto', '$bucket'],
    reason: 'nothing comes of an empty input (manual, $count; $bucketAuto; $group)',
    applies: (found) => inputOf(found).length === 0 && resultsOf(found).length === 0,
  },
  {
    about: 'a parent of a missing value',
    names: ['$addFields', '$set'],
    reason:
      'the parent is made, empty (source: ProjectionNode::applyExpressionsToValue); mingo ' +
      'makes none',
    applies: (found) =>
      resultsOf(found).some((each) => textOf(each).includes('{}')) || isError(found.mingo),
  },
  {
    about: 'bounds of $densify',
    names: ['$densify'],
    reason:
      'a range is filled to its upper bound, also behind the last document (manual, $densify)',
    applies: (found) => resultsOf(found).length > mingoOf(found).length,
  },
  {
    about: 'sort by arrays',
    names: ['$sort', '$facet'],
    reason:
      'the least element ascending, the greatest descending (manual, $sort); mingo takes others',
    applies: (found) => inputOf(found).some((each) => hasArray(each)),
  },
  {
    about: 'elements of arrays that are no documents',
    names: ['$redact'],
    reason: '$$DESCEND keeps them (manual, $redact; source: DocumentSourceRedact::redactValue)',
    applies: (found) => JSON.stringify(inputOf(found)).includes('null'),
  },
  {
    about: 'objects are merged, and nothing else',
    names: ['$replaceRoot', '$group', '$bucket'],
    reason: '40400 (source: AccumulatorMergeObjects; ExpressionObject); mingo merges anything',
    applies: ({ sigil }) => isError(sigil) && sigil.code === 40400,
  },
  {
    about: 'values that cannot be computed with',
    names: ['$setWindowFields', '$densify', '$bucketAuto', '$fill', '$project', '$unwind'],
    reason: 'the peer refuses them with its own number (source)',
    applies: ({ sigil, mingo }) => isError(sigil) && !isError(mingo),
  },
  {
    about: 'fields in arrays and in the place of scalars',
    names: ['$addFields', '$set'],
    reason:
      'a dotted field is made in each element of an array, and takes the place of a scalar ' +
      '(manual, ' +
      '$addFields; source: ProjectionNode::applyExpressionsToValue); mingo leaves them',
    applies: leadsThroughOthers,
  },
  {
    about: 'order of objects, arrays and ObjectIds',
    names: ['$sort', '$facet', '$fill', '$bucketAuto', '$setWindowFields', '$group'],
    reason:
      'field by field, type first, ObjectIds before truths (manual, comparison order); mingo ' +
      'sorts ' +
      'names and elements first, and ObjectIds last',
    applies: sortsObjects,
  },
  {
    about: 'an object set over an object',
    names: ['$set', '$addFields'],
    reason:
      'its fields are added as if each had its dotted name, to each element of an array, too ' +
      '(manual, $addFields, "embedded documents"); mingo replaces the object',
    applies: addsToObjects,
  },
  {
    about: 'documents that $redact prunes',
    names: ['$redact'],
    reason:
      'they are gone (manual, $redact); mingo leaves nothing in their place, and takes [1] for 1',
    applies: (found) => mingoOf(found).some((each) => each === undefined || each === null),
  },
  {
    about: 'errors of constants, without documents',
    names: ['$project', '$set', '$addFields'],
    reason: 'what is constant is computed before any document (source: Expression*::optimize)',
    applies: ({ sigil, document }) => isError(sigil) && (document as Plain[]).length === 0,
  },
  {
    about: 'paths through arrays of arrays',
    names: ['$group', '$sortByCount'],
    reason: 'arrays in an array have no fields (source: ExpressionFieldPath::evaluatePathArray)',
    applies: (found) => inputOf(found).some(({ o }) => Array.isArray(o) && o.some(Array.isArray)),
  },
  {
    about: 'the empty text and the empty object',
    names: ['$unwind'],
    reason:
      'a value that is no array passes as one, whatever it is (manual, $unwind); mingo drops these',
    applies: (found) => resultsOf(found).some((each) => Object.values(each).some(isEmpty)),
  },
  {
    about: 'an array that holds what is asked for',
    names: ['$redact'],
    reason: '[1] is not 1 in an expression (manual, $eq); mingo takes it so',
    applies: (found) => /"x":\[[^\]]*1/.test(JSON.stringify(inputOf(found))),
  },
  {
    about: 'a field that is made of its parent',
    names: ['$set', '$addFields'],
    reason:
      'expressions see the document as it was (manual, $set); mingo makes an object that holds ' +
      'itself',
    applies: (found) => textOf(mingoOf(found)).includes('…'),
  },
  {
    about: 'buckets of other types',
    names: ['$bucket'],
    reason:
      'values are put into buckets by the total order (manual, $bucket), arrays are above numbers',
    applies: (found) => inputOf(found).some(({ g }) => typeof g !== 'number'),
  },
]

/** Whether a field that may be sorted by is an array, or behind one. */
function hasArray(document: Plain): boolean {
  return Object.values(document).some(
    (value) => Array.isArray(value) || (isObject(value) && hasArray(value)),
  )
}

function isEmpty(value: unknown): boolean {
  return value === '' || (isObject(value) && Object.keys(value).length === 0)
}
