// The one account of memory: who may go on, who waits, what is closed first, and that nothing stays
// counted.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { type Backlog, MemoryAccount } from '../../../src/base/heap/memory-account.js'
import { socketBacklogBytesMax as backlogBytes } from '../../../src/base/limits/connections.js'

const megabyte = 1_000_000
const whole = 64 * megabyte

interface Client {
  readonly backlog: Backlog
  pressed: number
}

function opened(account: MemoryAccount): Client {
  const client = { pressed: 0, backlog: account.backlog({ press: () => client.pressed++ }) }
  return client
}

t.test('an owner above its share waits for its own replies, and the others go on', async (t) => {
  const account = new MemoryAccount(whole)
  const client = opened(account)
  t.equal(account.hasRoom('greedy'), true)
  client.backlog.set(account.ofOwnerMax, 'greedy')
  t.equal(account.hasRoom('greedy'), false)
  t.equal(client.pressed, 1, 'who takes nothing has little time left')
  t.equal(account.hasRoom('honest'), true)
  const admitted: string[] = []
  account.whenRoom('greedy', () => admitted.push('greedy'))
  client.backlog.set(account.ofOwnerMax - 1, 'greedy')
  await nextTurn()
  t.same(admitted, ['greedy'])
  client.backlog.close()
  client.backlog.set(5, 'greedy')
  t.equal(account.budget.bytesUsed, 0, 'a closed one counts nothing any more')
  t.equal(account.shares.ownersKnown, 0)
})

t.test('who leaves while the line is served is not admitted', async (t) => {
  const account = new MemoryAccount(whole)
  const client = opened(account)
  client.backlog.set(whole, 'greedy')
  const admitted: string[] = []
  let leave = () => {}
  const first = () => {
    admitted.push('first')
    leave()
  }
  account.whenRoom('one', first, megabyte)
  leave = account.whenRoom('two', () => admitted.push('second'), megabyte)
  client.backlog.close()
  await nextTurn()
  await nextTurn()
  t.same(admitted, ['first'])
  leave()
  t.equal(account.budget.usedByOthers(0), 0, 'none is counted as waiting')
})

t.test('where all is nearly used, owners with little unsent have the rest', async (t) => {
  const account = new MemoryAccount(whole)
  const [one, two] = [opened(account), opened(account)]
  one.backlog.set(25 * megabyte, 'one')
  two.backlog.set(25 * megabyte, 'two')
  t.equal(account.hasRoom('one'), false)
  t.equal(account.hasRoom('two'), false)
  t.equal(account.hasRoom('three'), true)
  t.equal(one.pressed + two.pressed, 0, 'no owner needs room yet')
  const three = opened(account)
  three.backlog.set(14 * megabyte, 'three')
  t.equal(account.hasRoom('four'), false, 'more would pass the budget')
  t.same([one.pressed, two.pressed, three.pressed], [1, 1, 1])
  let admitted = 0
  const leave = account.whenRoom('four', () => admitted++)
  account.whenRoom('five', () => admitted++)
  leave()
  one.backlog.close()
  await nextTurn()
  t.equal(admitted, 1, 'who has left the line is not called')
})

t.test('idle cursors go before any client is closed', async (t) => {
  const account = new MemoryAccount(whole)
  const kept = account.shares.open('keeper')
  const closed: (string | undefined)[] = []
  account.shares.reclaim = (owner) => {
    closed.push(owner)
    if (kept.bytesHeld === 0) return false
    kept.close()
    return true
  }
  t.equal(kept.take(30 * megabyte), true)
  const [one, two] = [opened(account), opened(account)]
  one.backlog.set(30 * megabyte, 'one')
  two.backlog.set(5 * megabyte, 'two')
  t.equal(account.hasRoom('other'), true)
  t.same(closed, [undefined])
  t.equal(one.pressed, 0)
  t.equal(account.budget.bytesUsed, 35 * megabyte)
})

t.test('what is kept leaves room for what is in flight, and is closed for it', async (t) => {
  const account = new MemoryAccount(whole)
  const [one, two] = [account.shares.open('one'), account.shares.open('two')]
  t.equal(one.take(32 * megabyte), true)
  t.equal(one.take(1), false, 'half of all')
  t.equal(two.take(16 * megabyte), true)
  t.equal(two.take(1), false, 'three quarters')
  let admitted = 0
  t.equal(
    account.budget.take(20 * megabyte, () => admitted++),
    true,
    'alone among requests it does not wait for what is kept',
  )
  t.equal(
    account.budget.take(megabyte, () => admitted++),
    false,
  )
  one.close()
  t.equal(admitted, 1)
})

t.test('a small backlog is counted and never pressed', async (t) => {
  const account = new MemoryAccount(4 * backlogBytes)
  const client = opened(account)
  client.backlog.set(backlogBytes, 'one')
  const large = opened(account)
  large.backlog.set(3 * backlogBytes, 'two')
  t.equal(account.hasRoom('three'), false)
  t.equal(client.pressed, 0)
  t.equal(large.pressed, 1)
  large.backlog.set(0, 'two')
  large.backlog.set(3 * backlogBytes, 'two')
  t.equal(account.hasRoom('three'), false)
  t.equal(large.pressed, 2, 'one that has caught up begins anew')
})
