// Transactions of the document wire beside their own commands: what shows and counts them, how long
// they live, and answers about a commit that stay true on every server of a store.

import { Binary, Long } from 'bson'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { fail } from '../../../../src/base/errors.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { LateStore } from '../../../support/late-store.js'

const router = { services: { topology: 'router' } } as const
const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) }
const inside = (number: number) =>
  ({ lsid, txnNumber: Long.fromNumber(number), autocommit: false }) as const
const begun = (number: number) => ({ ...inside(number), startTransaction: true }) as const
const find = { find: 'c' }
const insert = (...documents: object[]) => ({ insert: 'c', documents })

type Command = Readonly<Record<string, unknown>>
const end = (room: CommandRoom, name: string, number: number) =>
  room.run({ [name]: 1, ...inside(number) }, 'admin')
const codeOf = async (room: CommandRoom, command: Command, db?: string): Promise<number> =>
  (await room.fails(command, db))[0]
const found = ({ cursor }: Reply): unknown[] => cursor.firstBatch

t.test('open transactions are shown, counted and ended', async (t) => {
  const room = new CommandRoom(openMemoryStore(), systemClock, router)
  t.teardown(() => room.engine.close())
  const shown = async () => {
    const { inprog } = (await room.run({ currentOp: 1 }, 'admin')) as unknown as {
      readonly inprog: readonly { readonly type: string }[]
    }
    return inprog.filter(({ type }) => type === 'idleSession')
  }
  await room.run({ ...insert({ _id: 1 }), ...begun(1) })
  const parameters = { txnNumber: 1, autocommit: false }
  t.match(await shown(), [{ desc: 'inactive transaction', lsid, transaction: { parameters } }])
  const stage = async (options: object) => {
    const command = { aggregate: 1, pipeline: [{ $currentOp: options }], cursor: {} }
    return found(await room.run(command, 'admin'))
  }
  t.match(await stage({}), [{}, { type: 'idleSession' }])
  t.equal((await stage({ idleSessions: false })).length, 1)
  t.match(await room.run({ serverStatus: 1 }, 'admin'), {
    transactions: { currentOpen: 1, totalStarted: 1, totalCommitted: 0, totalAborted: 0 },
  })
  await room.run({ killSessions: [lsid] })
  t.same(await shown(), [])
  t.equal(await codeOf(room, { commitTransaction: 1, ...inside(1) }, 'admin'), 251)
  await room.run({ ...insert({ _id: 2 }), ...begun(2) })
  await end(room, 'commitTransaction', 2)
  await room.run({ ...insert({ _id: 3 }), ...begun(3) })
  await room.run({ insert: 'c', documents: [{ _id: 3 }] })
  t.equal(await codeOf(room, { commitTransaction: 1, ...inside(3) }, 'admin'), 112)
  const { counts } = room.engine.transactions
  t.match(counts, { begun: 3, committed: 1 })
  t.same(
    [...counts.aborted],
    [
      ['client', 1],
      ['conflict', 1],
    ],
  )
})

t.test('transactionLifetimeLimitSeconds shortens their life', async (t) => {
  const time = { ms: 0 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const room = new CommandRoom(openMemoryStore(), clock, router)
  t.teardown(() => room.engine.close())
  const set = { setParameter: 1, transactionLifetimeLimitSeconds: 5 }
  t.match(await room.run(set, 'admin'), { was: 60 })
  t.equal(await codeOf(room, { ...set, transactionLifetimeLimitSeconds: 61 }, 'admin'), 2)
  await room.run({ ...insert({ _id: 1 }), ...begun(1) })
  time.ms += 5_000
  room.engine.transactions.expire()
  t.equal(await codeOf(room, { ...find, ...inside(1) }), 251)
  t.same([...room.engine.transactions.counts.aborted], [['time', 1]])
})

t.test('a commit that the store did not confirm is unknown, and is asked again', async (t) => {
  const inner = openMemoryStore()
  let fails = false
  const store = new Proxy(inner, {
    get(target, name) {
      if (name === 'write' && fails) {
        return async (program: Parameters<typeof target.write>[0]) => {
          await target.write(program)
          throw fail('OutOfDiskSpace', 'the log could not be synced')
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const room = new CommandRoom(store, systemClock, router)
  t.teardown(() => room.engine.close())
  await room.run({ ...insert({ _id: 1 }), ...begun(1) })
  fails = true
  const commit = { commitTransaction: 1, ...inside(1) }
  const label = { errorLabels: ['UnknownTransactionCommitResult'] }
  t.match((await room.refusal(commit, 'admin')).extra, label)
  t.equal(await codeOf(room, commit, 'admin'), 14031, 'the store still confirms nothing')
  fails = false
  t.match(await end(room, 'commitTransaction', 1), { ok: 1 })
  t.same(await room.all('c'), [{ _id: 1 }])
})

t.test('what one server of a store answers about a transaction, the others keep', async (t) => {
  const first = new LateStore({ seed: 5, conflictChance: 0.2 })
  const second = new LateStore({ seed: 6, conflictChance: 0.2, beside: first })
  const [one, other] = [first, second].map((store) => new CommandRoom(store, systemClock, router))
  if (one === undefined || other === undefined) return
  t.teardown(() => Promise.all([one.engine.close(), other.engine.close()]))
  const token = { recoveryToken: { recoveryShardId: 'sigil' } }
  const commit = (number: number) => ({ commitTransaction: 1, ...inside(number), ...token })
  await one.run({ ...insert({ _id: 1 }), ...begun(1) })
  await one.run(commit(1), 'admin')
  t.match(await other.run(commit(1), 'admin'), { ok: 1 }, 'committed')
  await one.run({ ...insert({ _id: 2 }), ...begun(2) })
  t.equal(await codeOf(other, commit(2), 'admin'), 251, 'not known there')
  t.equal(await codeOf(one, commit(2), 'admin'), 251, 'so it is not committed later')
  t.equal(await codeOf(other, commit(2), 'admin'), 251)
  t.same(await one.all('c'), [{ _id: 1 }])
  await other.run({ ...insert({ _id: 4 }), ...begun(4) })
  await one.run({ ...insert({ _id: 3 }), ...begun(3) })
  await other.run(commit(4), 'admin')
  t.equal(await codeOf(one, commit(3), 'admin'), 225, 'the session has gone on')
  t.same(await one.all('c'), [{ _id: 1 }, { _id: 4 }])
})
