// First stages that make documents out of what the process knows: statistics of a collection or its
// indexes, commands at work, sessions in use.

import { hostname } from 'node:os'
import { fail } from '../../base/errors.js'
import type { Call } from '../../bus/call.js'
import { bool, ignored, optional, structure, wholeNumber, withDefault } from '../../bus/params.js'
import { Schema } from '../../bus/schema.js'
import { idIndexName, idIndexSpec } from '../../engine/index-spec.js'
import type { PipelineEnvironment, Provider } from '../../engine/pipeline-source.js'
import { field } from '../../value/elements.js'
import { binaryValue, type Document, documentOf } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { operationDocuments } from '../admin/operations.js'
import { collStatsDocument } from './figures.js'

type StageCall = Pick<
  Call<unknown, string | undefined>,
  'db' | 'target' | 'bus' | 'session' | 'services' | 'engine' | 'now' | 'owner'
>

/** The stages that a command answers, for the pipeline of `call`. */
export function stageProviders(call: StageCall): NonNullable<PipelineEnvironment['providers']> {
  return {
    collStats: collStats(call),
    indexStats: indexStats(call),
    *currentOp() {
      return operationDocuments(call)
    },
    listLocalSessions: sessions(call),
    listSessions: sessions(call),
  }
}

const collStatsSchema = new Schema('$collStats', {
  storageStats: optional(structure({ scale: withDefault(wholeNumber, 1) })),
  count: optional(structure({})),
  latencyStats: optional(structure({ histograms: withDefault(bool, false) })),
  queryExecStats: ignored,
})

function collStats(call: StageCall): Provider {
  return function* (tx, ns, plan) {
    if (ns === undefined) {
      const why = `Collection [${call.db}.${call.target}] not found.`
      const text = `Unable to retrieve storageStats in $collStats stage :: caused by :: ${why}`
      throw fail('NamespaceNotFound', text)
    }
    const args = collStatsSchema.parse(documentOf(plan.spec))
    return [
      yield* collStatsDocument(tx, ns, {
        storageScale: args.storageStats?.scale,
        count: args.count !== undefined,
        latency: args.latencyStats !== undefined,
        now: call.now,
      }),
    ]
  }
}

function indexStats(call: StageCall): Provider {
  const { indexUse } = call.engine
  const line = (name: string, spec: Document, operations: number): Document =>
    writeDocument((writer) => {
      const key = field(spec, 'key')
      writer.string('name', name)
      if (key !== undefined) writer.value('key', key)
      writer.string('host', hostname()).openDocument('accesses').int64('ops', operations)
      writer.date('since', indexUse.sinceMs).close().document('spec', spec)
    })
  return function* (_tx, ns) {
    if (ns === undefined) return []
    const others = ns.indexes.map((index) =>
      line(index.name, index.spec, indexUse.operations(index)),
    )
    return [line(idIndexName, idIndexSpec, indexUse.operations(ns)), ...others]
  }
}

/** Sessions are not kept; those in use are the ones of commands at work and of open cursors. */
function sessions(call: StageCall): Provider {
  return function* () {
    const lastUse = new Map<string, number>()
    if (call.session.identity.kind === 'anonymous') return []
    const note = (lsid: string | undefined, owner: string, ms: number): void => {
      if (lsid === undefined || owner !== call.owner) return
      lastUse.set(lsid, Math.max(lastUse.get(lsid) ?? 0, ms))
    }
    for (const other of call.bus.inFlight()) note(other.lsid, other.owner, other.now)
    for (const { meta, lastUsedAt } of call.engine.cursors.list()) {
      note(meta.lsid, meta.owner, lastUsedAt)
    }
    return [...lastUse].map(([lsid, ms]) =>
      writeDocument((writer) => {
        const id = binaryValue(uuidSubtype, Buffer.from(lsid, 'hex'))
        writer.openDocument('_id').value('id', id).close().date('lastUse', ms)
      }),
    )
  }
}

const uuidSubtype = 4
