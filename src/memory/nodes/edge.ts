// An edge between two nodes, as a document. Traversal ignores its direction, which is only data.
// Two nodes have at most one edge of a type and direction: its id is made of the three.
// (docs/memory.md, "What is kept")

import { hash } from 'node:crypto'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, type Document, documentValue, stringOf } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'

export interface Edge {
  /** `edg_` and 24 hexadecimal digits. */
  readonly id: string
  /** Ids of nodes. */
  readonly from: string
  readonly to: string
  readonly type: string
  /** From 0 to 1. */
  readonly weight: number
  /** Milliseconds since 1970, as the others. */
  readonly createdAt: number
  /** EIP-55; undefined if an operator wrote it. */
  readonly createdBy?: string | undefined
  readonly validFrom?: number | undefined
  readonly validTo?: number | undefined
  /** The reason for the edge. */
  readonly source?: string | undefined
}

/** Types that the write path makes; `relates` is the default. */
export const edgeTypes = {
  mentions: 'mentions',
  supersedes: 'supersedes',
  next: 'next',
  relates: 'relates',
} as const

/** Separates the parts of hashed ids; no name may contain it. */
export const unitSeparator = '\u001f'
const idDigits = 24

export function edgeId(graph: string, from: string, type: string, to: string): string {
  const digest = hash('sha256', [graph, from, type, to].join(unitSeparator))
  return `edg_${digest.slice(0, idDigits)}`
}

export function edgeDocument(edge: Edge): Document {
  const { id, from, to, type, weight, createdAt, createdBy, validFrom, validTo, source } = edge
  return writeDocument((writer) => {
    writer.string('_id', id).string('from', from).string('to', to).string('type', type)
    writer.double('weight', weight).int64('createdAt', createdAt)
    if (createdBy === undefined) writer.null('createdBy')
    else writer.string('createdBy', createdBy)
    if (validFrom !== undefined) writer.int64('validFrom', validFrom)
    if (validTo !== undefined) writer.int64('validTo', validTo)
    if (source !== undefined) writer.string('source', source)
  })
}

/** Stored data of any writer: a missing field is empty. */
export function readEdge(document: Document): Edge {
  const text = (name: string): string | undefined => {
    const value = field(document, name)
    return value?.type === bsonType.string ? stringOf(value) : undefined
  }
  const number = (name: string): number | undefined => {
    const value = field(document, name)
    return value?.isNumber === true ? numberOf(value) : undefined
  }
  return {
    id: text('_id') ?? '',
    from: text('from') ?? '',
    to: text('to') ?? '',
    type: text('type') ?? '',
    weight: number('weight') ?? 0,
    createdAt: number('createdAt') ?? 0,
    createdBy: text('createdBy'),
    validFrom: number('validFrom'),
    validTo: number('validTo'),
    source: text('source'),
  }
}

/** An edge for clients of the memory commands: `id` for `_id`. */
export function shownEdge(document: Document): Document {
  return writeDocument((writer) => {
    for (const [name, value] of fieldsOf(documentValue(document))) {
      writer.value(name === '_id' ? 'id' : name, value)
    }
  })
}
