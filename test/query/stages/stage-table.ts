// Runs pipelines over plain documents: shared by the tests of stages and accumulators.

import type { Test } from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { compilePipeline, runPipeline, type StagePlan } from '../../../src/query/pipeline.js'
import { documentToJson } from '../../../src/value/json/json.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import { documentValue } from '../../../src/value/value.js'
import { context, Refused } from '../expressions/expression-table.js'

export type Plain = Record<string, unknown>

export function plansOf(pipeline: readonly unknown[]): StagePlan[] {
  return compilePipeline(valueFrom(pipeline), context)
}

/** The results, each as one line of text. */
export function run(pipeline: readonly unknown[], documents: readonly Plain[]): string[] {
  return results(pipeline, documents).map((document) => shellText(documentValue(document)))
}

function results(pipeline: readonly unknown[], documents: readonly Plain[]): Uint8Array[] {
  return runPipeline(plansOf(pipeline), documents.map(documentFrom))
}

/** With the types of numbers, which plain text leaves out. */
function typed(document: Uint8Array): string {
  return documentToJson(document, 'canonical')
}

/** Checks each pipeline against the same documents. */
export function table(
  t: Test,
  documents: readonly Plain[],
  rows: readonly (readonly [pipeline: readonly unknown[], expected: readonly Plain[] | Refused])[],
): void {
  for (const [pipeline, expected] of rows) {
    const name = shellText(valueFrom(pipeline))
    if (!(expected instanceof Refused)) {
      t.same(results(pipeline, documents).map(typed), expected.map(documentFrom).map(typed), name)
      continue
    }
    const found = errorOf(pipeline, documents)
    t.equal(found.code, expected.code, `${name}: ${found.message}`)
    if (expected.text !== undefined) t.equal(found.message, expected.text, name)
  }
}

function errorOf(
  pipeline: readonly unknown[],
  documents: readonly Plain[],
): { code: number; message: string } {
  try {
    results(pipeline, documents)
    return { code: 0, message: 'nothing was refused' }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
