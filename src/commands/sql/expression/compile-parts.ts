// Compiles large expressions in turns: their parts first, which compile finds in its scope when it
// compiles the whole. (docs/design/transactions.md, rule 1)

import type { Expression } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { compile } from './compile.js'
import { isLarge, Parts } from './parts.js'
import type { Scope } from './scope.js'
import type { Evaluator } from './truth.js'

/** The scope for compiling the expressions, with the parts of those that are large. */
export function* compiledParts(
  tx: ReadTx,
  expressions: readonly (Expression | undefined)[],
  scope: Scope,
): Program<Scope> {
  const large = expressions.filter((each) => each !== undefined).filter(isLarge)
  if (large.length === 0) return scope
  const parts = new Parts<Evaluator>()
  const within = { ...scope, parts }
  yield* parts.make(
    tx,
    large,
    (part) => compile(part, within),
    (part) => scope.replace?.(part, within) !== undefined,
  )
  return within
}
