// The tools: their arguments, their results, and the requests of the memory API behind them.
// (docs/memory.md, "MCP")

import type { JsonSchemaType, ToolAnnotations } from '@modelcontextprotocol/server'
import { memoryCharsMax, questionCharsMax, verifyIdsMax } from '../../base/limits/memory.js'
import { type ApiReply, isSuccess, type Json, type MemoryApi } from './memory-api.js'
import {
  boolean,
  entity,
  graph,
  integer,
  list,
  nullable,
  number,
  object,
  open,
  strict,
  string,
  text,
  whole,
} from './schemas.js'
import { graphText, jsonText, recallText, untrusted } from './texts.js'

/** Arguments that passed the tool's schema. */
export type Arguments = Json & { readonly graph?: string }

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: JsonSchemaType
  readonly output: JsonSchemaType
  readonly annotations: ToolAnnotations
  readonly run: (api: MemoryApi, given: Arguments) => Promise<ApiReply>
  /** The text of the response for a model. */
  readonly shown: (body: Json, given: Arguments) => string
}

const reads = { readOnlyHint: true, openWorldHint: false } as const
const writes = { readOnlyHint: false, idempotentHint: true, openWorldHint: false } as const

const remember: Tool = {
  name: 'remember',
  title: 'Remember',
  description:
    'Stores one memory, a text of up to 8,192 characters, with its entities and its ' +
    'source. The same text again is reported as a duplicate. A memory never changes: to ' +
    'correct one, remember the right text with its id as `supersedes`.',
  input: strict({
    graph,
    'text!': text('The text to remember, in whole sentences.', memoryCharsMax),
    entities: list(entity, 'Subjects of the text: people, projects, places …'),
    source: object,
    supersedes: text('Id of the memory that this one corrects (mem_…).', 128),
  }),
  output: open({ 'id!': string, 'duplicate!': boolean, memory: object }),
  annotations: { ...writes, destructiveHint: false },
  run: (api, body) => api.ask({ method: 'POST', path: '/api/memories', body }),
  shown: jsonText,
}

const recall: Tool = {
  name: 'recall',
  title: 'Recall',
  description:
    'Finds memories by words (q), by an entity they are about, or by both, best first, with the ' +
    `ids of the graph around them. ${untrusted}`,
  input: strict({
    graph,
    q: text('Words to look for.', questionCharsMax),
    entity: text('Name, alias or id of an entity to start from.', 256),
    hops: whole('How far to go along edges.', 0, 10, 1),
    limit: whole('Memories at most.', 1, 100, 20),
  }),
  output: open({
    'memories!': list(
      open({ 'id!': string, 'text!': string, 'score!': number, 'distance!': integer }),
    ),
    'nodeIds!': list(string),
    'edgeIds!': list(string),
    'contextTruncated!': boolean,
  }),
  annotations: reads,
  run: (api, given) => {
    const { graph, q, entity, hops, limit } = given as Readonly<Record<string, string | number>>
    const query = { graph, q, entity, hops, limit }
    return api.ask({ method: 'GET', path: '/api/recall', query })
  },
  shown: recallText,
}

const relate: Tool = {
  name: 'relate',
  title: 'Relate',
  description:
    'Creates an edge between two nodes of the graph, by their ids (mem_… or ent_…). An ' +
    'existing edge is kept.',
  input: strict({
    graph,
    'from!': text('Id of the node it starts from.', 128),
    'to!': text('Id of the node it leads to.', 128),
    'type!': text('What the edge says: works_on, located_in, relates …', 64),
  }),
  output: open({ 'edge!': object, created: boolean }),
  annotations: { ...writes, destructiveHint: false },
  run: (api, body) => api.ask({ method: 'POST', path: '/api/edges', body }),
  shown: jsonText,
}

