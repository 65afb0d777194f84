// recallMemories: the memories of a graph that answer a question, or that surround an entity.
// (docs/memory.md, "Recall, exactly")

import { fail } from '../../base/errors.js'
import {
  entityCharsMax,
  hopsDefault,
  hopsMax,
  questionCharsMax,
  recalledDefault,
  recalledMax,
} from '../../base/limits/memory.js'
import {
  bool,
  collection,
  number,
  oneOf,
  optional,
  string,
  withDefault,
} from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import type { Args } from '../../bus/document/schema.js'
import { plain } from '../../bus/policy/facts.js'
import { findGraph } from '../../memory/graph/graph.js'
import {
  type Recall,
  type RecallRequest,
  recall,
  unknownEntity,
} from '../../memory/recall/recall.js'
import type { Recalled } from '../../memory/recall/recall-score.js'
import type { Document } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { graphResource } from './arguments.js'

const params = {
  q: optional(string),
  entity: optional(string),
  hops: withDefault(number, hopsDefault),
  limit: withDefault(number, recalledDefault),
  include: optional(oneOf(['superseded'])),
  neighbours: withDefault(number, 0),
  explain: withDefault(bool, false),
} as const

export const recallRow = documentRow({
  name: 'recallMemories',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params,
  resources: graphResource('read'),
  help: 'Finds the memories of a graph that match a question or are near an entity, best first.',
  *run(tx, { db, target, args }) {
    const request = requestOf(args)
    const graph = yield* findGraph(tx, db, target)
    if (graph === undefined && args.entity !== undefined) throw unknownEntity(args.entity)
    if (graph === undefined) return replyOf(nothing, false)
    return replyOf(yield* recall(tx, graph, request), args.explain)
  },
})

const nothing: Recall = {
  memories: [],
  context: { distances: new Map(), edges: [], isTruncated: false },
}

/** Throws BadValue. */
function requestOf(args: Args<typeof params>): RecallRequest {
  const { q, entity, hops, limit, neighbours } = args
  if (q === undefined && entity === undefined) {
    throw fail('BadValue', 'recall takes a question (q), an entity, or both')
  }
  requireLength('q', q, questionCharsMax)
  requireLength('entity', entity, entityCharsMax)
  requireWhole('hops', hops, 0, hopsMax)
  requireWhole('limit', limit, 1, recalledMax)
  if (!(neighbours >= 0 && neighbours <= 1)) {
    throw fail('BadValue', 'neighbours is a number from 0 to 1')
  }
  const withSuperseded = args.include === 'superseded'
  return { question: q, entity, hops, limit, withSuperseded, neighbours }
}

function requireLength(name: string, text: string | undefined, max: number): void {
  if (text === undefined || (text !== '' && hasAtMost(text, max))) return
  throw fail('BadValue', `${name} is 1 to ${max} characters`)
}

/** Whether a text has at most `max` code points; reads only as much as needed. */
function hasAtMost(text: string, max: number): boolean {
  if (text.length <= max) return true
  return text.length <= 2 * max && [...text].length <= max
}

function requireWhole(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw fail('BadValue', `${name} is a whole number from ${min} to ${max}`)
}

function replyOf({ memories, context }: Recall, explains: boolean): Document {
  return reply((writer) => {
    writer.openArray('memories')
    for (const memory of memories) writeRecalled(writer, memory, explains)
    writer.close()
    writeTexts(writer, 'nodeIds', [...context.distances.keys()])
    const edges = context.edges.map(({ id }) => id)
    writeTexts(writer, 'edgeIds', edges)
    writer.bool('contextTruncated', context.isTruncated)
  })
}

function writeRecalled(writer: DocumentWriter, recalled: Recalled, explains: boolean): void {
  const { memory, score, distance, bm25, boost } = recalled
  writer.pushOpenDocument().string('id', memory.id).string('text', memory.text)
  writer.double('score', score).int32('distance', distance).int64('createdAt', memory.createdAt)
  writeTexts(writer, 'entities', memory.entities)
  if (explains) {
    writer.openDocument('explain').double('bm25', bm25).double('boost', boost)
    writer.int32('distance', distance).close()
  }
  writer.close()
}

function writeTexts(writer: DocumentWriter, name: string, texts: readonly string[]): void {
  writer.openArray(name)
  for (const [i, text] of texts.entries()) writer.string(String(i), text)
  writer.close()
}
