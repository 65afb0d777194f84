// First stages that create documents from the state of the process: statistics of a collection or
// its indexes, running commands, sessions.

import { hostname } from 'node:os'
import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import {
  array,
  bool,
  optional,
  safeInt,
  structure,
  typeName,
  withDefault,
} from '../../../bus/document/params.js'
import { Schema } from '../../../bus/document/schema.js'
import { keptIdIndex, secondaryIndexes } from '../../../engine/collection/kinds/capped-order.js'
import { idIndexName, idIndexSpecOf } from '../../../engine/index/index-spec.js'
import type { PipelineEnvironment, Provider } from '../../../engine/sources/pipeline-source.js'
import { field, fieldsOf } from '../../../value/elements.js'
import {
  binaryValue,
  boolOf,
  bsonType,
  type Document,
  documentOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { collStatsDocument, requireScale } from '../collections/figures.js'
import {
  idleConnectionDocuments,
  idleCursorDocuments,
  idleSessionDocuments,
  operationDocuments,
} from '../server/operations.js'

type StageCall = Pick<
  Call<unknown, string | undefined>,
  'db' | 'target' | 'bus' | 'session' | 'services' | 'engine' | 'now' | 'owner'
>

/** The stages that a command can answer, for the pipeline of `call`. */
export function stageProviders(call: StageCall): NonNullable<PipelineEnvironment['providers']> {
  return {
    collStats: collStats(call),
    indexStats: indexStats(call),
    planCacheStats: planCacheStats(call),
    geoNear: geoNear(call),
    *currentOp(_tx, _ns, plan) {
      const asked = currentOpOf(plan.spec)
      const which = asked.has('allUsers') ? 'visible' : 'own'
      return [
        ...operationDocuments(call, which),
        ...(asked.has('idleConnections') ? idleConnectionDocuments(call, which) : []),
        ...(asked.has('idleCursors') ? idleCursorDocuments(call, which) : []),
        ...(asked.has('idleSessions') ? idleSessionDocuments(call, which) : []),
      ]
    },
    listLocalSessions: sessions(call),
    listSessions: sessions(call),
  }
}

const collStatsSchema = new Schema('$collStats', {
  storageStats: optional(structure({ scale: withDefault(safeInt, 1) })),
  count: optional(structure({})),
  latencyStats: optional(structure({ histograms: withDefault(bool, false) })),
  queryExecStats: optional(structure({})),
})

function collStats(call: StageCall): Provider {
  return function* (tx, ns, plan) {
    const args = collStatsSchema.parse(documentOf(plan.spec))
    const name = `${call.db}.${call.target}`
    const asked = (['storageStats', 'count', 'queryExecStats'] as const).find((part) => args[part])
    if (ns === undefined && asked !== undefined) {
      const why = `Collection [${name}] not found.`
      const text = `Unable to retrieve ${asked} in $collStats stage :: caused by :: ${why}`
      throw fail('NamespaceNotFound', text)
    }
    return [
      yield* collStatsDocument(tx, ns, {
        name,
        storageScale: args.storageStats && requireScale(args.storageStats.scale),
        count: args.count !== undefined,
        latency: args.latencyStats,
        scans: args.queryExecStats !== undefined,
        use: call.target === undefined ? undefined : call.bus.namespaces.of(call.db, call.target),
        collectionScans: call.engine.indexUse.collectionScans(ns),
        now: call.now,
      }),
    ]
  }
}

/** The flags that are set; idleSessions is by default. The others concern nodes of a cluster. */
function currentOpOf(spec: Value): ReadonlySet<string> {
  const asked = new Set(['idleSessions'])
  for (const [name, value] of fieldsOf(spec)) {
    if (!currentOpFlags.has(name)) {
      throw fail('FailedToParse', `Unrecognized option '${name}' in $currentOp stage.`)
    }
    if (value.type !== bsonType.bool) {
      const found = typeName(value.type)
      const text = `The '${name}' parameter of the $currentOp stage must be a boolean value`
      throw fail('FailedToParse', `${text}, but found: ${found}`)
    }
    if (boolOf(value)) asked.add(name)
    else asked.delete(name)
  }
  return asked
}

const currentOpFlags: ReadonlySet<string> = new Set([
  ...['allUsers', 'idleConnections', 'idleCursors', 'idleSessions', 'localOps', 'truncateOps'],
  ...['targetAllNodes', 'backtrace'],
])

const sessionsSchema = new Schema('$listSessions', {
  allUsers: withDefault(bool, false),
  users: optional(array),
})

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
    const others = secondaryIndexes(ns).map((index) =>
      line(index.name, index.spec, indexUse.operations(index)),
    )
    if (ns.timeSeries !== undefined) return others
    return [
      line(idIndexName, idIndexSpecOf(ns.collation), indexUse.operations(keptIdIndex(ns) ?? ns)),
      ...others,
    ]
  }
}

function planCacheStats(call: StageCall): Provider {
  const { choices } = call.engine.indexUse
  return function* (_tx, ns) {
    if (ns === undefined) {
      throw fail('Location50933', `collection '${call.db}.${call.target}' does not exist`)
    }
    return [...choices.stats(ns.id, ns.version, hostname())]
  }
}

function geoNear(call: StageCall): Provider {
  return function* (_tx, ns) {
    if (ns === undefined) {
      const why = `${call.db}.${call.target} does not exist`
      throw fail('NamespaceNotFound', `$geoNear requires a geo index to run, but ${why}`)
    }
    throw fail('IndexNotFound', '$geoNear requires a 2d or 2dsphere index, but none were found')
  }
}

/** Sessions are not stored; these are the sessions of running commands and open cursors. */
function sessions(call: StageCall): Provider {
  return function* (_tx, _ns, plan) {
    const { allUsers, users } = sessionsSchema.parse(documentOf(plan.spec))
    if (allUsers && users !== undefined) {
      const text = `${plan.name} may not specify {allUsers:true} and {users:[...]} at the same time`
      throw fail('UnsupportedFormat', text)
    }
    const lastUse = new Map<string, number>()
    if (call.session.identity.kind === 'anonymous') return []
    // The operator sees all sessions; other callers only their own.
    const isForAll = allUsers && call.session.identity.kind === 'operator'
    const note = (lsid: string | undefined, owner: string, ms: number): void => {
      if (lsid === undefined || (owner !== call.owner && !isForAll)) return
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
