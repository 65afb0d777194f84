// Filters on which Sigil and mingo differ, each kind decided. Whatever the kind, the reference
// server's rules
// (filter-model.ts) are asked too and must say what Sigil says; a row says which habit of mingo's
// is in play, so that a new one is noticed.

import { type Decision, type Disagreement, isError } from './decisions.js'
import { isObject, kindOf, reached } from './filter-model.js'
import type { Plain } from './values.js'

function valuesOf({ document, operands }: Disagreement): unknown[] {
  return reached(document as Plain, String(operands[0]))
}

/** Whether an array lies on the path before its end. */
function crossesArray({ document, operands }: Disagreement): boolean {
  const parts = String(operands[0]).split('.')
  let value: unknown = document
  for (const part of parts.slice(0, -1)) {
    if (!isObject(value)) return false
    value = value[part]
    if (Array.isArray(value)) return true
  }
  return false
}

function isArrayAtEnd(found: Disagreement): boolean {
  return valuesOf(found).some(Array.isArray)
}

/** Some value that the path reaches is no number. */
function meetsOthers(found: Disagreement): boolean {
  return valuesOf(found).some((value) => typeof value !== 'number' || !Number.isInteger(value))
}

function says(found: Disagreement, value: boolean): boolean {
  return !isError(found.mingo) && found.mingo.value === value
}

function operandOf(found: Disagreement): unknown {
  return found.operands[1]
}

const comparisons = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$all'] as const

export const filterDecisions: readonly Decision[] = [
  {
    about: 'a path that crosses an array',
    names: [...comparisons, '$size', '$exists', '$elemMatch', '$type', '$regex', '$mod'],
    reason:
      'mingo gathers what lies behind an array into one array and tests that; the peer tests ' +
      'each ' +
      'value by itself, tries a numeric part as name and as position, and does not look into an ' +
      'array taken by position (matcher/path.cpp, jstests/core/match_numeric_components.js)',
    applies: crossesArray,
  },
  {
    about: 'bits of what is no whole number',
    names: ['$bitsAllClear', '$bitsAnyClear'],
    reason:
      'mingo computes with what is missing or no number as with 0; the peer matches whole ' +
      'numbers ' +
      'and binaries only (manual, $bitsAllClear; BitTestMatchExpression::matchesSingleElement)',
    applies: (found) => says(found, true) && (meetsOthers(found) || crossesArray(found)),
  },
  {
    about: 'bits of the elements of an array',
    names: ['$bitsAllClear', '$bitsAnyClear', '$bitsAllSet', '$bitsAnySet'],
    reason:
      'mingo does not look into arrays; the peer tries each element, as with every condition ' +
      '(jstests/core/query/bittest.js)',
    applies: (found) => says(found, false) && (isArrayAtEnd(found) || crossesArray(found)),
  },
  {
    about: 'bits of fractions',
    names: ['$bitsAllSet', '$bitsAnySet'],
    reason:
      'mingo cuts fractions off; to the peer a double that is no whole number has no bits ' +
      '(BitTestMatchExpression::matchesSingleElement)',
    applies: (found) => says(found, true) && (meetsOthers(found) || crossesArray(found)),
  },
  {
    about: '$lte and $gte of null on what is missing',
    names: ['$lte', '$gte'],
    reason:
      'missing counts as null in a comparison that allows equality ' +
      '(jstests/core/query/null_query_' +
      'semantics.js); mingo compares types and undefined is another one',
    applies: (found) => operandOf(found) === null && says(found, false),
  },
  {
    about: 'order of objects and arrays',
    names: ['$gt', '$gte', '$lt', '$lte'],
    reason:
      'the peer compares field by field and element by element as they stand (manual, BSON ' +
      'comparison order); mingo sorts names and elements first',
    applies: (found) => isObject(operandOf(found)) || Array.isArray(operandOf(found)),
  },
  {
    about: '$mod of what is no number',
    names: ['$mod'],
    reason:
      "JavaScript's % makes numbers of truths, null and dates; the peer takes numbers only " +
      '(ModMatchExpression::matchesSingleElement), and cuts fractions off, which mingo does not',
    applies: meetsOthers,
  },
  {
    about: '$all on a value that is no array',
    names: ['$all'],
    reason:
      '{a: {$all: [1]}} is {a: 1} to the peer (manual, $all: "equivalent to $and"), also where a ' +
      'whole array is asked for and where null means missing; mingo wants an array',
    applies: (found) => says(found, false),
  },
  {
    about: '$all and $in with whole arrays and null',
    names: ['$all', '$in', '$nin'],
    reason:
      'a condition is tried on the elements and on the whole array (manual, "query an array"); ' +
      'mingo tries the elements alone',
    applies: isArrayAtEnd,
  },
  {
    about: 'types of numbers, and of elements',
    names: ['$type'],
    reason:
      'a whole JavaScript number goes to the store as an int, so it is no double; and the peer ' +
      'tries ' +
      'the elements of an array (manual, $type, "arrays"), mingo the array alone',
    applies: (found) =>
      says(found, true) ? operandIncludes(found, 'double') : isArrayAtEnd(found),
  },
  {
    about: 'ObjectIds by type',
    names: ['$type'],
    reason: 'mingo knows no type objectId (manual, $type: 7, "objectId")',
    applies: (found) => says(found, false) && operandIncludes(found, 'objectId'),
  },
  {
    about: '$regex two arrays deep',
    names: ['$regex'],
    reason:
      'mingo flattens arrays; the peer looks into one array at the end of a path ' +
      '(matcher/path.cpp)',
    applies: (found) =>
      says(found, true) &&
      valuesOf(found).some((value) => Array.isArray(value) && value.some(Array.isArray)),
  },
  {
    about: '$elemMatch with a field of a scalar',
    names: ['$elemMatch'],
    reason:
      'mingo takes the field of a scalar for the scalar; in the peer only objects and arrays are ' +
      'tried (ElemMatchObjectMatchExpression)',
    applies: (found) => valuesOf(found).some((value) => kindOf(value) !== 'object'),
  },
]

function operandIncludes(found: Disagreement, type: string): boolean {
  return [operandOf(found)].flat().includes(type)
}
