// Three-valued logic, and the two questions to a compiled expression: its value and its truth. A
// missing field, null and undefined are SQL's one NULL.

import { boolOf, boolValue, bsonType, type Document, type Value } from '../../../value/value.js'

/** Undefined: unknown. */
export type Truth = boolean | undefined

/** A value that is not null or undefined in BSON; undefined stands for NULL. */
export type SqlValue = Value | undefined

/** One document per table of the statement; undefined if a LEFT JOIN found none. */
export type Row = readonly (Document | undefined)[]

/** A compiled expression; for each row it reads only what it needs. */
export interface Evaluator {
  readonly value: (row: Row) => SqlValue
  /** Only a bool is true or false; NULL and values of other types are unknown. */
  readonly truth: (row: Row) => Truth
  /** Whether it is the same for every row. */
  readonly isConstant: boolean
}

/** A condition; its value is a bool or NULL. */
export function condition(isConstant: boolean, truth: (row: Row) => Truth): Evaluator {
  const value = (row: Row): SqlValue => {
    const found = truth(row)
    return found === undefined ? undefined : boolValue(found)
  }
  return { value, truth, isConstant }
}

export function computation(isConstant: boolean, value: (row: Row) => SqlValue): Evaluator {
  return { value, truth: (row) => truthOf(value(row)), isConstant }
}

export function constant(value: SqlValue): Evaluator {
  const truth = truthOf(value)
  return { value: () => value, truth: () => truth, isConstant: true }
}

function truthOf(value: SqlValue): Truth {
  return value?.type === bsonType.bool ? boolOf(value) : undefined
}

export function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth
}

export function both(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false
  return left === undefined || right === undefined ? undefined : true
}

export function either(left: Truth, right: Truth): Truth {
  if (left === true || right === true) return true
  return left === undefined || right === undefined ? undefined : false
}

/** Converts BSON's null and undefined to SQL's NULL. */
export function orNull(value: Value | undefined): SqlValue {
  return value === undefined || value.isNullish ? undefined : value
}
