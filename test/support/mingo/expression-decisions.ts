// Expressions on which Sigil and mingo differ, each kind decided, with what shows the reference
// server's side: "source" is the reference server's public source
// (src/mongo/db/pipeline/expression*.cpp), "manual" its manual.

import { type Decision, isError, textOf } from './decisions.js'
import {
  areNumbers,
  codeOf,
  dateParts,
  hasNullish,
  isNearest,
  isSameDayOfMonth,
  mingoOf,
  nullMakers,
  order,
  outcomes,
  refusals,
  sigilValue,
  sorted,
} from './expression-disagreements.js'
import { isObject, kindOf } from './filter-model.js'

/** The value of rank n / 2 of a list of numbers. */
function middleOf(list: unknown): unknown {
  const numbers = [list].flat().filter((each) => typeof each === 'number')
  return numbers.sort((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1]
}

export const expressionDecisions: readonly Decision[] = [
  {
    about: 'operands that the peer refuses',
    names: Object.keys(refusals),
    reason:
      'each number is the uassert of that operator in the source; mingo computes with NaN or null',
    applies: (found) =>
      refusals[found.name]?.includes(codeOf(found) ?? -1) === true && !isError(found.mingo),
  },
  {
    about: 'one operand, several given',
    names: [],
    reason: 'a list is the list of operands (16020, source: ExpressionNary::validateArguments)',
    applies: (found) => codeOf(found) === 16020 && found.operands.length > 1,
  },
  {
    about: 'comparisons across types, of objects and arrays',
    names: Object.keys(outcomes),
    reason:
      'expressions compare by the total order of BSON (manual, comparison order), missing first; ' +
      'mingo keeps to one type, and sorts names and elements',
    applies: (found) => sigilValue(found) === outcomes[found.name]?.(order(found.operands)),
  },
  {
    about: 'comparisons across types in $filter, $map and what is made of them',
    names: ['$filter'],
    reason: 'as above: {$gt: ["$$this", 1]} holds for what is behind numbers in the total order',
    applies: (found) => !areNumbers(found.operands[0]),
  },
  {
    about: 'null and missing operands',
    names: [
      ...dateParts,
      ...nullMakers,
      '$mod',
      '$slice',
      '$strcasecmp',
      '$dateDiff',
      '$dateToString',
      '$indexOfArray',
    ],
    reason:
      'null or missing makes null, and no text for $strcasecmp (manual, each operator; source); ' +
      'mingo fails, or takes null for a time',
    applies: (found) =>
      hasNullish(found) &&
      (sigilValue(found) === null || found.name === '$strcasecmp' || sigilValue(found) === 0),
  },
  {
    about: 'ObjectIds as dates',
    names: [
      ...dateParts,
      '$dateToString',
      '$dateAdd',
      '$dateSubtract',
      '$dateDiff',
      '$dateTrunc',
      '$toDate',
      '$dateToParts',
    ],
    reason:
      'the time in an ObjectId is a date to every date operator (source: Value::coerceToDate)',
    applies: (found) => found.operands.some((operand) => kindOf(operand) === 'objectId'),
  },
  {
    about: 'months are counted in the calendar',
    names: ['$dateAdd', '$dateSubtract'],
    reason:
      'the same day that many months on, the last of a shorter one (manual, $dateAdd); mingo ' +
      'runs ' +
      'into the next month, and loses years going back',
    applies: (found) => isSameDayOfMonth(found),
  },
  {
    about: 'parts beyond a month carry over',
    names: ['$dateFromParts'],
    reason: 'values outside the range are carried (manual, $dateFromParts); mingo cuts the day',
    applies: ({ operands }) => operands.includes(31),
  },
  {
    about: 'weeks of the year',
    names: ['$week'],
    reason:
      'the first Sunday begins week 1 (manual, $week); mingo counts another, and 1 at the end ' +
      'of a year',
    applies: (found) =>
      mingoOf(found) === 53 || Number(mingoOf(found)) === (Number(sigilValue(found)) % 52) + 1,
  },
  {
    about: 'case of letters beyond ASCII',
    names: ['$toUpper', '$toLower'],
    reason: 'only ASCII has a well-defined behaviour, others stay (manual, $toUpper)',
    applies: ({ operands }) => /[^\x20-\x7e]/.test(String(operands[0])),
  },
  {
    about: 'texts of null, numbers and dates',
    names: ['$toUpper', '$toLower', '$substrCP', '$substrBytes', '$substr', '$strcasecmp'],
    reason: 'these coerce to text, null to the empty one (source: Value::coerceToString)',
    applies: ({ operands }) => operands.some((each, i) => i < 2 && typeof each !== 'string'),
  },
  {
    about: 'a negative count is the rest of the text',
    names: ['$substrBytes', '$substr'],
    reason: 'manual, $substrBytes',
    applies: ({ operands }) => operands[2] === -1,
  },
  {
    about: 'the order of sets',
    names: ['$setUnion', '$setIntersection', '$setDifference'],
    reason: 'unspecified (manual); the source keeps them in value order, as Sigil does',
    applies: (found) => sorted(sigilValue(found)) === sorted(mingoOf(found)),
  },
  {
    about: 'the order of what sorts equal',
    names: ['$sortArray'],
    reason: 'elements without the field are equal: their order is unspecified (manual, $sortArray)',
    applies: (found) => sorted(sigilValue(found)) === sorted(mingoOf(found)),
  },
  {
    about: 'deviation of what has no numbers',
    names: ['$stdDevPop', '$stdDevSamp'],
    reason: 'null if there are no numbers; one operand is no list (manual, $stdDevPop)',
    applies: (found) => sigilValue(found) === null,
  },
  {
    about: 'the last of an empty array',
    names: ['$last', '$first'],
    reason: 'missing (manual, $last)',
    applies: (found) => sigilValue(found) === undefined && textOf(found.operands[0] ?? []) === '[]',
  },
  {
    about: 'a field of null',
    names: ['$getField'],
    reason: 'null of null, missing of what is missing or no object (source: ExpressionGetField)',
    applies: (found) => found.operands.some((each) => !isObject(each)),
  },
  {
    about: 'not in mingo',
    names: ['$indexOfCP'],
    reason: 'mingo 7.2.7 has no such operator',
    applies: ({ mingo }) => isError(mingo) && /is not registered/.test(mingo.text),
  },
  {
    about: 'the order of fields',
    names: ['$objectToArray'],
    reason: 'fields stand as they were made: $dateToParts makes year first (source)',
    applies: (found) => sorted(sigilValue(found)) === sorted(mingoOf(found)),
  },
  {
    about: 'one value where a list may stand',
    names: ['$avg', '$sum', '$min', '$max', '$stdDevPop'],
    reason: 'one operand that is no array stands for itself (manual, $avg); mingo wants an array',
    applies: (found) => !isError(found.sigil) && isError(found.mingo),
  },
  {
    about: 'null among the operands of $min and $max',
    names: ['$min', '$max'],
    reason: 'null and missing do not count (manual, $min)',
    applies: hasNullish,
  },
  {
    about: 'ObjectIds as text',
    names: ['$toString', '$convert'],
    reason: 'their hexadecimal digits (manual, $toString)',
    applies: (found) =>
      sigilValue(found) === String(found.operands[0]) && kindOf(found.operands[0]) === 'objectId',
  },
  {
    about: 'the empty text',
    names: ['$not', '$and', '$or', '$cond', '$switch'],
    reason: 'only null, missing, 0 and false are false (manual, $and)',
    applies: ({ operands }) => operands.includes(''),
  },
  {
    about: 'the shortest of the arrays',
    names: ['$zip'],
    reason: 'without useLongestLength the shortest decides, also an empty one (manual, $zip)',
    applies: (found) => textOf(sigilValue(found)) === '[]' && found.operands.includes(false),
  },
  {
    about: 'arrays in an array',
    names: ['$first', '$last', '$minN', '$maxN', '$setIsSubset'],
    reason:
      'elements that are arrays are values like others (manual, $first); mingo flattens or ' +
      'sorts them',
    applies: ({ operands }) =>
      operands.some((each) => Array.isArray(each) && each.some(Array.isArray)),
  },
  {
    about: 'fields that are missing in an object literal',
    names: ['$objectToArray'],
    reason:
      'a field of a missing value is not made (manual, $project); mingo keeps it without value',
    applies: ({ operands }) => operands.includes(undefined) || isObject(operands[0]),
  },
  {
    about: 'rounding to the nearest',
    names: ['$round'],
    reason: '6 rounds to 10, 2.75 to 2.8: the nearest, half to even (manual, $round)',
    applies: (found) =>
      isNearest(Number(found.operands[0]), Number(sigilValue(found)), found.operands[1]),
  },
  {
    about: 'paths through arrays of arrays',
    names: ['$r.v', '$r.k', '$o.x', '$o.y'],
    reason: 'arrays in an array have no fields (source: ExpressionFieldPath::evaluatePathArray)',
    applies: (found) => Array.isArray(sigilValue(found)) || sigilValue(found) === undefined,
  },
  {
    about: 'numbers of the kinds that JavaScript has not',
    names: ['$type'],
    reason:
      '$dateDiff and ISO years are long, logarithms double (manual); mingo looks at the value',
    applies: (found) =>
      /^(long|double|decimal)$/.test(String(sigilValue(found))) &&
      /^(int|long)$/.test(String(mingoOf(found))),
  },
  {
    about: 'months and years far from 2000',
    names: ['$dateTrunc'],
    reason: 'bins are counted from 2000-01-01 backwards, too (manual, $dateTrunc)',
    applies: ({ operands }) =>
      operands.some((each) => each instanceof Date && each.getTime() < 1000),
  },
  {
    about: 'bits beyond 32',
    names: ['$bitAnd', '$bitOr', '$bitXor', '$bitNot'],
    reason: 'longs have 64 (manual, $bitAnd); JavaScript computes with 32',
    applies: ({ operands }) => operands.some((each) => Math.abs(Number(each)) > 2 ** 31),
  },
  {
    about: 'boundaries between two times',
    names: ['$dateDiff'],
    reason:
      'the units that begin between them are counted (manual, $dateDiff); mingo rounds the ' +
      'difference',
    applies: (found) => Math.abs(Number(sigilValue(found)) - Number(mingoOf(found))) === 1,
  },
  {
    about: 'a constant decides',
    names: ['$and', '$or'],
    reason:
      'a constant true makes $or true before any document, a false one $and false (source: ' +
      'optimize)',
    applies: (found) => isError(found.mingo) && sigilValue(found) === (found.name === '$or'),
  },
  {
    about: 'errors of constant operands',
    names: ['$ifNull', '$and', '$or', '$cond', '$switch'],
    reason: 'what is constant is computed before any document (source: Expression*::optimize)',
    applies: (found) =>
      isError(found.sigil) &&
      found.operands.some((each) => isObject(each) && each.code === codeOf(found)),
  },
  {
    about: 'missing is not null',
    names: ['$indexOfArray', '$in', '$setDifference'],
    reason:
      'values are equal by type and value, and a missing one is of no type (source: ' +
      'Value::compare)',
    applies: (found) => found.operands.includes(undefined) || isError(found.mingo),
  },
  {
    about: 'places of matches',
    names: ['$regexFindAll'],
    reason:
      'idx is the place of this match (manual); mingo finds the first equal text from the last ' +
      'place',
    applies: (found) =>
      textOf(sigilValue(found)).replace(/idx:\d+/g, '') ===
      textOf(mingoOf(found)).replace(/idx:\d+/g, ''),
  },
  {
    about: 'dates and fractions of milliseconds',
    names: ['$subtract', '$add', '$reduce'],
    reason:
      'rounded away from zero (source: ExpressionSubtract::apply, llround); mingo cuts the sum',
    applies: (found) =>
      found.operands.flat().some((each) => typeof each === 'number' && !Number.isInteger(each)),
  },
  {
    about: 'missing elements of an array literal',
    names: [
      '$first',
      '$last',
      '$setIntersection',
      '$setUnion',
      '$setDifference',
      '$arrayElemAt',
      '$in',
    ].concat(['$indexOfArray', '$setIsSubset', '$setEquals']),
    reason: 'are null (source: ExpressionArray::evaluate); mingo leaves them undefined',
    applies: ({ operands }) => operands.flat().includes(null),
  },
  {
    about: 'arrays among several operands',
    names: ['$min', '$max'],
    reason:
      'only a single operand is a list; by the total order arrays are above numbers and texts ' +
      '(manual, $max)',
    applies: ({ operands }) => operands.some(Array.isArray),
  },
  {
    about: 'the name of a type',
    names: ['$type'],
    reason: 'objectId (manual, $type)',
    applies: (found) => sigilValue(found) === 'objectId',
  },
  {
    about: 'the text of a double',
    names: ['$toString', '$convert'],
    reason:
      'every digit that the double needs; the last one is not the same where the two computed it ' +
      'in different ways',
    applies: (found) =>
      sigilValue(found) === String(found.operands[0]) &&
      textOf(Number(sigilValue(found))) === textOf(Number(mingoOf(found))),
  },
  {
    about: 'the text of a decimal',
    names: ['$toString', '$convert'],
    reason:
      'a double becomes a decimal of 15 digits, zeros among them (source: ' +
      'Decimal128::kRoundTo15Digits); mingo keeps a number',
    applies: (found) => {
      const text = String(sigilValue(found))
      const digits = text.replace(/^[-0.]+|[.]/g, '')
      return digits.length === 15 && Number(text) === found.operands[0]
    },
  },
  {
    about: 'the year of the first ISO week',
    names: ['$isoWeekYear', '$isoWeek'],
    reason: 'the first and last days of a year belong to the week of their Thursday (ISO 8601)',
    applies: (found) => Math.abs(Number(sigilValue(found)) - Number(mingoOf(found))) <= 52,
  },
  {
    about: 'order of objects in maxN and minN',
    names: ['$maxN', '$minN', '$min', '$max', '$sortArray'],
    reason: 'field by field, type first (manual, comparison order); mingo sorts names first',
    applies: ({ operands }) => operands.flat().some(isObject),
  },
  {
    about: 'cutting digits off',
    names: ['$trunc'],
    reason: '0.69 cut to one digit is 0.6 (manual, $trunc); mingo rounds first',
    applies: (found) => Math.abs(Number(sigilValue(found))) < Math.abs(Number(mingoOf(found))),
  },
  {
    about: 'percentiles of what has no numbers',
    names: ['$percentile', '$median'],
    reason: 'null for each, and one number is a list of one (manual, $percentile)',
    applies: (found) =>
      /null/.test(textOf(sigilValue(found))) || typeof found.operands[0] === 'number',
  },
  {
    about: 'conversions that there are not',
    names: ['$convert'],
    reason: 'onError where the peer has no conversion, as of an array to int (manual, $convert)',
    applies: (found) => sigilValue(found) === -1,
  },
  {
    about: 'the nearest rank',
    names: ['$percentile', '$median'],
    reason:
      'the value at that rank of the sorted numbers (manual, $percentile); mingo sorts as text',
    applies: (found) => [sigilValue(found)].flat()[0] === middleOf(found.operands[0]),
  },
  {
    about: 'numbers that mingo takes for none',
    names: ['$acos', '$acosh', '$asin', '$asinh', '$atan', '$atanh', '$sin', '$cos', '$tan'],
    reason:
      'the arc cosine of 0 is a quarter of a turn, as is the arc tangent of infinity (manual)',
    applies: ({ operands, sigil, mingo }) =>
      typeof operands[0] === 'number' && !isError(sigil) && isError(mingo),
  },
  {
    about: 'functions of numbers alone',
    names: [],
    reason: '28765 of what is no number (source: ExpressionSingleNumericArg::evaluate)',
    applies: (found) => codeOf(found) === 28765 && !isError(found.mingo),
  },
  {
    about: 'infinite angles',
    names: ['$degreesToRadians', '$radiansToDegrees'],
    reason: 'keep their sign; mingo gives Infinity for both',
    applies: ({ operands }) => operands[0] === Number.NEGATIVE_INFINITY,
  },
]
