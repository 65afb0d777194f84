// A compiled update operator: a function from the existing value to the new one. apply.ts follows
// paths, creates missing parents and refuses invalid paths, in the same way for all operators.

import type { Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'
import type { Branch } from './branch.js'

/** The place of an action, for error texts and for $rename. */
export interface Place {
  readonly root: Branch
  /** Dotted, with positions in place of `$`. */
  readonly path: string
  /** `_id: 5`, or `no id`. */
  readonly idText: () => string
}

export interface Action {
  /** With its `$`. */
  readonly operator: string
  /** Whether it creates a missing path. */
  readonly creates: boolean
  /** Whether it does nothing if the path cannot exist; others fail. */
  readonly ignoresBlocked?: boolean
  /** Whether it applies only when an upsert inserts. */
  readonly onInsertOnly?: boolean
  /**
   * Returns the new value, `current` itself for no change, or undefined to remove the value or
   * leave it missing.
   */
  apply(current: Value | undefined, place: Place): Value | undefined
}

/** A row of the table of update operators. */
export interface Modifier {
  readonly name: string
  /** `field` is the name of the operand's field. */
  compile(operand: Value, field: string, context: QueryContext): Action
  /** For an operator on two paths: the path to change, and the source path that it empties. */
  target?(operand: Value, field: string): { path: string; source: string }
}
