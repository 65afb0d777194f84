// Rows of the expression tests: an expression, a document and what comes of it, with its type.
// Shared by the tests of all operator families.

import type { Test } from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { work } from '../../../src/base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import type { QueryContext } from '../../../src/query/context.js'
import { compileExpression, envOf, scopeOf } from '../../../src/query/expression.js'
import { type Result, typeName } from '../../../src/query/expressions/operator.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import { documentValue, doubleValue, int64Value, type Value } from '../../../src/value/value.js'

export const context: QueryContext = {
  now: Date.UTC(2024, 0, 2, 3, 4, 5, 6),
  variables: new Map([['given', valueFrom({ a: 7 })]]),
  objectId: (index) => new Uint8Array(12).fill(index + 1),
}

/** A double, where a JavaScript number would be an int32. */
export function double(n: number): Value {
  return doubleValue(n)
}

export function long(n: number | bigint): Value {
  return int64Value(BigInt(n))
}

/** What an expression is expected to fail with. */
export class Refused {
  constructor(
    readonly code: number,
    readonly text?: string,
  ) {}
}

export function refused(code: number, text?: string): Refused {
  return new Refused(code, text)
}

/** The expected value; undefined for a missing one. */
type Row = readonly [expression: unknown, expected: unknown]

export function evaluate(expression: unknown, document: Record<string, unknown> = {}): Result {
  // A stretch of its own, as one document is.
  work.begin(turnUnits, stretchUnits)
  try {
    const compiled = compileExpression(valueFrom(expression), scopeOf(context))
    return compiled.evaluate(envOf(documentValue(documentFrom(document)), context))
  } finally {
    work.end()
  }
}

/** Type and text of a value: `int 3`, `missing`. */
export function shown(value: Result): string {
  return value === undefined ? 'missing' : `${typeName(value)} ${shellText(value)}`
}

/** Checks each row against one document. */
export function table(t: Test, document: Record<string, unknown>, rows: readonly Row[]): void {
  for (const [expression, expected] of rows) {
    const name = shellText(valueFrom(expression))
    if (expected instanceof Refused) refuses(t, expression, document, expected, name)
    else {
      const wanted = expected === undefined ? 'missing' : shown(valueFrom(expected))
      t.equal(outcome(expression, document), wanted, name)
    }
  }
}

function outcome(expression: unknown, document: Record<string, unknown>): string {
  try {
    return shown(evaluate(expression, document))
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.message}`
    throw error
  }
}

function refuses(
  t: Test,
  expression: unknown,
  document: Record<string, unknown>,
  { code, text }: Refused,
  name: string,
): void {
  const found = outcome(expression, document)
  if (text === undefined) t.equal(found.split(' ')[0], String(code), `${name}: ${found}`)
  else t.equal(found, `${code} ${text}`, name)
}
