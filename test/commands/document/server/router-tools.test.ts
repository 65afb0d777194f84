// What a router tells tools of its cluster, and what a server of another topology answers.

import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import type { Topology } from '../../../../src/base/setting-kinds.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom } from '../../../support/command-room.js'

function open(topology: Topology): CommandRoom {
  const places = () => ({
    ...{ host: 'db', wire: 'db:27017', http: '', isTls: false, database: 'main' },
    ports: { http: 0, wire: 27_017, redis: 0, sql: 0 },
  })
  return new CommandRoom(openMemoryStore(), systemClock, { services: { topology, places } })
}

const shard = { _id: 'sigil', host: 'sigil/db:27017', state: 1 }

t.test('a router has one shard', async (t) => {
  const room = open('router')
  t.match(await room.run({ listShards: 1 }, 'admin'), { shards: [shard], ok: 1 })
  const batch = async (command: Readonly<Record<string, unknown>>) => {
    const { cursor } = (await room.run(command, 'config')) as {
      cursor: { firstBatch: readonly unknown[] }
    }
    return cursor.firstBatch
  }
  t.match(await batch({ find: 'shards' }), [shard])
  t.match(await batch({ find: 'shards', filter: { state: 0 } }), [])
  t.match(await batch({ find: 'version' }), [{ _id: 1 }])
  const counted = [{ $match: { state: 1 } }, { $count: 'n' }]
  t.same(await batch({ aggregate: 'shards', pipeline: counted, cursor: {} }), [{ n: 1 }])
  t.match(await room.run({ count: 'shards' }, 'config'), { n: 1 })
  t.match(await room.run({ distinct: 'shards', key: '_id' }, 'config'), { values: ['sigil'] })
  t.match(await room.run({ isdbgrid: 1 }, 'admin'), { isdbgrid: 1, ok: 1 })
  t.match(await room.run({ balancerStatus: 1 }, 'admin'), { mode: 'off' })
  t.match(await room.run({ getDefaultRWConcern: 1 }, 'admin'), {
    defaultReadConcern: { level: 'local' },
    defaultWriteConcern: { w: 'majority', wtimeout: 0 },
  })
  t.equal((await room.refusal({ setDefaultRWConcern: 1 }, 'admin')).code, 115)
  t.equal((await room.refusal({ shardCollection: 'a.b' }, 'admin')).code, 115)
})

t.test('other servers know nothing of shards', async (t) => {
  for (const topology of ['standalone', 'replica-set:rs0'] as const) {
    const room = open(topology)
    for (const name of ['listShards', 'isdbgrid', 'balancerStatus']) {
      const { code, message } = await room.refusal({ [name]: 1 }, 'admin')
      t.same([code, message], [59, `no such command: '${name}'`], topology)
    }
    t.match(await room.run({ count: 'shards' }, 'config'), { n: 0 }, topology)
  }
  const standalone = await open('standalone').refusal({ getDefaultRWConcern: 1 }, 'admin')
  t.equal(standalone.code, 51_300)
})
