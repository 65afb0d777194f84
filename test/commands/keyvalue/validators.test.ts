// A validator on the collection of a key-value database holds for its commands too: one that only
// warns is heard of in the log, once a program, and the write goes through.

import t from 'tap'
import type { Log } from '../../../src/base/log.js'
import { readSettings } from '../../../src/base/settings.js'
import { findNamespace, saveNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import { documentFrom } from '../../../src/value/literal.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'

const database = readSettings({}).DATABASE

async function validate({ store }: KeyValueRoom, validationAction: string): Promise<void> {
  const options = documentFrom({ validator: { type: 'string' }, validationAction })
  await store.write(function* (tx) {
    const ns = yield* findNamespace(tx, database, 'kv0')
    if (ns !== undefined) saveNamespace(tx, { ...ns, options })
  })
}

const lines: object[] = []
const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (line: object) => lines.push(line),
  error: () => {},
}

await eachKeyValueRoom(
  t,
  'a validator that only warns is heard of in the log',
  async (t, room) => {
    await validate(room, 'warn')
    lines.length = 0
    t.equal(await room.line('SET a 1'), 'OK')
    t.equal(await room.line('MSET a 2 b 3'), 'OK')
    t.equal(await room.line('INCR a'), 3)
    t.same(lines, [], 'of what it takes nothing is said')
    const replies = await Promise.all([room.line('RPUSH l x'), room.line('SADD s x')])
    t.same(replies, [1, 1])
    t.same(lines, [{ command: 'rpush', ns: `${database}.kv0`, connection: 1 }])
    t.same(await room.line('LRANGE l 0 -1'), ['x'])
  },
  { log },
)

await eachKeyValueRoom(
  t,
  'a validator that refuses holds for every way to write',
  async (t, room) => {
    await validate(room, 'error')
    const refused = { error: /Document failed validation/ }
    t.match(await room.line('RPUSH l x'), refused)
    t.equal(await room.line('EXISTS l'), 0)
    t.equal(await room.line('SET a 1'), 'OK')
    t.match(await room.line('HSET a2 f v'), refused)
  },
)
