// Runs an expression in Sigil and in mingo, and judges the innermost parts in which they differ.

import { aggregate } from 'mingo'
import { compileExpression, envOf, scopeOf } from '../../../src/query/expression.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { documentValue } from '../../../src/value/value.js'
import { testContext } from '../query.js'
import {
  agree,
  copyDocument,
  copyOf,
  type Judge,
  type Outcome,
  outcomeOf,
  plainOf,
} from './decisions.js'
import { operandsOf, operatorOf } from './expressions.js'
import type { Plain } from './values.js'

export function evaluate(expression: unknown, document: Plain): Outcome {
  return outcomeOf(() => {
    const compiled = compileExpression(valueFrom(expression), scopeOf(testContext))
    return plainOf(compiled.evaluate(envOf(documentValue(documentFrom(document)), testContext)))
  })
}

function mingo(expression: unknown, document: Plain): Outcome {
  return outcomeOf(() => {
    const pipeline = [{ $replaceWith: { result: copyOf(expression) } }]
    return aggregate([copyDocument(document)], pipeline)[0]?.result
  })
}

/** Judges the innermost parts in which the two differ; false if there are none. */
export function compareExpression(
  judge: Judge,
  expression: unknown,
  document: Plain,
  seed: number,
): boolean {
  const ours = evaluate(expression, document)
  const theirs = mingo(expression, document)
  if (agree(ours, theirs)) return false
  const inner = operandsOf(expression).filter((part) => part !== expression)
  if (inner.map((part) => compareExpression(judge, part, document, seed)).includes(true))
    return true
  const operands = inner.map((part) => {
    const outcome = evaluate(part, document)
    return 'value' in outcome ? outcome.value : outcome
  })
  const name = operatorOf(expression) ?? String(expression)
  judge.judge({ name, operands, document: expression, sigil: ours, mingo: theirs }, seed)
  return true
}
