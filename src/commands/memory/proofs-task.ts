// verifyMemory, verifyGraph and anchorGraph: they wait for the chain, so they are tasks. What they
// read and write of the graph goes through the call's fence, before and after.

import { fail } from '../../base/errors.js'
import { anchorBatchMemories, memoryIdCharsMax } from '../../base/limits.js'
import type { Call } from '../../bus/call.js'
import { arrayOf, optional, string } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { findGraph, graphTouches } from '../../memory/graph/graph.js'
import { graphKey } from '../../memory/graph/graph-key.js'
import { graphPath } from '../../memory/graph/graph-names.js'
import type { GraphPrograms } from '../../memory/proof/anchor-making.js'
import { evidenceOf } from '../../memory/proof/evidence.js'
import {
  anchorsToVerify,
  type GraphEvidence,
  type GraphVerdict,
} from '../../memory/proof/graph-verdict.js'
import { noChain, Proofs, type Requested } from '../../memory/proof/proofs.js'
import { notFound, type Verdict } from '../../memory/proof/verdict.js'
import type { Document } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

const verifyMemory = documentRow({
  name: 'verifyMemory',
  grows: 'nothing',
  grain: 'task',
  access: 'reader',
  target: string,
  params: { id: string },
  touches: ({ db, target }) => graphTouches(db, target, 'read'),
  help: 'Recomputes the hash of a memory and compares it with its anchor and the chain.',
  async run(call) {
    const { db, target, args } = call
    requireId(args.id)
    const evidence = await call.read(function* (tx) {
      const graph = yield* findGraph(tx, db, target)
      return graph === undefined ? undefined : yield* evidenceOf(tx, graph, args.id)
    })
    return replyOf(evidence === undefined ? notFound : await proofsOf(call).verify(evidence))
  },
})

const verifyGraph = documentRow({
  name: 'verifyGraph',
  grows: 'nothing',
  grain: 'task',
  access: 'reader',
  target: string,
  params: {},
  touches: ({ db, target }) => graphTouches(db, target, 'read'),
  help: "Compares a graph's anchors, their places and the roots before them with the chain.",
  async run(call) {
    const { db, target } = call
    const key = await call.read(function* (tx) {
      const graph = yield* findGraph(tx, db, target)
      return graph === undefined ? undefined : graphKey(graph)
    })
    if (key === undefined) throw fail('GraphNotFound', `there is no graph '${target}'`)
    const page: GraphEvidence['page'] = (before) =>
      call.read(function* (tx) {
        const graph = yield* findGraph(tx, db, target)
        return graph === undefined ? [] : yield* anchorsToVerify(tx, graph.anchors, before)
      })
    return replyOf({ ...(await proofsOf(call).verifyGraph({ graphKey: key, page })) })
  },
})

const anchorGraph = documentRow({
  name: 'anchorGraph',
  // A full quota leaves no memory without its proof: batches are a fraction of what is stored.
  grows: 'nothing',
  grain: 'task',
  access: 'identity',
  target: string,
  params: { ids: optional(arrayOf(string)) },
  touches: ({ db, target }) => graphTouches(db, target, 'write'),
  help: 'Gathers what is not anchored yet, or the memories of those ids, and has it anchored.',
  async run(call) {
    const { ids } = call.args
    if (ids !== undefined && ids.length > anchorBatchMemories) {
      throw fail('BadValue', `at most ${anchorBatchMemories} ids are anchored at once`)
    }
    for (const id of ids ?? []) requireId(id)
    const chosen = ids === undefined ? undefined : new Set(ids)
    return replyOf({
      ...(await proofsOf(call).anchor(graphPath(call.db, call.target), programsOf(call), chosen)),
    })
  },
})

export const proofRows = [verifyMemory, verifyGraph, anchorGraph]

function requireId(id: string): void {
  if (id.length > 0 && id.length <= memoryIdCharsMax) return
  throw fail('BadValue', `an id has 1 to ${memoryIdCharsMax} characters`)
}

function proofsOf({ services }: Pick<Call<unknown, unknown>, 'services'>): Proofs {
  const { proofs } = services
  if (!(proofs instanceof Proofs)) throw noChain()
  return proofs
}

/** Each behind the fence of the call. */
function programsOf(call: Call<unknown, string>): GraphPrograms {
  const { db, target } = call
  return {
    read: (program) =>
      call.read(function* (tx) {
        const graph = yield* findGraph(tx, db, target)
        return graph === undefined ? undefined : yield* program(tx, graph)
      }),
    write: (program) =>
      call.write(function* (tx) {
        const graph = yield* findGraph(tx, db, target)
        return graph === undefined ? undefined : yield* program(tx, graph)
      }),
  }
}

/** Texts, truths and whole numbers as they are. */
function replyOf(fields: Verdict | GraphVerdict | Requested): Document {
  return reply((writer) => {
    for (const [name, value] of Object.entries(fields)) writeField(writer, name, value)
  })
}

function writeField(writer: DocumentWriter, name: string, value: unknown): void {
  if (value === null) writer.null(name)
  else if (typeof value === 'boolean') writer.bool(name, value)
  else if (typeof value === 'number') writer.int64(name, value)
  else writer.string(name, String(value))
}
