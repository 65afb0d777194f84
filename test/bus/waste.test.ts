// What an owner drops gives the room of its quota back at once and is deleted behind: until then it
// counts, so that inserting and dropping in turns holds no more than twice the quota.

import t, { type Test } from 'tap'
import { GatewayError } from '../../src/base/errors.js'
import { Quotas } from '../../src/bus/quota.js'
import { Session } from '../../src/bus/session.js'
import { chunkGraceMs, GarbageJob } from '../../src/engine/background/garbage-job.js'
import { wasteKey } from '../../src/engine/background/waste.js'
import { checkStore } from '../../src/engine/check/check.js'
import { usageOf } from '../../src/engine/collection/counters.js'
import type { Identity } from '../../src/identity/identity.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { keyClass } from '../../src/store/layout.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { CommandRoom } from '../support/command-room.js'
import { jobParts, keysOfClasses, ManualClock } from '../support/engine-room.js'
import { eachKeyValueRoom } from '../support/key-value-room.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const quota = 2_000_000
const quotas = () =>
  new Quotas({
    ...{ storageBytes: quota, collections: 0, graphs: 0 },
    ...{ connections: 0, subscriptions: 0, commandMs: 0 },
  })

const revocation = {
  *check<T>(_tx: unknown, identity: T) {
    return identity
  },
} as never

const identity: Identity = {
  ...{ kind: 'key', source: 'issued', index: 0, rateLimit: 0 },
  ...{ permissions: ['read', 'write', 'admin'], address: alice, hash: 'a'.repeat(64) },
}

const wasteIn = async (store: Store) =>
  store.read(function* (tx) {
    return (yield* tx.count(wasteKey(alice))).bytes
  })

/** Deletes all that was given up; replaced values have their grace first. */
async function sweep(t: Test, store: Store, clock: ManualClock): Promise<void> {
  const job = new GarbageJob(jobParts(store, clock))
  while (await job.round()) {}
  clock.ms += chunkGraceMs + 1
  while (await job.round()) {}
  t.same(await keysOfClasses(store, keyClass.garbage), [])
  t.equal(await wasteIn(store), 0, 'no waste is left')
  t.same(await checkStore(store), [])
}

const ways: Record<string, readonly [fill: object[], empty: object]> = {
  drop: [[], { drop: 'c' }],
  'drop of a collection with an index': [
    [{ createIndexes: 'c', indexes: [{ key: { list: 1 }, name: 'l' }] }],
    { drop: 'c' },
  ],
  'large documents that are deleted': [[], { delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
  'indexes that are dropped': [
    [{ createIndexes: 'c', indexes: [{ key: { list: 1 }, name: 'l' }] }],
    { dropIndexes: 'c', index: 'l' },
  ],
}

for (const [name, [before, empty]] of Object.entries(ways)) {
  t.test(`${name}: what is left to delete is bounded`, async (t) => {
    const clock = new ManualClock()
    const store = openMemoryStore(clock)
    const services = { quotas: quotas(), revocation }
    const room = new CommandRoom(store, clock, { services })
    t.teardown(() => room.engine.close())
    const session = new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
    const code = async (command: object): Promise<number> => {
      try {
        const reply = await room.run({ ...command }, 'main', session)
        return reply.writeErrors === undefined ? 0 : Number(reply.writeErrors[0].code)
      } catch (error) {
        if (error instanceof GatewayError) return error.code
        throw error
      }
    }
    const fill = [
      ...before,
      {
        update: 'c',
        updates: [
          {
            q: { _id: 1 },
            u: { list: Array.from({ length: 2_000 }, (_, i) => i), text: 'x'.repeat(600_000) },
            upsert: true,
          },
        ],
      },
    ]
    let rounds = 0
    let answer = 0
    for (; rounds < 200 && answer === 0; rounds++) {
      for (const command of fill) if (answer === 0) answer = await code(command)
      if (answer !== 0) break
      answer = await code(empty)
      t.equal(answer, 0, 'giving up is never refused')
      const held = (await wasteIn(store)) + (await store.read((tx) => usageOf(tx, alice)))
      if (held > 2 * quota) t.fail(`${held} bytes are held`)
    }
    t.equal(answer, 8000, `refused in round ${rounds}`)
    t.ok(rounds > 2)
    const found = (await checkStore(store)).filter(({ text }) => /to delete/.test(text))
    t.same(found, [], 'each sum is what the records come to')
    await sweep(t, store, clock)
    await code(empty)
    for (const command of fill) t.equal(await code(command), 0, 'there is room again')
  })
}

t.test('large values that are refused, and updates that grow nothing, are bounded', async (t) => {
  const clock = new ManualClock()
  const store = openMemoryStore(clock)
  const room = new CommandRoom(store, clock, { services: { quotas: quotas(), revocation } })
  t.teardown(() => room.engine.close())
  const session = new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
  const put = (_id: number, digit: number) =>
    room.run(
      {
        update: 'c',
        updates: [{ q: { _id }, u: { text: String(digit).repeat(700_000) }, upsert: true }],
      },
      'main',
      session,
    )
  await put(1, 0)
  await put(2, 0)
  const chunks = async () => (await keysOfClasses(store, keyClass.chunk)).length
  const before = await chunks()
  let refused = 0
  for (let i = 0; i < 40; i++) {
    const failed = await put(i % 2 === 0 ? 3 : 1, i % 10).then(
      ({ writeErrors }) => writeErrors !== undefined,
      () => true,
    )
    if (failed) refused++
  }
  t.ok(refused > 30, `${refused} of 40`)
  const insert = { insert: 'new', documents: [{ _id: 1, text: 'x'.repeat(700_000) }] }
  for (let i = 0; i < 10; i++) {
    const failed = await room.run(insert, 'main', session).then(
      ({ writeErrors }) => writeErrors !== undefined,
      () => true,
    )
    t.ok(failed, 'nor into a collection that is not there yet')
  }
  t.ok((await chunks()) <= 3 * before, 'what is refused leaves nothing on the disk')
  await sweep(t, store, clock)
  t.equal((await put(1, 5)).writeErrors, undefined, 'there is room again')
})

t.test('keys with large members: what is left to delete is bounded', (t) =>
  eachKeyValueRoom(
    t,
    'keys',
    async (t, room) => {
      const client = room.client(identity)
      const oom = /^OOM |space quota/
      for (const empty of [['DEL', 'h'], ['FLUSHDB'], ['HSET', 'h', 'f', 'short']]) {
        let refused = ''
        let rounds = 0
        for (; rounds < 200 && refused === ''; rounds++) {
          for (const field of ['f', 'g', 'i', 'j']) {
            const set = await client.run('HSET', 'h', field, 'v'.repeat(300_000))
            if (typeof set === 'object') refused = (set as { error: string }).error
          }
          await client.run(...empty)
        }
        t.match(refused, oom, `${empty.join(' ')}: ${rounds} rounds`)
        await client.run('FLUSHDB')
        await sweep(t, room.store, room.clock)
        t.equal(await client.run('HSET', 'h', 'f', 'v'.repeat(300_000)), 1, 'there is room again')
      }
    },
    {
      kinds: ['memory'],
      settings: { SHARED_SPACES: 'own' },
      rights: { quotas: quotas(), revocation, rules: strictRules },
    },
  ),
)
