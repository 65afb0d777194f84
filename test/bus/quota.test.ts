// What one wallet may have: the figures are those of the counters, a moment old; others and the
// operator are not bounded by them.

import t, { type Test } from 'tap'
import { Slice } from '../../src/base/bytes/slice.js'
import { GatewayError } from '../../src/base/errors.js'
import { Channels, Subscriber } from '../../src/bus/keyvalue/clients/channels.js'
import { type QuotaLimits, Quotas } from '../../src/bus/quota.js'
import { Session } from '../../src/bus/session.js'
import { Space } from '../../src/engine/keyspace/spaces.js'
import type { Identity } from '../../src/identity/identity.js'
import { allowUnder, strictRules } from '../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const none: QuotaLimits = {
  ...{ storageBytes: 0, collections: 0, graphs: 0 },
  ...{ connections: 0, subscriptions: 0, commandMs: 0 },
}

function sessionOf(address: string, digit = 'a'): Session {
  const hash = digit.repeat(64)
  const permissions = ['read', 'write', 'admin'] as const
  const key = { kind: 'key', source: 'issued', index: 0, rateLimit: 0 } as const
  const identity: Identity = { ...key, address, hash, permissions }
  return new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
}

function open(t: Test, limits: Partial<QuotaLimits>) {
  const time = { ms: 0 }
  const clock = { now: () => 1_700_000_000_000 + time.ms, elapsed: () => time.ms }
  const store = openMemoryStore()
  const quotas = new Quotas({ ...none, ...limits })
  const revocation = {
    *check<T>(_tx: unknown, identity: T) {
      return identity
    },
  }
  const room = new CommandRoom(store, clock, {
    services: { quotas, revocation: revocation as never },
  })
  t.teardown(() => room.engine.close())
  const code = async (command: Record<string, unknown>, session?: Session) => {
    try {
      await room.run(command, 'main', session)
      return 0
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
  }
  return { room, time, quotas, code }
}

t.test('a wallet over its space can remove and read, and the operator can do all', async (t) => {
  const { code } = open(t, { storageBytes: 130_000 })
  const mine = sessionOf(alice)
  const insert = (id: number) => ({
    insert: 'c',
    documents: [{ _id: id, text: 'x'.repeat(60_000) }],
  })
  t.equal(await code(insert(1), mine), 0)
  t.equal(await code(insert(2), mine), 0)
  t.equal(await code(insert(3), mine), 8000)
  t.equal(await code({ insert: 'other', documents: [{ _id: 1 }] }, mine), 0, 'what fits')
  const long = { createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 'text_1' }] }
  t.equal(await code(long, mine), 0, 'a cut key fits')
  t.equal(await code(insert(3), mine), 8000)
  const shrink = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { text: 'y' } } }] }
  t.equal(await code(shrink, mine), 0, 'a change that makes room')
  t.equal(await code(insert(1), mine), 0, 'its error is one of the document')
  t.equal(await code({ find: 'c' }, mine), 0)
  t.equal(await code(insert(3)), 0, 'the operator has no quota')
  t.equal(await code({ insert: 'theirs', documents: [{ _id: 1 }] }, sessionOf(`${alice}2`)), 0)
  t.equal(await code({ delete: 'c', deletes: [{ q: { _id: { $gt: 1 } }, limit: 0 }] }, mine), 0)
  t.equal(await code(insert(4), mine), 0, 'there is room again')
})

t.test('figures survive a restart, being those of the collections', async (t) => {
  const store = openMemoryStore()
  const clock = { now: () => 1_700_000_000_000, elapsed: () => 0 }
  const revocation = {
    *check<T>(_tx: unknown, identity: T) {
      return identity
    },
  }
  for (const wanted of [0, 8000]) {
    const quotas = new Quotas({ ...none, storageBytes: 50_000 })
    const services = { quotas, revocation: revocation as never }
    const room = new CommandRoom(store, clock, { services })
    const documents = [{ text: 'x'.repeat(40_000) }]
    const done = room.run({ insert: 'c', documents }, 'main', sessionOf(alice))
    if (wanted === 0) await done
    else await t.rejects(done, { code: wanted })
    await room.engine.close()
  }
})

