// Commands that describe the server. Drivers and shells send them at start and branch on the
// replies, so the minima of the document protocol are all here.

import { arch, cpus, hostname, release, totalmem, type } from 'node:os'
import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { productName, referenceVersion, referenceVersionArray } from '../../../base/product.js'
import { ignored, string, wholeNumber } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Field } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { topKinds } from '../../../bus/policy/meters.js'
import { bareRow } from '../arguments.js'

const ping = bareRow({
  name: 'ping',
  access: 'anonymous',
  stable: true,
  help: 'Replies without effect.',
  run: () => reply(),
})

const buildInfo = bareRow({
  name: 'buildInfo',
  aliases: ['buildinfo'],
  access: 'anonymous',
  help: 'Returns the version of the reference server and that of Sigil.',
  run: (call) =>
    reply((writer) => {
      writer.string('version', referenceVersion).string('gitVersion', 'unknown')
      writer.openArray('modules').close().string('allocator', 'system')
      writer.string('javascriptEngine', 'none').string('sysInfo', 'deprecated')
      writer.openArray('versionArray')
      for (const [index, part] of referenceVersionArray.entries()) writer.int32(String(index), part)
      writer.close().openDocument('openssl').close()
      writer.openDocument('buildEnvironment').close()
      writer.int32('bits', 64).bool('debug', false).int32('maxBsonObjectSize', documentBytesMax)
      writer.openArray('storageEngines').string('0', 'lmdb').string('1', 'memory').close()
      writer.openDocument('product').string('name', productName)
      writer.string('version', call.services.version).close()
    }),
})

const hostInfo = bareRow({
  name: 'hostInfo',
  access: 'operator',
  help: 'Describes the machine.',
  run: (call) =>
    reply((writer) => {
      const processors = cpus()
      const memory = Math.round(totalmem() / (1024 * 1024))
      writer.openDocument('system').date('currentTime', call.now).string('hostname', hostname())
      writer.int32('cpuAddrSize', 64).int64('memSizeMB', memory).int64('memLimitMB', memory)
      writer.int32('numCores', processors.length).string('cpuArch', arch())
      writer.bool('numaEnabled', false).close()
      writer.openDocument('os').string('type', type()).string('name', type())
      writer.string('version', release()).close()
      writer
        .openDocument('extra')
        .string('cpuString', processors[0]?.model ?? '')
        .close()
    }),
})

const whatsMyUri = bareRow({
  name: 'whatsmyuri',
  access: 'anonymous',
  help: 'Returns the remote address of the caller.',
  run: (call) => reply((writer) => writer.string('you', call.session.remoteAddress)),
})

const getCmdLineOpts = bareRow({
  name: 'getCmdLineOpts',
  access: 'operator',
  adminOnly: true,
  help: 'For tools: returns no settings.',
  run: () =>
    reply((writer) => {
      writer.openArray('argv').string('0', 'sigil').close().openDocument('parsed').close()
    }),
})

const listCommands = bareRow({
  name: 'listCommands',
  access: 'identity',
  help: 'Lists every command with its documentation.',
  run: (call) =>
    reply((writer) => {
      writer.openDocument('commands')
      for (const { name, help, access } of call.bus.rows) {
        writer
          .openDocument(name)
          .string('help', help)
          .bool('requiresAuth', access !== 'anonymous')
        writer.close()
      }
      writer.close()
    }),
})

/** A text; null counts as missing. */
const required: Field<string> = {
  ...string,
  bind: (where) => {
    const read = string.bind(where)
    return (value) => {
      if (!value.isNullish) return read(value)
      const text = `BSON field '${where}' is missing but a required field`
      throw fail('Location40414', text)
    }
  },
}

const logNames: readonly string[] = ['global', 'startupWarnings']

const getLog = documentRow({
  name: 'getLog',
  ...plain,
  grain: 'local',
  access: 'operator',
  adminOnly: true,
  target: required,
  params: {},
  help: 'For shells: returns no lines, because the log goes to standard error.',
  run: (call) =>
    reply((writer) => {
      if (call.target === '*') {
        writer.openArray('names')
        for (const [index, name] of logNames.entries()) writer.string(String(index), name)
        writer.close()
        return
      }
      if (!logNames.includes(call.target)) {
        throw fail('OperationFailed', `No log named '${call.target}'`)
      }
      writer.int32('totalLinesWritten', 0).openArray('log').close()
    }),
})

const top = bareRow({
  name: 'top',
  access: 'operator',
  adminOnly: true,
  help: 'Returns counts and durations of reads and writes of recently used collections.',
  run: ({ bus }) =>
    reply((writer) => {
      writer.openDocument('totals').string('note', 'all times in microseconds')
      for (const [name, use] of bus.namespaces.entries()) {
        const times = topKinds.map((kind) => [kind, use.spent(kind)] as const)
        const locks = [
          ['readLock', use.latencyOf('reads')],
          ['writeLock', use.latencyOf('writes')],
        ] as const
        writer.openDocument(name)
        for (const [kind, { micros, count }] of [
          ['total', use.total],
          ...locks,
          ...times,
        ] as const) {
          writer.openDocument(kind).int64('time', micros).int64('count', count).close()
        }
        writer.close()
      }
      writer.close()
    }),
})

const profile = documentRow({
  name: 'profile',
  ...plain,
  grain: 'local',
  access: 'operator',
  target: wholeNumber,
  params: { slowms: ignored, sampleRate: ignored, filter: ignored },
  help: 'Reports that profiling is off. The setting SLOW_COMMAND_MS logs slow commands.',
  run: ({ target: level, services }) => {
    if (level > 0) {
      const text = 'profiling is not supported: slow commands are logged (SLOW_COMMAND_MS)'
      throw fail('CommandNotSupported', text)
    }
    return reply((writer) => {
      writer.int32('was', 0).int32('slowms', services.slowCommandMs).double('sampleRate', 1)
    })
  },
})

export const serverInfoRows = [
  ping,
  buildInfo,
  hostInfo,
  whatsMyUri,
  getCmdLineOpts,
  listCommands,
  getLog,
  top,
  profile,
]
