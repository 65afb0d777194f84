// What anchoring costs on a chain that is paid for, where everybody may ask for it: one transaction
// for all that is asked within a while, turns between owners, and a day's budget that no owner can
// use up for the others.

import { pino } from 'pino'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../../../src/base/clock.js'
import { anchorDueMs, anchorPayMs, anchorsAtOnce } from '../../../../src/base/limits/memory.js'
import { allowance } from '../../../../src/chain/anchors/anchor-allowance.js'
import { sharesOf, Turns } from '../../../../src/memory/proof/anchors/anchor-turns.js'
import { AnchorRoom, type AnchorRoomOptions } from '../../../support/anchor-room.js'
import { chainOwner, openChainRoom, openClients } from '../../../support/chain-room.js'

const hour = 3_600_000
const { chain, server, environment } = await openChainRoom(t)

/** Noon, and as much later as it is told. */
let aheadMs = 24 * hour - (systemClock.now() % (24 * hour)) + 12 * hour
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  elapsed: () => systemClock.elapsed() + aheadMs,
}

async function openRoom(
  t: Test,
  budget = '1',
  timing: Pick<AnchorRoomOptions, 'log' | 'payEveryMs'> = {},
): Promise<AnchorRoom> {
  const settings = {
    ...{ ...environment, CHAIN_PRIVATE_KEY: chainOwner.privateKey, CHAIN_CONFIRMATIONS: '1' },
    ANCHOR_DAILY_BUDGET: budget,
  }
  const opened = await openClients(t, settings, { clock })
  return AnchorRoom.open(t, { chain: opened, clock, payEveryMs: anchorPayMs, ...timing })
}

/** Setting of a day that has so many transactions: 200,000 gas each, at twice the base fee. */
async function budgetFor(transactions: bigint): Promise<string> {
  const block = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const { baseFeePerGas } = (await chain.request(block)) as { baseFeePerGas: string }
  const wei = transactions * 200_000n * 2n * BigInt(baseFeePerGas)
  return `0.${String(wei).padStart(18, '0')}`
}

const transactions = () => server.count('eth_sendRawTransaction')

t.test('what is asked for within a minute goes with one transaction', async (t) => {
  const room = await openRoom(t)
  const ids = await room.remember('eager', ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
  const before = transactions()
  const asked = await Promise.all(ids.map((id) => room.ask('eager', [id])))
  const made = asked.filter(({ anchorId }) => anchorId !== null)
  t.match(made, [{ count: 1 }], 'one anchor, and the others wait for the next transaction')
  for (const { count } of asked) t.equal(count, 1)
  await room.settle()
  t.equal(transactions(), before + 1)
  for (let i = 0; i < 5; i++) {
    const [id = ''] = await room.remember('eager', [`later ${i}`])
    t.match(await room.ask('eager', [id]), { anchorId: i === 0 ? String : null, count: 1 })
    await room.settle()
    ids.push(id)
  }
  await room.remember('other', ['waits'], anchorDueMs)
  await room.settle()
  t.equal(transactions(), before + 1, 'nothing is sent before the minute is over')
  t.same(await room.anchors('other'), [])
  aheadMs += anchorPayMs
  await room.settle()
  t.equal(transactions(), before + 2, 'and then all of it at once')
  const [own] = await room.anchors('eager')
  const [other] = await room.anchors('other')
  t.match(other, { status: 'confirmed', tx: own?.tx })
  for (const id of ids) t.match(await room.verify('eager', id), { verified: true })
  t.equal((await room.anchors('eager')).length, 4, 'four anchors for fifteen requests')
  t.same(await room.ask('eager', ids), { anchorId: null, count: 0 })
})

t.test('a request does not end the pause after a failure, where a try costs', async (t) => {
  const room = await openRoom(t)
  const [id = ''] = await room.remember('hurried', ['one'])
  await room.ask('hurried', [id])
  server.lie = async ({ method }, honest) => {
    if (method === 'eth_estimateGas') throw new Error('the node is out of order')
    return honest()
  }
  await room.settle()
  t.match(await room.anchors('hurried'), [{ attempts: 1 }])
  await room.ask('hurried')
  await room.settle()
  t.match(await room.anchors('hurried'), [{ attempts: 1 }])
  server.lie = undefined
  aheadMs += anchorPayMs
  await room.settle()
  t.match(await room.anchors('hurried'), [{ status: 'confirmed', attempts: 0 }])
})

t.test('what is only asked for leaves half of the budget to the schedule', async (t) => {
  // At noon requests may spend 5/16 of it.
  const room = await openRoom(t, await budgetFor(2n))
  const [id = ''] = await room.remember('asking', ['one'])
  const before = transactions()
  await room.ask('asking', [id])
  await room.settle()
  t.equal(transactions(), before)
  t.match(await room.anchors('asking'), [{ status: 'pending', attempts: 0, error: null }])
  await room.remember('scheduled', ['one'], anchorDueMs)
  aheadMs += anchorPayMs
  await room.settle()
  t.equal(transactions(), before + 1, 'the schedule pays, and takes along what was asked for')
  t.match(await room.anchors('scheduled'), [{ status: 'confirmed' }])
  t.match(await room.anchors('asking'), [{ status: 'confirmed' }])
})

t.test('that the budget has to be waited for is told once a minute, however often', async (t) => {
  const told: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => told.push(line) })
  const room = await openRoom(t, await budgetFor(2n), { log, payEveryMs: 0 })
  await room.remember('paced', ['one'])
  await room.ask('paced')
  const tryOften = async () => {
    for (let tries = 0; tries < 3; tries++) {
      room.anchoring.job.hurry()
      await room.anchoring.job.round()
    }
    return told.map((line) => JSON.parse(line) as unknown)
  }
  const line = { level: 30, graphs: 1, msg: /anchoring waits/ }
  t.match(await tryOften(), [line])
  t.equal(told.length, 1)
  aheadMs += anchorPayMs
  t.match(await tryOften(), [line, line])
  t.equal(told.length, 2)
  t.match(await room.anchors('paced'), [{ status: 'pending', attempts: 0, error: null }])
})

