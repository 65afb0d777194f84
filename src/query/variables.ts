// Variables of a $lookup's `let`: a name whose expression has no value for a document is declared
// nevertheless, so the pipeline that reads it compiles, and reads a missing value.

import type { Value } from '../value/value.js'

/** Variables of a `let` that are declared even where they are missing. */
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

/** Names that are declared, beyond those that have a value. */
export function declaredIn(variables: ReadonlyMap<string, Value>): readonly string[] {
  return variables instanceof LetVariables ? [...variables.declared] : []
}
