// What owners hold is counted in the transaction that changes it: documents, index entries, and
// what keys have beside their documents. Sums follow every change of a collection and of its owner,
// and a quota is met exactly.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { GatewayError } from '../../src/base/errors.js'
import { type QuotaLimits, Quotas } from '../../src/bus/quota.js'
import { Session } from '../../src/bus/session.js'
import { GarbageJob } from '../../src/engine/background/garbage-job.js'
import { checkStore } from '../../src/engine/check/check.js'
import { findNamespace } from '../../src/engine/collection/catalog/catalog.js'
import { countUsage, spaceOf, usageKey, usageOf } from '../../src/engine/collection/counters.js'
import type { Identity } from '../../src/identity/identity.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'
import { jobParts, ManualClock } from '../support/engine-room.js'
import { seed } from '../support/seed.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const bob = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

const noLimits: QuotaLimits = {
  ...{ storageBytes: 0, collections: 0, graphs: 0 },
  ...{ connections: 0, subscriptions: 0, commandMs: 0 },
}

const revocation = {
  *check<T>(_tx: unknown, identity: T) {
    return identity
  },
}

function sessionOf(address: string): Session {
  const key = { kind: 'key', source: 'issued', index: 0, rateLimit: 0 } as const
  const permissions = ['read', 'write', 'admin'] as const
  const identity: Identity = { ...key, address, hash: 'a'.repeat(64), permissions }
  return new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
}

function open(t: Test, storageBytes: number) {
  const clock = new ManualClock()
  const store = openMemoryStore(clock)
  const quotas = new Quotas({ ...noLimits, storageBytes })
  const room = new CommandRoom(store, clock, {
    services: { quotas, revocation: revocation as never },
  })
  t.teardown(() => room.engine.close())
  const sums = { alice: sessionOf(alice), bob: sessionOf(bob) }
  const code = async (command: Record<string, unknown>, session?: Session) => {
    try {
      const { writeErrors } = await room.run(command, 'main', session)
      return writeErrors === undefined ? 0 : Number(writeErrors[0].code)
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
  }
  const usage = async (owner: string): Promise<number> => store.read((tx) => usageOf(tx, owner))
  return { room, store, code, usage, ...sums }
}

t.test('entries count: forty multikey indexes fill a megabyte soon, and no more', async (t) => {
  const { code, usage, room, alice: mine } = open(t, 1_000_000)
  const indexes = Array.from({ length: 40 }, (_, i) => ({ key: { [`a${i}`]: 1 }, name: `a${i}` }))
  t.equal(await code({ createIndexes: 'c', indexes }, mine), 0)
  const values = Array.from({ length: 100 }, (_, i) => `value ${i}`)
  const arrays = Object.fromEntries(indexes.map(({ name }) => [name, values]))
  let accepted = 0
  let refused = 0
  for (let _id = 0; _id < 250; _id++) {
    const answer = await code({ insert: 'c', documents: [{ _id, ...arrays }] }, mine)
    if (answer === 0) accepted++
    else if (answer === 8000) refused++
  }
  t.equal(accepted + refused, 250)
  const held = await usage(alice)
  t.ok(held <= 1_000_000 && held > 700_000, `${held} bytes of ${accepted} documents`)
  t.ok(accepted > 0 && accepted < 10, `${accepted} of 250`)
  t.same(await checkStore(room.store), [])
})

t.test('an index build that would pass the quota is refused and leaves nothing', async (t) => {
  const { code, usage, room, alice: mine } = open(t, 200_000)
  const documents = Array.from({ length: 100 }, (_, _id) => ({
    _id,
    list: Array.from({ length: 60 }, (_, i) => _id * 1_000 + i),
  }))
  t.equal(await code({ insert: 'c', documents }, mine), 0)
  const before = await usage(alice)
  const indexes = [{ key: { list: 1 }, name: 'list_1' }]
  t.equal(await code({ createIndexes: 'c', indexes }, mine), 8000)
  t.equal(await usage(alice), before, 'what it had put is given back')
  const listed = await room.run({ listIndexes: 'c' }, 'main')
  t.same(
    listed.cursor.firstBatch.map(({ name }: { name: string }) => name),
    ['_id_'],
  )
  t.equal(await code({ createIndexes: 'c', indexes }), 0, 'the operator may')
  t.equal(await code({ insert: 'c', documents: [{ _id: 'more', list: [1] }] }, mine), 8000)
  t.equal(await code({ dropIndexes: 'c', index: 'list_1' }, mine), 0)
  t.equal(await usage(alice), before)
  const job = new GarbageJob(jobParts(room.store, new ManualClock()))
  while (await job.round()) {}
  t.equal(await code({ insert: 'c', documents: [{ _id: 'more', list: [1] }] }, mine), 0)
})

t.test('sums follow every change of a collection and of its owner', async (t) => {
  const step = fc.record({
    what: fc.constantFrom(
      ...['insert', 'insert', 'update', 'remove', 'index', 'unindex', 'drop', 'out', 'rename'],
      ...['give', 'capped', 'clone', 'large', 'merge'],
    ),
    name: fc.constantFrom('a', 'b', 'c'),
    other: fc.constantFrom('a', 'b', 'c'),
    number: fc.nat(5),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { code, room, store, usage, alice: mine, bob: theirs } = open(t, 0)
      for (const [i, { what, name, other, number }] of steps.entries()) {
        const session = number % 2 === 0 ? mine : theirs
        const list = Array.from({ length: number }, (_, j) => i * j)
        const document = { _id: i, list, text: 'x'.repeat(number * 30) }
        const commands: Record<string, Record<string, unknown>> = {
          insert: { insert: name, documents: [document, { ...document, _id: `also ${i}` }] },
          large: { insert: name, documents: [{ _id: i, text: 'y'.repeat(number * 100_000) }] },
          update: {
            update: name,
            updates: [{ q: {}, u: { $set: { list, text: 'z' } }, multi: true, upsert: true }],
          },
          remove: { delete: name, deletes: [{ q: { _id: { $lt: number } }, limit: 0 }] },
          index: { createIndexes: name, indexes: [{ key: { list: 1, _id: 1 }, name: 'l' }] },
          unindex: { dropIndexes: name, index: '*' },
          drop: { drop: name },
          out: { aggregate: name, pipeline: [{ $out: other }], cursor: {} },
          merge: { aggregate: name, pipeline: [{ $merge: { into: other } }], cursor: {} },
          rename: {
            renameCollection: `main.${name}`,
            to: `main.${other}`,
            dropTarget: number > 2,
          },
          give: { setPrivacy: name, mode: 'shared', ownerAddress: number > 2 ? alice : bob },
          capped: { convertToCapped: name, size: 4096 * (number + 1) },
          clone: { cloneCollectionAsCapped: name, toCollection: other, size: 8192 },
        }
        const command = commands[what] as Record<string, unknown>
        if (what === 'rename') {
          await room.run(command, 'admin', session).catch(() => undefined)
        } else await code(command, what === 'give' ? undefined : session)
      }
      let held = 0
      for (const name of ['a', 'b', 'c']) {
        held += await store.read(function* (tx) {
          const ns = yield* findNamespace(tx, 'main', name)
          return ns === undefined || ns.access.owner === null ? 0 : yield* spaceOf(tx, ns)
        })
      }
      t.equal((await usage(alice)) + (await usage(bob)), held)
      t.same(await checkStore(store), [])
    }),
    { seed, numRuns: 60 },
  )
})

