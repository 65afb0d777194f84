// Computes the constant operands of large results in turns, before the row that asks for all of
// them at once. (docs/design/transactions.md, rule 1)

import { MiB } from '../../../base/units.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { functionFacts } from '../typing/function-facts.js'
import { operandsOf } from './expression-tree.js'
import { isLarge, type Parts, partUnits } from './parts.js'
import type { Evaluator, SqlValue } from './truth.js'

/** Bytes of values that are kept ahead; the row computes the rest, within its units. */
const aheadBytesMax = MiB

/** For results that a row will ask for. An error is left to the row, which throws it again. */
export function* constantsAhead(
  tx: ReadTx,
  expressions: readonly Expression[],
  parts: Pick<Parts<Evaluator>, 'of'>,
): Program<void> {
  let bytes = 0
  for (const operand of expressions.filter(isLarge).flatMap(askedBy)) {
    const made = parts.of(operand)
    if (made?.isConstant !== true) continue
    const value = computedValue(made)
    if (value === 'error') return
    bytes += value === undefined ? 0 : value.end - value.start
    if (bytes > aheadBytesMax) return
    yield* tx.pause(partUnits(operand))
  }
}

function askedBy(expression: Expression): readonly Expression[] {
  const { kind } = expression
  const isAsked =
    kind === 'array' || (kind === 'call' && functionFacts(expression.name).asksAll === true)
  return isAsked ? operandsOf(expression) : []
}

function computedValue({ value }: Evaluator): SqlValue | 'error' {
  try {
    return value([])
  } catch {
    return 'error'
  }
}
