// What tools ask a router about its cluster: one shard, which is this server. `config.shards` and
// `config.version` are made when they are read. A standalone server does not know the commands.

import { hostname } from 'node:os'
import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import { anyValue, ignored } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import type { Services } from '../../../bus/services.js'
import { type Document, objectIdValue, timestampValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { bareRow } from '../arguments.js'

type AnyCall = Call<unknown, unknown>

const shardName = 'sigil'

/** Of a cluster that has never changed. */
const firstTime = timestampValue(0, 1)

const listShards = bareRow({
  name: 'listShards',
  access: 'identity',
  adminOnly: true,
  help: 'Lists the only shard of a router, this server.',
  run: (call) => {
    requireRouter(call)
    return reply((writer) => {
      writer.openArray('shards').pushDocument(shardDocument(call)).close()
    })
  },
})

const isRouter = bareRow({
  name: 'isdbgrid',
  access: 'anonymous',
  help: 'For tools that look for a router.',
  run: (call) => {
    requireRouter(call)
    return reply((writer) => writer.int32('isdbgrid', 1).string('hostname', hostname()))
  },
})

const balancerStatus = bareRow({
  name: 'balancerStatus',
  access: 'identity',
  adminOnly: true,
  help: 'Reports that nothing is moved between shards.',
  run: (call) => {
    requireRouter(call)
    return reply((writer) => {
      writer.string('mode', 'off').bool('inBalancerRound', false).int64('numBalancerRounds', 0)
    })
  },
})

const getDefaultRWConcern = documentRow({
  name: 'getDefaultRWConcern',
  ...plain,
  grain: 'local',
  access: 'identity',
  adminOnly: true,
  target: anyValue,
  params: { inMemory: ignored },
  help: 'Returns the concerns of commands that give none; a standalone server refuses it.',
  run: (call) => {
    requireClustered(call, 'getDefaultRWConcern')
    return reply((writer) => {
      writer.openDocument('defaultReadConcern').string('level', 'local').close()
      writer.openDocument('defaultWriteConcern').string('w', 'majority')
      writer.int32('wtimeout', 0).close()
      writer.string('defaultWriteConcernSource', 'implicit')
      writer.string('defaultReadConcernSource', 'implicit')
    })
  },
})

const setDefaultRWConcern = bareRow({
  name: 'setDefaultRWConcern',
  access: 'operator',
  adminOnly: true,
  ignoresUnknown: true,
  help: 'Refused; the reply gives the reason.',
  run: (call) => {
    requireClustered(call, 'setDefaultRWConcern')
    const text = 'setDefaultRWConcern is not supported: the setting DURABILITY decides for all'
    throw fail('CommandNotSupported', text)
  },
})

/** The documents of a collection about the cluster; undefined for an ordinary collection. */
export function clusterDocuments(call: {
  readonly db: string
  readonly target: string | undefined
  readonly services: Pick<Services, 'topology' | 'processId' | 'places'>
}): Document[] | undefined {
  if (call.db !== 'config' || call.services.topology !== 'router') return undefined
  if (call.target === 'shards') return [shardDocument(call)]
  if (call.target !== 'version') return undefined
  const { processId } = call.services
  return [
    writeDocument((writer) => {
      writer.int32('_id', 1)
      if (processId !== undefined) writer.value('clusterId', objectIdValue(processId))
    }),
  ]
}

function shardDocument({ services }: { readonly services: Pick<Services, 'places'> }): Document {
  const address = services.places?.().wire ?? ''
  return writeDocument((writer) => {
    writer.string('_id', shardName).string('host', `${shardName}/${address}`).int32('state', 1)
    writer.value('topologyTime', firstTime)
  })
}

function requireRouter({ services, command }: AnyCall): void {
  if (services.topology === 'router') return
  throw fail('CommandNotFound', `no such command: '${command}'`)
}

function requireClustered({ services }: AnyCall, name: string): void {
  if ((services.topology ?? 'standalone') !== 'standalone') return
  throw fail('Location51300', `'${name}' is not supported on standalone nodes.`)
}

export const routerToolRows = [
  listShards,
  isRouter,
  balancerStatus,
  getDefaultRWConcern,
  setDefaultRWConcern,
]
