// verifyMemory, verifyGraph, anchorGraph and similar commands. They wait for the chain, so they are
// tasks. Their reads and writes of the graph go through the call's guard.

import { fail } from '../../base/errors.js'
import { anchorBatchMemories, memoryIdCharsMax, verifyIdsMax } from '../../base/limits/memory.js'
import type { Call } from '../../bus/document/call.js'
import { arrayOf, bool, optional, string, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../bus/document/row.js'
import type { Args, Fields } from '../../bus/document/schema.js'
import { plain } from '../../bus/policy/facts.js'
import { graphResources } from '../../memory/graph/graph.js'
import { graphPath } from '../../memory/graph/graph-names.js'
import { graphPrograms } from '../../memory/proof/graph-programs.js'
import { canonicalJson } from '../../memory/proof/leaves/canonical.js'
import { noChain, Proofs } from '../../memory/proof/proofs.js'
import type { GraphVerdict } from '../../memory/proof/sweep/sweep.js'
import { notFound, type Verdict } from '../../memory/proof/verdicts/verdict.js'
import type { Document } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

interface Reader<F extends Fields> {
  readonly name: string
  readonly params: F
  readonly help: string
  readonly run: (call: Call<Args<F>, string>) => Promise<Document>
}

/** A command that reports proofs of a graph and writes nothing. */
function graphReader<F extends Fields>(row: Reader<F>): DocumentRow {
  return documentRow({
    ...row,
    ...plain,
    grain: 'task',
    access: 'reader',
    target: string,
    resources: ({ db, target }) => graphResources(db, target, 'read'),
  })
}

const verifyMemory = graphReader({
  name: 'verifyMemory',
  params: { id: string },
  help: 'Recomputes the hash of a memory and compares it with its anchors and the chain.',
  async run(call) {
    const { id } = call.args
    requireId(id)
    const [verdict = notFound] = await proofsOf(call).verify(
      graphPrograms(call, call.db, call.target).read,
      [id],
    )
    return reply((out) => writeVerdict(out, verdict))
  },
})

const verifyMemories = graphReader({
  name: 'verifyMemories',
  params: { ids: arrayOf(string), brief: withDefault(bool, false) },
  help: `Verifies up to ${verifyIdsMax} memories in order, reading the anchors once.`,
  async run(call) {
    const { ids, brief } = call.args
    if (ids.length === 0 || ids.length > verifyIdsMax) {
      throw fail('BadValue', `'ids' must hold 1 to ${verifyIdsMax} ids`)
    }
    for (const id of ids) requireId(id)
    const verdicts = await proofsOf(call).verify(
      graphPrograms(call, call.db, call.target).read,
      ids,
    )
    return reply((out) => {
      if (brief) {
        writeBrief(out, ids, verdicts)
        return
      }
      out.openArray('results')
      for (const [i, verdict] of verdicts.entries()) {
        writeVerdict(out.pushOpenDocument().string('id', ids[i] ?? ''), verdict)
        out.close()
      }
      out.close()
    })
  },
})

const verifyGraph = graphReader({
  name: 'verifyGraph',
  params: { cursor: optional(string) },
  help:
    'Sweeps a graph: compares anchors with the chain, and leaves, memories and edges with ' +
    'the anchors. A large graph takes several calls; each returns the cursor of the next.',
  async run(call) {
    const { target, args } = call
    const verdict = await proofsOf(call).verifyGraph(
      graphPrograms(call, call.db, call.target).read,
      args.cursor,
    )
    if (verdict === undefined) throw fail('GraphNotFound', `there is no graph '${target}'`)
    return reply((out) => writeGraphVerdict(out, verdict))
  },
})

const exportEvidence = graphReader({
  name: 'exportEvidence',
  params: { id: string },
  help: 'Returns the proof of a memory: its fields, leaf, siblings and anchor.',
  async run(call) {
    const { target, args } = call
    requireId(args.id)
    const found = await proofsOf(call).export(
      graphPrograms(call, call.db, call.target).read,
      args.id,
    )
    if (found === undefined) {
      throw fail('NodeNotFound', `graph '${target}' has no anchored memory '${args.id}'`)
    }
    return reply((out) => out.string('evidence', canonicalJson({ ...found })))
  },
})

const anchorGraph = documentRow({
  name: 'anchorGraph',
  // Allowed over the quota, so that every memory gets its proof; batches are a small part of the
  // data.
  ...plain,
  grain: 'task',
  access: 'identity',
  target: string,
  params: { ids: optional(arrayOf(string)) },
  resources: ({ db, target }) => graphResources(db, target, 'write'),
  help: 'Anchors what is not anchored yet, or the memories of those ids.',
  async run(call) {
    const { ids } = call.args
    if (ids !== undefined && ids.length > anchorBatchMemories) {
      throw fail('BadValue', `at most ${anchorBatchMemories} ids are anchored at once`)
    }
    for (const id of ids ?? []) requireId(id)
    const chosen = ids === undefined ? undefined : new Set(ids)
    const path = graphPath(call.db, call.target)
    const requested = await proofsOf(call).anchor(
      path,
      graphPrograms(call, call.db, call.target),
      chosen,
    )
    return reply((out) => writeFields(out, requested))
  },
})

export const proofRows = [verifyMemory, verifyMemories, verifyGraph, exportEvidence, anchorGraph]

function requireId(id: string): void {
  if (id.length > 0 && id.length <= memoryIdCharsMax) return
  throw fail('BadValue', `an id has 1 to ${memoryIdCharsMax} characters`)
}

function proofsOf({ services }: Pick<Call<unknown, unknown>, 'services'>): Proofs {
  const { proofs } = services
  if (!(proofs instanceof Proofs)) throw noChain()
  return proofs
}

function writeVerdict(out: DocumentWriter, { warnings, ...verdict }: Verdict): void {
  writeFields(out, verdict)
  out.openArray('warnings')
  for (const [i, warning] of warnings.entries()) out.string(String(i), warning)
  out.close()
}

/** What badges need; the key of the graph and the addresses in an explorer are there once. */
function writeBrief(
  out: DocumentWriter,
  ids: readonly string[],
  verdicts: readonly Verdict[],
): void {
  const explorers = new Map<string, string>()
  out.openArray('results')
  for (const [i, { verified, problem, txHash, explorerUrl }] of verdicts.entries()) {
    if (txHash !== null && explorerUrl !== null) explorers.set(txHash, explorerUrl)
    writeFields(out.pushOpenDocument().string('id', ids[i] ?? ''), { verified, problem })
    out.close()
  }
  const graphKey = verdicts.find((one) => one.graphKey !== null)?.graphKey ?? null
  writeField(out.close(), 'graphKey', graphKey)
  out.openArray('transactions')
  for (const [txHash, explorerUrl] of explorers) {
    writeFields(out.pushOpenDocument(), { txHash, explorerUrl })
    out.close()
  }
  out.close()
}

function writeGraphVerdict(out: DocumentWriter, verdict: GraphVerdict): void {
  const { problems, lateIds, progress, cursor, ...rest } = verdict
  writeFields(out, rest)
  out.openArray('problems')
  for (const { id, problem } of problems) {
    out.pushOpenDocument().string('id', id).string('problem', problem).close()
  }
  out.close().openArray('lateIds')
  for (const [i, id] of lateIds.entries()) out.string(String(i), id)
  out.close().openDocument('progress')
  writeFields(out, progress)
  writeField(out.close(), 'cursor', cursor)
}

/** Writes texts, booleans and whole numbers. */
function writeFields(out: DocumentWriter, fields: object): void {
  for (const [name, value] of Object.entries(fields)) writeField(out, name, value)
}

function writeField(writer: DocumentWriter, name: string, value: unknown): void {
  if (value === null) writer.null(name)
  else if (typeof value === 'boolean') writer.bool(name, value)
  else if (typeof value === 'number') writer.int64(name, value)
  else writer.string(name, String(value))
}
