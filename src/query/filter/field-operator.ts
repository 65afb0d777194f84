// What a row of the operator table is, and what a row may ask of the parser that compiles it: so
// that tables need not know the parser.

import type { Collation } from '../../value/collation/collation.js'
import type { FieldPath } from '../../value/path.js'
import type { Value } from '../../value/value.js'
import type { FilterNode } from './node.js'

/** Where an operator stands, and what it may ask of the parser. */
export interface FieldPlace {
  readonly path: FieldPath
  /** How strings compare; undefined: by their bytes. */
  readonly collation: Collation | undefined
  /** The object of operators that it is one of. */
  readonly siblings: Value
  /** `{$gt: 1, $lt: 5}` for the same path. */
  operators(object: Value): FilterNode
  /** A whole filter whose paths start within the value. */
  nested(object: Value): FilterNode
}

export interface FieldOperator {
  readonly name: string
  /** undefined where an operator only goes with another one. */
  compile(operand: Value, place: FieldPlace): FilterNode | undefined
}
