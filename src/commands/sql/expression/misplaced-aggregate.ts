// Aggregates where no rows are collected: in conditions, in values and inside of another aggregate.
// PostgreSQL names the clause in the error, so each clause asks for itself.

import type { Expression } from '../../../protocol/sql/ast.js'
import { functionFacts } from '../typing/function-facts.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { someNode } from './expression-tree.js'

type Clause =
  | ('WHERE' | 'JOIN conditions' | 'GROUP BY' | 'FILTER' | 'LIMIT' | 'OFFSET')
  | ('UPDATE' | 'VALUES' | 'RETURNING')

/** Throws 42803 at the aggregate. */
export function requireNoAggregate(expression: Expression, clause: Clause): void {
  requireNone(expression, `aggregate functions are not allowed in ${clause}`)
}

/** As requireNoAggregate, for what an aggregate reads. */
export function requireNotNested(expression: Expression): void {
  requireNone(expression, 'aggregate function calls cannot be nested')
}

function requireNone(expression: Expression, message: string): void {
  someNode(expression, (node) => {
    if (node.kind !== 'call' || functionFacts(node.name).aggregate === undefined) return false
    throw evaluationError(evaluationState.misplacedAggregate, message, node.at)
  })
}
