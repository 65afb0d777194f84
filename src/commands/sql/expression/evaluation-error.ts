// Errors of evaluating a statement, with PostgreSQL's SQLSTATE, by which clients distinguish them.
// The offset in the text is kept beside the error; the command that has the text computes the
// position.

import { fail, GatewayError } from '../../../base/errors.js'
import { sqlError } from '../../../protocol/sql/sql-error.js'

export const evaluationState = {
  featureNotSupported: '0A000',
  tooLong: '54000',
  tooManyColumns: '54011',
  numberOutOfRange: '22003',
  dateOutOfRange: '22008',
  divisionByZero: '22012',
  badPower: '2201F',
  badLogarithm: '2201E',
  badEscape: '22025',
  badText: '22P02',
  badDate: '22007',
  badArgument: '22023',
  badSubstring: '22011',
  badRegex: '2201B',
  undefinedFunction: '42883',
  ambiguousFunction: '42725',
  undefinedColumn: '42703',
  undefinedType: '42704',
  ambiguousColumn: '42702',
  cannotCast: '42846',
  misplacedAggregate: '42803',
  wrongParameters: '08P01',
  syntax: '42601',
  undefinedTable: '42P01',
  undefinedSchema: '3F000',
  undefinedDatabase: '3D000',
  duplicateAlias: '42712',
  badColumnReference: '42P10',
  badLimit: '2201W',
  badOffset: '2201X',
  wrongType: '42804',
  indeterminateType: '42P18',
  wrongObject: '42809',
  tooMuchMemory: '53200',
} as const

type EvaluationState = (typeof evaluationState)[keyof typeof evaluationState]

const castHint = 'You might need to add'

/** PostgreSQL's hint of 42883, by the kind and the number of arguments. */
export function undefinedHint(what: 'function' | 'operator', isOne = false): string {
  const types = isOne ? 'type' : 'types'
  const casts = isOne ? 'an explicit type cast' : 'explicit type casts'
  return `No ${what} matches the given name and argument ${types}. ${castHint} ${casts}.`
}

/** PostgreSQL's hint of 42725. */
export function ambiguousHint(what: 'function' | 'operator'): string {
  return `Could not choose a best candidate ${what}. ${castHint} explicit type casts.`
}

/** UTF-16 offsets of errors in the text of their statement. */
const offsets = new WeakMap<GatewayError, number>()

/**
 * BadValue (115 for unsupported features) with `sqlState`; `at` is the UTF-16 offset of the fault.
 */
export function evaluationError(
  state: EvaluationState,
  message: string,
  at?: number,
  hint?: string,
): GatewayError {
  const isUnsupported = state === evaluationState.featureNotSupported
  const extra = { sqlState: state, ...(hint === undefined ? {} : { hint }) }
  const error = fail(isUnsupported ? 'CommandNotSupported' : 'BadValue', message, extra)
  if (at !== undefined) offsets.set(error, at)
  return error
}

/** Adds the offset `at` to an error that has none. */
export function placed(thrown: unknown, at: number): unknown {
  if (thrown instanceof GatewayError && !offsets.has(thrown)) offsets.set(thrown, at)
  return thrown
}

/** 42883 */
export function isUndefinedOperator(thrown: unknown): boolean {
  const state = thrown instanceof GatewayError ? thrown.extra.sqlState : undefined
  return state === evaluationState.undefinedFunction
}

/** 42846 */
export function hasNoCast(thrown: unknown): boolean {
  const state = thrown instanceof GatewayError ? thrown.extra.sqlState : undefined
  return state === evaluationState.cannotCast
}

/** Adds the position in the text to an error, if its offset is known. */
export function withPosition(thrown: unknown, text: string): unknown {
  if (!(thrown instanceof GatewayError) || thrown.extra.position !== undefined) return thrown
  const at = offsets.get(thrown)
  if (at === undefined) return thrown
  const { extra } = sqlError(text, at, thrown.message)
  const { position, line, column } = extra
  const placed = { ...thrown.extra, position, line, column }
  return new GatewayError(thrown.kind, thrown.message, placed, thrown.cause ?? thrown)
}

/** The error with PostgreSQL's DETAIL. */
export function withDetail({ kind, message, extra }: GatewayError, detail: string): GatewayError {
  return fail(kind, message, { ...extra, detail })
}

/** 22003 */
export function outOfRange(message: string): GatewayError {
  return evaluationError(evaluationState.numberOutOfRange, message)
}
