// serverStatus: figures for monitoring tools, from counters that exist anyway. Sections that would
// be guesses are omitted.

import { hostname } from 'node:os'
import { productName, referenceVersion } from '../../../base/product.js'
import type { Counters } from '../../../bus/document/bus-view.js'
import { reply } from '../../../bus/document/reply.js'
import type { ConnectionCounts } from '../../../bus/services.js'
import type { Engine } from '../../../engine/engine.js'
import { isAdministrator, strictRules } from '../../../identity/rights/allow.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { bareRow } from '../arguments.js'

const bytesPerMiB = 1024 * 1024

const serverStatus = bareRow({
  name: 'serverStatus',
  access: 'identity',
  // Callers select sections by name. All sections here are cheap, so the selection is ignored.
  ignoresUnknown: true,
  help:
    'For administrators, counts connections, commands and memory since the start. Others ' +
    'get the version and the uptime.',
  run: (call) => {
    const { clock, connections, version } = call.services
    const { counters } = call.bus
    const upMs = Math.round(clock.elapsed() - counters.startedMs)
    const { rules = strictRules } = call.services
    if (!isAdministrator(call.identity, rules)) {
      return reply((writer) => {
        writer.string('version', referenceVersion).string('process', 'mongod')
        writer.double('uptime', Math.floor(upMs / 1000)).int64('uptimeMillis', upMs)
        writer.date('localTime', call.now)
        writer.openDocument('product').string('name', productName)
        writer.string('version', version).close()
      })
    }
    return reply((writer) => {
      writer
        .string('host', hostname())
        .string('version', referenceVersion)
        .string('process', 'mongod')
      writer.int64('pid', process.pid).double('uptime', Math.floor(upMs / 1000))
      writer.int64('uptimeMillis', upMs).int64('uptimeEstimate', Math.floor(upMs / 1000))
      writer.date('localTime', call.now)
      writeConnections(writer, connections(), [...call.bus.inFlight()].length)
      const active = [...call.bus.inFlight()]
      writeOperations(writer, counters, connections())
      writeMonitored(writer, counters, upMs, active.length)
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
      writer.openDocument('mem').int32('bits', 64)
      writer.int32('resident', Math.round(rss / bytesPerMiB))
      writer.int32('virtual', Math.round((rss + external) / bytesPerMiB))
      writer.bool('supported', true).close()
      writer.openDocument('extra_info').string('note', 'fields vary by platform')
      writer.int64('heap_usage_bytes', heapUsed).int64('page_faults', pageFaults()).close()
      writeMetrics(writer, counters, call.engine)
      writeTransactions(writer, call.engine.transactions)
      const { type, sizeBytes } = call.engine.store.stats()
      writeCache(writer, heapTotal, heapUsed)
      writer.openDocument('storageEngine').string('name', type.toLowerCase())
      writer
        .bool('persistent', type !== 'InMemory')
        .int64('sizeBytes', sizeBytes)
        .close()
      writer.openDocument('product').string('name', productName).string('version', version).close()
    })
  },
})

function writeTransactions(writer: DocumentWriter, { size, counts }: Engine['transactions']): void {
  let aborted = 0
  for (const count of counts.aborted.values()) aborted += count
  writer.openDocument('transactions').int64('currentOpen', size)
  writer.int64('totalStarted', counts.begun).int64('totalCommitted', counts.committed)
  writer.int64('totalAborted', aborted).close()
}

function writeConnections(writer: DocumentWriter, counts: ConnectionCounts, active: number): void {
  writer.openDocument('connections').int32('current', counts.current)
  writer.int32('available', counts.available).int32('totalCreated', counts.totalCreated)
  writer.int32('active', active).close()
}

function writeOperations(
  writer: DocumentWriter,
  { operations, commands }: Counters,
  { bytesIn = 0, bytesOut = 0 }: ConnectionCounts,
): void {
  let requests = 0
  for (const { total } of commands.values()) requests += total
  writer.openDocument('network').int64('bytesIn', bytesIn).int64('bytesOut', bytesOut)
  writer.int64('physicalBytesIn', bytesIn).int64('physicalBytesOut', bytesOut)
  writer.int64('numRequests', requests).close()
  writer.openDocument('opcounters')
  for (const [kind, count] of Object.entries(operations)) writer.int64(kind, count)
  writer.close()
  writer.openDocument('opcountersRepl')
  for (const kind of Object.keys(operations)) writer.int64(kind, 0)
  writer.close()
}

/**
 * Figures that monitors divide by. Sigil has no locks, so every wait is 0. A command counts as one
 * acquisition, for the read or the write that it is, because tools take these for the load.
 */
function writeMonitored(writer: DocumentWriter, counters: Counters, upMs: number, active: number) {
  let failures = 0
  for (const count of Object.values(counters.failures)) failures += count
  writer.openDocument('asserts')
  for (const kind of assertKinds) writer.int32(kind, kind === 'user' ? failures : 0)
  writer
    .close()
    .openDocument('globalLock')
    .int64('totalTime', Math.round(upMs * 1000))
  writeClients(writer, 'currentQueue', 0)
  writeClients(writer, 'activeClients', active)
  writer.close().openDocument('locks')
  const { insert, update, delete: removed, query, getmore, command } = counters.operations
  writeLocks(writer, { r: query + getmore + command, w: insert + update + removed })
  writer.close()
}

/** The locks that MongoDB takes for a command, each acquired as often as `counts` says. */
export function writeLocks(writer: DocumentWriter, counts: Readonly<Record<string, number>>): void {
  for (const name of lockNames) {
    writer.openDocument(name).openDocument('acquireCount')
    for (const [mode, count] of Object.entries(counts)) writer.int64(mode, count)
    writer.close().close()
  }
}

const assertKinds = ['regular', 'warning', 'msg', 'user', 'tripwire', 'rollovers'] as const
export const lockNames = ['Global', 'Database', 'Collection'] as const

function writeClients(writer: DocumentWriter, name: string, total: number): void {
  writer.openDocument(name).int32('total', total).int32('readers', total)
  writer.int32('writers', 0).close()
}

/** The figures of WiredTiger that tools show; the heap stands for its cache. */
function writeCache(writer: DocumentWriter, bytesMax: number, bytes: number): void {
  writer.openDocument('wiredTiger').openDocument('cache')
  writer.int64('bytes currently in the cache', bytes).int64('maximum bytes configured', bytesMax)
  writer.int64('tracked dirty bytes in the cache', 0).int64('bytes read into cache', 0)
  writer.int64('bytes written from cache', 0).close()
  writer.openDocument('concurrentTransactions')
  for (const kind of ['read', 'write'] as const) {
    writer.openDocument(kind).int32('out', 0).int32('available', ticketsMax)
    writer.int32('totalTickets', ticketsMax).close()
  }
  writer.close().close()
}

/** Operations that may run at once, in MongoDB's terms. */
const ticketsMax = 128

function pageFaults(): number {
  return process.resourceUsage().majorPageFault
}

function writeMetrics(writer: DocumentWriter, { commands }: Counters, engine: Engine): void {
  writer.openDocument('metrics').openDocument('commands')
  for (const [name, counts] of commands) {
    writer.openDocument(name).int64('failed', counts.failed).int64('total', counts.total)
    writer.double('totalMillis', counts.ms).close()
  }
  writer.close().openDocument('cursor').openDocument('open').int64('total', engine.cursors.size)
  writer.close().close()
  const { expired, rounds } = engine.documentExpiry
  writer.openDocument('ttl').int64('deletedDocuments', expired).int64('passes', rounds)
  writer.close().close()
}

export const serverStatusRows = [serverStatus]
