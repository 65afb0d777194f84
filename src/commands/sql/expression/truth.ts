// Truth of three values, and the two ways in which a compiled expression can be asked: for what it
// is, and whether it holds. A missing field, null and undefined are SQL's one NULL.

import { boolOf, boolValue, bsonType, type Document, type Value } from '../../../value/value.js'

/** Undefined: unknown. */
export type Truth = boolean | undefined

/** A value that is never null or undefined of BSON; undefined: NULL. */
export type SqlValue = Value | undefined

/** One document for each table of the statement; undefined: what a LEFT JOIN did not find. */
export type Row = readonly (Document | undefined)[]

/** What an expression became: asked for each row, it reads of it what it needs. */
export interface Evaluator {
  readonly value: (row: Row) => SqlValue
  /** Only a bool is true or false; NULL and values of other types are unknown. */
  readonly truth: (row: Row) => Truth
  /** The same for every row. */
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

/** SQL's NULL of a value that may be one of BSON's. */
export function orNull(value: Value | undefined): SqlValue {
  return value === undefined || value.isNullish ? undefined : value
}
