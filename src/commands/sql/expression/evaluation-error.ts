// What a statement does wrong while it is computed, under the SQLSTATE that PostgreSQL gives it:
// clients tell a division by zero from a bad cast by these five characters.

import { fail, type GatewayError } from '../../../base/errors.js'

export const evaluationState = {
  featureNotSupported: '0A000',
  tooLong: '54000',
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
  tooMuchMemory: '53200',
} as const

export type EvaluationState = (typeof evaluationState)[keyof typeof evaluationState]

/** BadValue (115 for what is not supported) with `sqlState`. */
export function evaluationError(state: EvaluationState, message: string): GatewayError {
  const isUnsupported = state === evaluationState.featureNotSupported
  return fail(isUnsupported ? 'CommandNotSupported' : 'BadValue', message, { sqlState: state })
}

/** 22003 */
export function outOfRange(message: string): GatewayError {
  return evaluationError(evaluationState.numberOutOfRange, message)
}
