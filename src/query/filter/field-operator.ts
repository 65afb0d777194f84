// The row of the operator table, and the parser's interface for rows, so that tables do not import
// the parser.

import type { Collation } from '../../value/collation/collation.js'
import type { FieldPath } from '../../value/path.js'
import type { Value } from '../../value/value.js'
import type { FilterNode } from './node.js'

/** The place of an operator, with the parser's functions. */
export interface FieldPlace {
  readonly path: FieldPath
  /** The collation of strings; undefined compares their bytes. */
  readonly collation: Collation | undefined
  /** The object of operators that contains it. */
  readonly siblings: Value
  /** `{$gt: 1, $lt: 5}` for the same path. */
  operators(object: Value): FilterNode
  /** A nested filter whose paths start within the value. */
  nested(object: Value): FilterNode
}

export interface FieldOperator {
  readonly name: string
  /** Undefined if the operator only modifies another one. */
  compile(operand: Value, place: FieldPlace): FilterNode | undefined
}