t.test('what a service user has made counts for it', async (t) => {
  const { code, usage, store } = open(t, 20_000)
  const identity: Identity = {
    ...{ kind: 'user', database: 'main', name: 'app', id: 'a0' },
    ...{ roles: ['readWrite'], keyValue: undefined },
  }
  const app = new Session({ protocol: 'internal', id: 3, remoteAddress: 'test:3', identity })
  const payer = 'app@main'
  let made = 0
  let answer = 0
  while (answer === 0 && made < 100) {
    answer = await code({ insert: 'c', documents: [{ _id: made, text: 'x'.repeat(500) }] }, app)
    if (answer === 0) made++
  }
  t.equal(answer, 8000)
  t.ok(made > 20 && made < 40, `${made} documents`)
  const held = await usage(payer)
  const ns = await store.read((tx) => findNamespace(tx, 'main', 'c'))
  t.equal(ns?.access.owner, null)
  t.ok(ns !== undefined && held === (await store.read((tx) => spaceOf(tx, ns))))
  t.ok(held > 10_000 && held <= 20_000, `${held} bytes`)
  t.equal(await code({ createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 't' }] }, app), 8000)
  t.equal(await code({ insert: 'c', documents: [{ _id: 'more' }] }), 0, 'the operator may')
  await store.write((tx) => countUsage(tx, []))
  t.same(await checkStore(store), [])
  t.equal(await code({ drop: 'c' }, app), 0)
  t.equal(await usage(payer), 0)
})

t.test('a folder of before gets its sums at a start', async (t) => {
  const { code, store, usage, room, alice: mine } = open(t, 0)
  t.equal(await code({ insert: 'c', documents: [{ _id: 1, text: 'x'.repeat(500) }] }, mine), 0)
  t.equal(await code({ createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 't' }] }, mine), 0)
  const held = await usage(alice)
  await store.write(function* (tx) {
    tx.remove(usageKey(alice))
  })
  t.equal(await usage(alice), 0)
  await room.engine.start()
  t.equal(await usage(alice), held)
  await room.engine.start()
  t.equal(await usage(alice), held, 'once')
  await t.resolves(store.write((tx) => countUsage(tx, [])))
})