t.test('a wallet owns so many collections, and a dropped one makes room', async (t) => {
  const { time, code } = open(t, { collections: 3 })
  const mine = sessionOf(alice)
  for (const name of ['a', 'b', 'c']) t.equal(await code({ create: name }, mine), 0)
  t.equal(await code({ create: 'd' }, mine), 8000)
  t.equal(await code({ insert: 'd', documents: [{ a: 1 }] }, mine), 8000)
  t.equal(await code({ insert: 'a', documents: [{ a: 1 }] }, mine), 0)
  const out = { aggregate: 'a', pipeline: [{ $out: 'b' }], cursor: {} }
  t.equal(await code(out, mine), 0, 'what takes the place of another is none more')
  t.equal(await code({ ...out, pipeline: [{ $out: 'd' }] }, mine), 8000)
  t.equal(await code({ create: 'd' }), 0, "the operator's are not counted")
  t.equal(await code({ drop: 'a' }, mine), 0)
  t.equal(await code({ create: 'e' }, mine), 0)
  t.equal(await code({ create: 'f' }, mine), 8000)
  time.ms += 10_000
  t.equal(await code({ create: 'f' }, mine), 8000, 'looked at again')
})

t.test("a wallet's cursors are counted over all of its keys", async (t) => {
  const { room, code } = open(t, {})
  room.engine.cursors.perOwnerMax = 3
  await room.run({ insert: 'c', documents: [{ a: 1 }, { a: 2 }] }, 'main', sessionOf(alice))
  const find = { find: 'c', batchSize: 1 }
  const codes: number[] = []
  for (const digit of 'abcd') codes.push(await code(find, sessionOf(alice, digit)))
  t.same(codes, [0, 0, 0, 146])
  t.equal(await code(find), 0, 'the operator has its own')
})

t.test("a wallet's command ends when its time is over", async (t) => {
  const { time, code, room } = open(t, { commandMs: 30_000 })
  const mine = sessionOf(alice)
  const documents = Array.from({ length: 5_000 }, (_, _id) => ({ _id }))
  await room.run({ insert: 'c', documents }, 'main', mine)
  // Each look at the clock takes a second.
  const started = time.ms
  Object.defineProperty(time, 'ms', { get: () => started + 1_000 * looks++ })
  let looks = 0
  const change = { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] }
  t.equal(await code(change, mine), 50)
  t.equal(await code({ ...change, maxTimeMS: 3_600_000 }, mine), 50, 'it cannot ask for more')
})

t.test('connections and subscriptions are counted, and given back', async (t) => {
  const store = openMemoryStore()
  const clock = { now: () => 0, elapsed: () => 0 }
  const limits = { ...none, connections: 2, subscriptions: 3 }
  const quotas = new Quotas(limits)
  const connection = { end: () => undefined }
  t.same(
    [1, 2, 3].map(() => quotas.connect(alice, connection)),
    [true, true, false],
  )
  t.ok(quotas.connect('another', connection))
  quotas.disconnect(alice, connection)
  t.ok(quotas.connect(alice, connection))
  const allow = allowUnder(strictRules)
  const options = { store, allow, revocation: {} as never, clock, quotas }
  const channels = new Channels(options)
  const space = new Space('main', true)
  const listener = () => new Subscriber(sessionOf(alice), space, () => undefined)
  const [one, other] = [listener(), listener()]
  channels.subscribe(one, Slice.ofText('a'))
  channels.subscribe(one, Slice.ofText('a'))
  channels.subscribePattern(one, Slice.ofText('a*'))
  channels.subscribe(other, Slice.ofText('a'))
  t.throws(() => channels.subscribe(other, Slice.ofText('b')), {
    message: 'ERR max number of subscriptions reached',
  })
  t.equal(other.count, 1)
  channels.leave(one)
  channels.subscribe(other, Slice.ofText('b'))
  channels.subscribe(other, Slice.ofText('c'))
  t.throws(() => channels.subscribePattern(other, Slice.ofText('d')), { code: 8000 })
})