const forget: Tool = {
  name: 'forget',
  title: 'Forget',
  description: 'Deletes one memory with its edges permanently.',
  input: strict({ graph, 'id!': text('Id of the memory (mem_…).', 128) }),
  output: open({ 'deleted!': boolean, edges: integer, id: string }),
  annotations: { ...writes, destructiveHint: true },
  run: async (api, { graph, id }) => {
    const params = { id: String(id) }
    const reply = await api.ask({
      method: 'DELETE',
      path: '/api/memories/:id',
      params,
      query: { graph },
    })
    return isSuccess(reply) ? { ...reply, body: { ...reply.body, id } } : reply
  },
  shown: jsonText,
}

/** Texts for the verdict on a memory. */
const verdict = {
  'verified!': boolean,
  'hashValid!': boolean,
  'anchored!': boolean,
  'proofValid!': boolean,
  'onChain!': boolean,
  'stateValid!': boolean,
  'complete!': boolean,
  'graphKey!': nullable('string'),
  'computedHash!': string,
  'root!': nullable('string'),
  'txHash!': nullable('string'),
  'anchoredAt!': nullable('number'),
  'anchoredBy!': nullable('string'),
  'explorerUrl!': nullable('string'),
  'problem!': nullable('string'),
  'warnings!': list(string),
}

const verify: Tool = {
  name: 'verify',
  title: 'Verify',
  description:
    'Verifies that a memory is unchanged since it was anchored on the chain: its hash, its ' +
    'place in the batch, the proof and the chain. Returns the first problem.',
  input: strict({ graph, 'id!': text('Id of the memory (mem_…).', 128) }),
  output: open({ id: string, ...verdict }),
  annotations: reads,
  run: async (api, { graph, id }) => {
    const query = { graph, id: String(id) }
    const reply = await api.ask({ method: 'GET', path: '/api/verify', query })
    return isSuccess(reply) ? { ...reply, body: { ...reply.body, id } } : reply
  },
  shown: jsonText,
}

const verifyMany: Tool = {
  name: 'verify_many',
  title: 'Verify many',
  description: `Verifies up to ${verifyIdsMax} memories in one request, each like verify.`,
  input: strict({
    graph,
    'ids!': {
      ...list({ type: 'string', minLength: 1, maxLength: 128 }, 'Ids of memories (mem_…).'),
      minItems: 1,
      maxItems: verifyIdsMax,
    },
  }),
  output: open({ 'results!': list(open({ 'id!': string, ...verdict })) }),
  annotations: reads,
  run: (api, body) => api.ask({ method: 'POST', path: '/api/verify', body }),
  shown: jsonText,
}

const show: Tool = {
  name: 'graph',
  title: 'Graph',
  description:
    'Returns the size of a graph; with metadataOnly false also its newest nodes and the edges ' +
    `between them, which may be long. ${untrusted}`,
  input: strict({
    graph,
    limit: whole('Nodes at most.', 1, 300, 300),
    metadataOnly: { ...boolean, description: 'Counts alone.', default: true },
  }),
  output: open({
    'total!': integer,
    truncated: boolean,
    seq: integer,
    nodes: list(object),
    edges: list(object),
  }),
  annotations: reads,
  run: (api, { graph, limit, metadataOnly }) => {
    if (metadataOnly !== false) return summary(api, graph)
    const query = { graph, limit: limit === undefined ? undefined : Number(limit) }
    return api.ask({ method: 'GET', path: '/api/graph', query })
  },
  shown: (body, { graph = 'default', metadataOnly }) =>
    metadataOnly === false ? graphText(graph, body) : jsonText(body),
}

export const tools: readonly Tool[] = [remember, recall, relate, forget, verify, verifyMany, show]

/** Counts of a graph, and its owner if visible; zeros for an unknown graph. */
export async function summary(api: MemoryApi, graph = 'default'): Promise<ApiReply> {
  const query = { graph, limit: 1 }
  const newest = await api.ask({ method: 'GET', path: '/api/graph', query })
  if (!isSuccess(newest)) return newest
  const params = { name: graph }
  const told = await api.ask({ method: 'GET', path: '/api/graphs/:name', params })
  const { total, seq } = newest.body
  const { nodes, edges, ...rest } = isSuccess(told) ? told.body : ({} as Json)
  return { status: 200, body: { graph, ...rest, total, seq, counts: { nodes, edges } } }
}
