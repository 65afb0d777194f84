// Stages on which Sigil and mingo differ, each kind decided, with what shows the peer's side:
// "source" is the peer's public source (src/mongo/db/pipeline), "manual" its manual.

import { type Decision, type Disagreement, isError, textOf } from './decisions.js'
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

/**
 * The results without the fields in which `names` put their values, in an order that does not
 * depend on these: documents of one _id are else sorted by them.
 */
function without(documents: readonly Plain[], names: ReadonlySet<string>): string {
  const texts = documents.map((each) =>
    textOf(Object.fromEntries(Object.entries(each).filter(([name]) => !names.has(name)))),
  )
  return texts.sort().join()
}

/** Fields of $group, $bucket or $setWindowFields that one of `functions` makes. */
function fieldsOf(found: Disagreement, functions: readonly string[]): Set<string> {
  const spec = specOf(found)
  const fields = isObject(spec.output) ? spec.output : spec
  const made = Object.entries(fields).filter(
    ([, value]) => isObject(value) && Object.keys(value).some((name) => functions.includes(name)),
  )
  return new Set(made.map(([name]) => name))
}

/** The two agree but for the values of these functions. */
function onlyIn(found: Disagreement, ...functions: readonly string[]): boolean {
  const fields = fieldsOf(found, functions)
  return fields.size > 0 && without(resultsOf(found), fields) === without(mingoOf(found), fields)
}

const collecting = [
  '$push',
  '$addToSet',
  '$bottom',
  '$top',
  '$bottomN',
  '$topN',
  '$firstN',
  '$lastN',
]
const computing = ['$min', '$max', '$minN', '$maxN', '$stdDevPop', '$stdDevSamp', '$avg', '$sum']
const others = ['$first', '$last', '$mergeObjects', '$locf', '$shift']

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

/** Whether an object, an array or an ObjectId is what is sorted by. */
function hasObjectIds(found: Disagreement): boolean {
  return inputOf(found).some(({ _id }) => ['object', 'array', 'objectId'].includes(kindOf(_id)))
}

export const stageDecisions: readonly Decision[] = [
  {
    about: 'no documents make no count and no bucket',
    names: ['$count', '$bucketAuto', '$bucket'],
    reason: 'nothing comes of an empty input (manual, $count; $bucketAuto; $group)',
    applies: (found) => inputOf(found).length === 0 && resultsOf(found).length === 0,
  },
  {
    about: 'empty buckets',
    names: ['$bucket'],
    reason: 'only buckets with documents are given (manual, $bucket); mingo gives all',
    applies: (found) => mingoOf(found).length > resultsOf(found).length,
  },
  {
    about: 'what accumulators collect',
    names: ['$group', '$bucket', '$setWindowFields'],
    reason:
      '$push and $addToSet leave out what is missing (source: AccumulatorPush), $top and ' +
      '$bottom give ' +
      'one value and no list (manual); mingo keeps missing values and gives lists',
    applies: (found) => onlyIn(found, ...collecting, ...computing, ...others),
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
    applies: hasObjectIds,
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
    about: 'the count of a bucket',
    names: ['$bucket'],
    reason: 'of its documents (manual, $bucket); mingo gives the neighbour the last one',
    applies: (found) => onlyIn(found, '$count'),
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
