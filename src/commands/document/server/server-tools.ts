// Commands of administrators' tools about a standalone server, in MongoDB's reply forms. Where
// Sigil has nothing of the kind, the reply is empty.

import { fail } from '../../../base/errors.js'
import { referenceCompatibilityVersion } from '../../../base/product.js'
import { anyValue, bool, ignored, string, withDefault } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { bareRow } from '../arguments.js'

/** The machine part of an ObjectId; Sigil uses random bytes there. */
const machineOfIds = 0

const features = documentRow({
  name: 'features',
  ...plain,
  grain: 'local',
  access: 'anonymous',
  target: anyValue,
  params: { oidReset: ignored },
  help: 'Reports that the server runs no JavaScript.',
  run: () => reply((writer) => writer.int32('oidMachine', machineOfIds)),
})

const lockInfo = documentRow({
  name: 'lockInfo',
  ...plain,
  grain: 'local',
  access: 'operator',
  adminOnly: true,
  target: anyValue,
  params: { includeStorageEngineDump: ignored },
  help: 'Lists held locks: none, because commands take no locks.',
  run: () => reply((writer) => writer.openArray('lockInfo').close()),
})

const connPoolStats = bareRow({
  name: 'connPoolStats',
  access: 'operator',
  help: 'Counts connections to other members of a replica set. A standalone server has none.',
  run: () =>
    reply((writer) => {
      writer.int32('numClientConnections', 0).int32('numAScopedConnections', 0)
      for (const name of ['InUse', 'Available', 'Leased', 'Created', 'Refreshing']) {
        writer.int32(`total${name}`, 0)
      }
      writer.openDocument('pools').close().openDocument('hosts').close()
      writer.openDocument('replicaSets').close()
    }),
})

const shardingState = bareRow({
  name: 'shardingState',
  access: 'identity',
  adminOnly: true,
  help: 'Reports that the server is not part of a sharded cluster.',
  run: () => reply((writer) => writer.bool('enabled', false)),
})

const setFeatureCompatibilityVersion = documentRow({
  name: 'setFeatureCompatibilityVersion',
  ...plain,
  grain: 'local',
  access: 'operator',
  adminOnly: true,
  target: string,
  params: { confirm: withDefault(bool, false), fromConfigServer: ignored },
  help: 'Accepts the version in force and no other.',
  run: ({ target: version, args }) => {
    if (version !== referenceCompatibilityVersion) {
      const expected = `expected '${referenceCompatibilityVersion}'`
      const text = `Invalid feature compatibility version value '${version}'; ${expected}`
      throw fail('Location4926900', text)
    }
    if (!args.confirm) {
      const text =
        "Please re-run this command with 'confirm: true' to acknowledge that there is no way back"
      throw fail('Location7369100', text)
    }
    return reply()
  },
})

const shutdown = documentRow({
  name: 'shutdown',
  ...plain,
  grain: 'local',
  access: 'operator',
  adminOnly: true,
  target: anyValue,
  params: { force: ignored, timeoutSecs: ignored },
  help: 'Stops Sigil. Requests in flight are finished first.',
  run: ({ services }) => {
    const { shutdown: stop } = services
    if (stop === undefined) throw fail('CommandNotSupported', 'this server is not to be stopped')
    stop()
    return reply()
  },
})

export const serverToolRows = [
  features,
  lockInfo,
  connPoolStats,
  shardingState,
  setFeatureCompatibilityVersion,
  shutdown,
]
