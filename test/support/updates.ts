// How the tests of updates apply one: literals in, checked BSON out.

import { compileUpdate, type Update } from '../../src/query/update.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { validateDocument } from '../../src/value/validate.js'
import type { Document } from '../../src/value/value.js'
import { type Literal, testContext } from './query.js'

export type UpdateLiteral = Literal | readonly unknown[]

export interface UpdateRun {
  readonly arrayFilters?: readonly Literal[]
  readonly matchedIndex?: number
  readonly isInsert?: boolean
}

export function compile(update: UpdateLiteral, arrayFilters: readonly Literal[] = []): Update {
  return compileUpdate(valueFrom(update), {
    arrayFilters: arrayFilters.map((filter) => documentFrom(filter)),
    context: testContext,
  })
}

/** The document after the update; it must be well-formed BSON. */
export function apply(update: UpdateLiteral, before: Literal, run: UpdateRun = {}): Document {
  const result = compile(update, run.arrayFilters).apply(documentFrom(before), {
    matchedIndex: run.matchedIndex,
    isInsert: run.isInsert ?? false,
  })
  validateDocument(result)
  return result
}
