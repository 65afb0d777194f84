// Variables of a $lookup's `let`. A name is declared even if its expression has no value for a
// document, so that the pipeline compiles and reads a missing value.

import type { Value } from '../value/value.js'

/** Variables of a `let`, with names that are declared but missing. */
export class LetVariables extends Map<string, Value> {
  readonly declared: ReadonlySet<string>

  constructor(outer: ReadonlyMap<string, Value>, names: ReadonlySet<string>) {
    super(outer)
    for (const name of names) this.delete(name)
    this.declared = new Set([...declaredIn(outer), ...names])
  }

  override has(name: string): boolean {
    return super.has(name) || this.declared.has(name)
  }
}

/** Names that are declared in addition to those with a value. */
export function declaredIn(variables: ReadonlyMap<string, Value>): readonly string[] {
  return variables instanceof LetVariables ? [...variables.declared] : []
}
