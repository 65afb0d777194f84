// What the tests of SQL's evaluation share: expressions as text, through the parser that statements
// go through, over documents from literals; answers as a type and a text, `integer 5`.

import { GatewayError } from '../../../../src/base/errors.js'
import { sqlStateOf } from '../../../../src/base/sql-state.js'
import { typeNameOf } from '../../../../src/commands/sql/expression/cast.js'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import type { Scope } from '../../../../src/commands/sql/expression/scope.js'
import { textForm } from '../../../../src/commands/sql/expression/texts/text-form.js'
import type { SqlValue, Truth } from '../../../../src/commands/sql/expression/truth.js'
import type { Expression } from '../../../../src/protocol/sql/ast.js'
import { parseStatement } from '../../../../src/protocol/sql/parse.js'
import { documentFrom, valueFrom } from '../../../../src/value/literal.js'
import type { Value } from '../../../../src/value/value.js'
import { inStretch } from '../../../support/stretch.js'

/** 2026-11-21T22:15:30.250Z, a Saturday. */
const testNow = Date.UTC(2026, 10, 21, 22, 15, 30, 250)

export function expressionOf(text: string): Expression {
  const { statement } = parseStatement(`SELECT ${text} FROM t`)
  const expression = statement.kind === 'select' ? statement.results[0]?.expression : undefined
  if (expression === undefined) throw new Error(`no expression: ${text}`)
  return expression
}

export function scopeOf(parameters: readonly unknown[] = []): Scope {
  return { tables: ['t'], parameters: parameters.map(valueFrom), now: testNow }
}

function evaluate(
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
  parameters: readonly unknown[] = [],
): SqlValue {
  const row = () => compile(expressionOf(text), scopeOf(parameters)).value([documentFrom(fields)])
  return inStretch(row)
}

export function truthOf(
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
  parameters: readonly unknown[] = [],
): Truth {
  const row = () => compile(expressionOf(text), scopeOf(parameters)).truth([documentFrom(fields)])
  return inStretch(row)
}

/** `NULL`, `integer 5`, `text abc`. */
export function shown(value: Value | undefined): string {
  return value === undefined ? 'NULL' : `${typeNameOf(value)} ${textForm(value)}`
}

/** The answer, or `error` with its SQLSTATE. */
export function answer(
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
  parameters: readonly unknown[] = [],
): string {
  let found = 'NULL'
  const state = stateOf(() => {
    found = shown(evaluate(text, fields, parameters))
  })
  return state === undefined ? found : `error ${state}`
}

/** The SQLSTATE that `run` throws; undefined if it throws nothing. */
export function stateOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return sqlStateOf(error)
  }
}
