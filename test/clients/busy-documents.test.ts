// A transaction beside many plain writes of the same document: it commits within a few tries,
// because its third try finds the document held. By the official driver.

import { type ClientSession, type Collection, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { startGateway } from '../support/live-gateway.js'

interface Counter {
  _id: string
  n: number
}

/** Increments a second. */
const rate = 1_000
/** Increments that are sent between the read and the write of a transaction. */
const between = 20
/** A machine that cannot make so many a second is sent no more than this at a time. */
const pendingMax = 100
/** Tries without a hold, all of which have to fail. */
const triesWithout = 25

/** The hold lasts five seconds: a slow machine is not to decide what is counted here. */
const slowClock = { ...systemClock, elapsed: () => systemClock.elapsed() / 50 }

interface Busy {
  readonly client: MongoClient
  readonly counters: Collection<Counter>
  readonly sent: () => number
  /** Resolves when so many more increments have been sent. */
  readonly after: (count: number) => Promise<void>
  /** Resolves when so many increments that were sent from now on are made. */
  readonly afterMade: (count: number) => Promise<void>
  /** Stops; resolves when all increments are made. */
  readonly end: () => Promise<void>
}

async function startBusy(t: Test): Promise<Busy> {
  const { uri } = await startGateway(t, {}, { clock: slowClock })
  const client = await MongoClient.connect(uri)
  const plain = await MongoClient.connect(uri, { maxPoolSize: 20 })
  t.teardown(() => Promise.all([client.close(), plain.close()]))
  const counters = client.db('main').collection<Counter>('counters')
  await counters.insertOne({ _id: 'a', n: 0 })
  const writing = plain.db('main').collection<Counter>('counters')
  const made: Promise<unknown>[] = []
  const waiting: { readonly count: number; readonly tell: () => void }[] = []
  let wanted = 0
  let pending = 0
  const send = () => {
    pending++
    const increment = writing.updateOne({ _id: 'a' }, { $inc: { n: 1 } })
    made.push(increment.finally(() => pending--))
  }
  const beganMs = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - beganMs) * rate) / 1_000
    while (made.length < wanted || (made.length < due && pending < pendingMax)) send()
    for (const { count, tell } of waiting) if (made.length >= count) tell()
  }, 1)
  t.teardown(() => clearInterval(timer))
  const after = (count: number) => {
    wanted = made.length + count
    return new Promise<void>((resolve) => waiting.push({ count: wanted, tell: resolve }))
  }
  return {
    client,
    counters,
    sent: () => made.length,
    after,
    afterMade: async (count) => {
      const from = made.length
      await after(count)
      await Promise.all(made.slice(from, from + count))
    },
    end: async () => {
      clearInterval(timer)
      await Promise.all(made)
    },
  }
}

/** Reads, waits for plain writes, and writes what rests on the read. */
async function add(
  { counters }: Busy,
  session: ClientSession,
  plainWrites: (count: number) => Promise<void>,
): Promise<void> {
  const found = await counters.findOne({ _id: 'a' }, { session })
  await plainWrites(between)
  await counters.updateOne({ _id: 'a' }, { $set: { n: (found?.n ?? 0) + 1 } }, { session })
}

t.test('the third try of a session commits', async (t) => {
  const busy = await startBusy(t)
  let tries = 0
  await busy.client.withSession((session) =>
    session.withTransaction(() => {
      tries++
      // The third holds the document: what is sent meanwhile waits for its end.
      return add(busy, session, tries < 3 ? busy.afterMade : busy.after)
    }),
  )
  t.equal(tries, 3)
  await busy.end()
  const found = await busy.counters.findOne({ _id: 'a' })
  t.equal(found?.n, busy.sent() + 1, 'no increment is lost')
})

t.test('without losses of the same session before, no try commits', async (t) => {
  const busy = await startBusy(t)
  // All open until the end: an ended session is used again.
  const sessions = Array.from({ length: triesWithout }, () => busy.client.startSession())
  for (const session of sessions) {
    session.startTransaction()
    const outcome = add(busy, session, busy.afterMade).then(() => session.commitTransaction())
    await t.rejects(outcome, { code: 112 })
  }
  await busy.end()
  for (const session of sessions) await session.endSession()
  t.equal((await busy.counters.findOne({ _id: 'a' }))?.n, busy.sent())
})
