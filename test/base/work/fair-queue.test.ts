// Whose turn it is: owners are served by the time that they have had, so that many waiting commands
// of some delay another one by a slice of each at most.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type { Account } from '../../../src/base/work/accounts.js'
import { Scheduler } from '../../../src/base/work/scheduler.js'

interface Item {
  readonly account: Account
  readonly number: number
}

function open() {
  const scheduler = new Scheduler()
  const queue = scheduler.queue<Item>()
  const push = (owner: string, number = 0) => {
    const account = scheduler.of(owner)
    queue.push(account, { account, number })
  }
  const take = (ms = 0): string => {
    const item = queue.take()
    if (item === undefined) return ''
    scheduler.charge(item.account, ms)
    return `${item.account.owner}${item.number}`
  }
  return { scheduler, queue, push, take }
}

t.test('owners are served in turns, and each in the order of its own work', async (t) => {
  const { push, take, queue } = open()
  for (const owner of ['a', 'b', 'c']) for (let i = 0; i < 3; i++) push(owner, i)
  t.equal(queue.length, 9)
  const order = Array.from({ length: 9 }, () => take())
  t.same(order, ['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  t.equal(take(), '', 'nothing is left')
})

t.test('one that comes waits for one slice of each owner, however much those have', async (t) => {
  const { push, take } = open()
  for (let owner = 0; owner < 10; owner++) for (let i = 0; i < 100; i++) push(`w${owner}:`, i)
  for (let i = 0; i < 37; i++) take(5)
  push('honest', 1)
  const before: string[] = []
  for (let next = take(5); next !== 'honest1'; next = take(5)) before.push(next.split(':')[0] ?? '')
  t.ok(before.length <= 10, `${before.length} before it`)
  t.equal(new Set(before).size, before.length, 'one of each')
})

t.test('who has had long slices waits until others have had as much', async (t) => {
  const { push, take } = open()
  for (let i = 0; i < 10; i++) {
    push('long', i)
    push('short', i)
  }
  t.equal(take(8), 'long0')
  const next = Array.from({ length: 8 }, () => take(1))
  t.same(next, ['short0', 'short1', 'short2', 'short3', 'short4', 'short5', 'short6', 'short7'])
  t.equal(take(8), 'long1')
})

t.test('it does not help to wait with nothing in the queue in between', async (t) => {
  const { push, take } = open()
  for (let i = 0; i < 20; i++) push('steady', i)
  push('bursts', 0)
  t.equal(take(1), 'steady0')
  t.equal(take(50), 'bursts0')
  push('bursts', 1)
  for (let i = 1; i < 20; i++) t.equal(take(1), `steady${i}`)
  t.equal(take(1), 'bursts1')
})

t.test('work while nothing waits is not charged', async (t) => {
  const { scheduler, push, take } = open()
  scheduler.charge(scheduler.of('busy'), 3_600_000)
  push('busy', 0)
  push('new', 0)
  push('new', 1)
  t.same([take(1), take(1), take(1)], ['busy0', 'new0', 'new1'])
})

t.test('a debt is bounded: no owner waits for longer than a second of it', async (t) => {
  const { push, take } = open()
  push('greedy', 0)
  push('other', 0)
  push('greedy', 1)
  t.equal(take(60_000), 'greedy0')
  let turns = 0
  for (let next = take(100); next !== 'greedy1' && turns < 100; next = take(100)) {
    push('other', ++turns)
  }
  t.ok(turns <= 11, `${turns} turns of 100 ms`)
})

t.test('the time of others between two moments is told', async (t) => {
  const { scheduler } = open()
  const [mine, other] = [scheduler.of('mine'), scheduler.of('other')]
  scheduler.charge(other, 5)
  const before = scheduler.accounts.othersMs(mine)
  scheduler.charge(mine, 7)
  scheduler.charge(other, 3)
  t.equal(scheduler.accounts.othersMs(mine) - before, 3)
})

t.test('commands wait once a round of the loop has had its work, and go on in turns', async (t) => {
  const { scheduler } = open()
  t.equal(scheduler.isBusy, false)
  scheduler.charge(scheduler.of('a'), 5)
  t.equal(scheduler.isBusy, true)
  const order: string[] = []
  const done = new Promise<void>((resolve) => {
    for (const owner of ['a', 'a', 'a', 'b']) {
      const account = scheduler.of(owner)
      scheduler.wait(account, () => {
        order.push(owner)
        scheduler.charge(account, 5)
        if (order.length === 4) resolve()
      })
    }
  })
  t.same(order, [], 'none begins at once')
  await done
  t.same(order, ['a', 'b', 'a', 'a'])
})

t.test('served work is let go of while more of its owner waits', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const scheduler = new Scheduler()
  const queue = scheduler.queue<object>()
  const account = scheduler.of('a')
  const pushed = (): WeakRef<object> => {
    const item = { reply: new Uint8Array(1_000) }
    queue.push(account, item)
    return new WeakRef(item)
  }
  const served = Array.from({ length: 100 }, pushed)
  const waiting = pushed()
  for (let i = 0; i < served.length; i++) queue.take()
  // A WeakRef holds what it was made of until the turn ends.
  await nextTurn()
  collect()
  t.equal(served.filter((item) => item.deref() !== undefined).length, 0)
  t.ok(waiting.deref())
  t.equal(queue.length, 1)
})
