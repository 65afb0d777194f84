// The number of memories of a graph and their total length, for BM25: one document among the terms,
// under a name that no term can have.

import type { Namespace } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import type { Document } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { change, documentAt, termKey } from './term-documents.js'

const totalsName = '\u001ftotals'

/** Memories, and the terms that occur in them. */
export interface Totals {
  readonly memories: number
  readonly length: number
  /** The superseded part of these. */
  readonly superseded: number
  readonly supersededLength: number
}

export const noTotals: Totals = { memories: 0, length: 0, superseded: 0, supersededLength: 0 }

const fields = ['memories', 'length', 'superseded', 'supersededLength'] as const

export function* totalsOf(tx: ReadTx, terms: Namespace): Program<Totals> {
  return read(yield* documentAt(tx, terms, termKey(terms, totalsName)))
}

/** Adds a memory (`sign` 1) or removes it (-1). */
export function plusMemory(
  { memories, length, superseded, supersededLength }: Totals,
  memory: { readonly length: number; readonly isSuperseded: boolean },
  sign: 1 | -1,
): Totals {
  const part = memory.isSuperseded ? sign : 0
  return {
    memories: memories + sign,
    length: length + sign * memory.length,
    superseded: superseded + part,
    supersededLength: supersededLength + part * memory.length,
  }
}

export function* addTotals(tx: Tx, terms: Namespace, added: Totals): Program<void> {
  const key = termKey(terms, totalsName)
  const before = yield* documentAt(tx, terms, key)
  const totals = { ...read(before) }
  for (const name of fields) totals[name] += added[name]
  yield* change(tx, terms, key, before, write(totals))
}

function read(document: Document | undefined): Totals {
  const [memories = 0, length = 0, superseded = 0, supersededLength = 0] = fields.map((name) => {
    const value = document === undefined ? undefined : field(document, name)
    return value === undefined ? 0 : numberOf(value)
  })
  return { memories, length, superseded, supersededLength }
}

function write(totals: Totals): Document {
  const writer = new DocumentWriter().string('_id', totalsName)
  for (const name of fields) writer.int64(name, totals[name])
  return writer.finish()
}