t.test('while the budget has to be waited for, asking often makes no more anchors', async (t) => {
  const room = await openRoom(t, await budgetFor(2n))
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    const [id = ''] = await room.remember('impatient', [`memory ${i}`])
    t.match(await room.ask('impatient', [id]), { count: 1 })
    ids.push(id)
    await room.settle()
    aheadMs += anchorPayMs
  }
  t.match(await room.anchors('impatient'), [{ status: 'pending' }, { status: 'pending' }])
  t.equal((await room.anchors('impatient')).length, 2)
  aheadMs += anchorDueMs
  await room.settle()
  t.equal((await room.anchors('impatient')).length, 3, 'what has waited long enough is not held up')
  for (const id of ids) t.match(await room.verify('impatient', id), { verified: true })
})

t.test('a budget too small for all sends a few', async (t) => {
  const room = await openRoom(t, await budgetFor(3n))
  for (let i = 0; i < anchorsAtOnce; i++) await room.remember(`g${i}`, ['one'], anchorDueMs)
  const before = transactions()
  await room.settle()
  t.equal(transactions(), before + 1)
  const states: (string | undefined)[] = []
  for (let i = 0; i < anchorsAtOnce; i++) states.push((await room.anchors(`g${i}`))[0]?.status)
  t.equal(states.filter((status) => status === 'confirmed').length, 1)
  t.notOk(states.includes('failed'))
})

t.test('a budget is let go of over the day, and half of it to what is asked for', async (t) => {
  const midnight = 20_000 * 24 * hour
  const at = (hours: number) => midnight + hours * hour
  t.same(
    [0, 9, 21, 23].map((hours) => allowance(800n, at(hours), 'due')),
    [100n, 400n, 800n, 800n],
  )
  t.same(
    [0, 9, 21, 23].map((hours) => allowance(800n, at(hours), 'asked')),
    [50n, 200n, 400n, 400n],
  )
})

t.test('owners take turns, however many graphs one has, and newcomers wait theirs', async (t) => {
  const graph = (name: string, owner: string | null) => ({ name, owner })
  const many = ['a', 'b', 'c', 'd'].map((name) => graph(name, 'many'))
  const one = graph('z', 'one')
  const turns = new Turns()
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name)
  t.same(names(turns.inOrder([...many, one])), ['a', 'z', 'b', 'c', 'd'])
  turns.served(many.slice(0, 1))
  const newcomer = graph('n', 'new')
  t.same(names(turns.inOrder([...many, newcomer, one])), ['z', 'b', 'n', 'c', 'd', 'a'])
  turns.served([one, newcomer])
  t.same(names(turns.inOrder([newcomer, one, ...many])), ['b', 'n', 'z', 'c', 'd', 'a'])
  t.same(names(turns.inOrder([graph('x', null), graph('y', null)])), ['x', 'y'])
})

t.test('room is shared one by one, the rest goes to owners with more', async (t) => {
  t.same(sharesOf([9, 1, 3], 6), [3, 1, 2])
  t.same(sharesOf([20], 20), [20])
  t.same(sharesOf([1, 1], 20), [1, 1])
  t.same(sharesOf([], 20), [])
})
