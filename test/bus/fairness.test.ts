// Ten owners with a hundred waiting commands each, and an honest one with one: it is served behind
// at most one slice of each, whether commands read at once, pause or write.

import t from 'tap'
import { tickMsMax } from '../../src/base/limits/engine.js'
import { Session } from '../../src/bus/session.js'
import type { Identity } from '../../src/identity/identity.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'

const owners = 10
const waiting = 100

const revocation = {
  *check<T>(_tx: unknown, identity: T) {
    return identity
  },
} as never

function sessionOf(number: number): Session {
  const address = `0x${String(number).padStart(40, '0')}`
  const key = { kind: 'key', source: 'issued', index: 0, rateLimit: 0 } as const
  const permissions = ['read', 'write', 'admin'] as const
  const identity: Identity = { ...key, address, hash: 'a'.repeat(64), permissions }
  return new Session({
    protocol: 'internal',
    id: number,
    remoteAddress: `test:${number}`,
    identity,
  })
}

const commands = {
  'reads that are answered at once': { find: 'c', filter: { _id: 1 } },
  'reads that pause': { find: 'c', filter: { a: { $lt: 0 } } },
  writes: { insert: 'c', documents: [{ a: 1 }] },
}

for (const [what, command] of Object.entries(commands)) {
  t.test(`one command among a thousand of ten others: ${what}`, async (t) => {
    // Each look at the clock is a millisecond of work.
    const time = { ms: 0 }
    const clock = { now: () => 1_700_000_000_000, elapsed: () => ++time.ms }
    const room = new CommandRoom(openMemoryStore(clock), clock, { services: { revocation } })
    t.teardown(() => room.engine.close())
    const sessions = Array.from({ length: owners + 1 }, (_, i) => sessionOf(i + 1))
    const documents = Array.from({ length: 500 }, (_, a) => ({ a }))
    for (const [i, session] of sessions.entries()) {
      await room.run({ insert: 'c', documents }, `home${i}`, session)
    }
    const { scheduler } = room.engine.store
    if (scheduler === undefined) throw new Error('a store in memory has a scheduler')
    // The round has had its work: what comes now waits.
    scheduler.charge(scheduler.of('another'), tickMsMax)
    t.ok(scheduler.isBusy)
    const answered: number[] = []
    const replies: Promise<unknown>[] = []
    const send = (i: number) => {
      const session = sessions[i] as Session
      replies.push(room.run(command, `home${i}`, session).then(() => answered.push(i)))
    }
    for (let round = 0; round < waiting; round++) for (let i = 0; i < owners; i++) send(i)
    send(owners)
    await Promise.all(replies)
    const place = answered.indexOf(owners)
    t.ok(place <= owners, `${place} commands were answered before it`)
    t.equal(answered.length, owners * waiting + 1)
  })
}
