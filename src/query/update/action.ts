// What an update operator is once it is compiled: a function from the value that is there to the
// value that shall be. Walking paths, making what is missing and refusing what cannot be made is
// apply.ts's, the same for all operators.

import type { Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'
import type { Branch } from './branch.js'

/** Where an action is at work, for texts of errors and for $rename. */
export interface Place {
  readonly root: Branch
  /** Dotted, with the positions that `$` stands for. */
  readonly path: string
  /** `_id: 5`, or `no id`. */
  readonly idText: () => string
}

export interface Action {
  /** With its `$`. */
  readonly operator: string
  /** Makes the path when it is missing. */
  readonly creates: boolean
  /** Does nothing where the path cannot exist; others fail. */
  readonly ignoresBlocked?: boolean
  /** Only when an upsert inserts. */
  readonly onInsertOnly?: boolean
  /**
   * The new value, `current` itself for no change, undefined to remove what is there (or to leave
   * it missing).
   */
  apply(current: Value | undefined, place: Place): Value | undefined
}

/** A row of the table of update operators. */
export interface Modifier {
  readonly name: string
  /** `field` is the name that the operand stands under. */
  compile(operand: Value, field: string, context: QueryContext): Action
  /** Paths of an operator that works on two: where it acts, and which other one it empties. */
  target?(operand: Value, field: string): { path: string; source: string }
}
