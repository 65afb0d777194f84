// The memory of replies that are being made: counted before a large value is read, and no more of
// them at once than their owner may hold.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { MemoryAccount } from '../../../src/base/heap/memory-account.js'
import { ReplyRoom } from '../../../src/base/heap/reply-room.js'
import { smallMessageBytesMax } from '../../../src/base/limits/connections.js'

const megabyte = 1_000_000
const whole = 64 * megabyte
const large = 5 * megabyte

function rooms(account: MemoryAccount, count: number, owner = 'owner'): ReplyRoom[] {
  return Array.from({ length: count }, () => new ReplyRoom(account, owner, 1))
}

t.test('a large value counts once, until the reply is given away', async (t) => {
  const account = new MemoryAccount(whole)
  const room = new ReplyRoom(account, 'owner', 2)
  t.equal(room.expects(smallMessageBytesMax, true), undefined)
  t.equal(account.budget.bytesUsed, 0, 'a small one costs nothing')
  t.equal(room.expects(large, true), undefined)
  t.equal(account.budget.bytesUsed, 2 * large, 'a document and its text')
  t.equal(room.copyBytes, large)
  t.equal(room.expects(large - 1, true), undefined)
  t.equal(account.budget.bytesUsed, 2 * large, 'one value replaces another')
  t.equal(room.expects(2 * large, true), undefined)
  t.equal(account.budget.bytesUsed, 4 * large)
  room.holds(large)
  room.holds(2 * large)
  t.equal(account.budget.bytesUsed, 2 * large, 'it is smaller than expected')
  room.close()
  room.close()
  t.same([account.budget.bytesUsed, account.shares.ownersKnown], [0, 0])
  t.equal(room.expects(large, false), undefined)
  t.equal(account.budget.bytesUsed, 0, 'a closed one counts no more')
})

t.test('of many that begin at once, only as many go on as have room', async (t) => {
  const account = new MemoryAccount(whole)
  const most = account.ofOwnerMax + large
  const waiting = new Set<ReplyRoom>()
  const made: ReplyRoom[] = []
  for (const room of rooms(account, 30)) {
    const wait = room.expects(large, true)
    if (wait === undefined) made.push(room)
    else {
      waiting.add(room)
      wait.begin().done.then(() => {
        waiting.delete(room)
        made.push(room)
      })
    }
  }
  t.equal(made.length, Math.ceil(account.ofOwnerMax / large))
  t.equal(waiting.size, 30 - made.length)
  t.equal(account.hasRoom('other'), true, 'another owner does not wait')
  for (let answered = 1; answered <= 30; answered++) {
    t.ok(account.budget.bytesUsed < most, `${account.budget.bytesUsed} bytes at once`)
    const room = made.shift()
    t.ok(room, `the ${answered}th has its turn`)
    room?.close()
    await nextTurn()
    await nextTurn()
  }
  t.same([waiting.size, account.budget.bytesUsed], [0, 0])
})

t.test('what is held while waiting counts, and is refused when it is too much', async (t) => {
  const account = new MemoryAccount(whole)
  const [sent] = rooms(account, 1) as [ReplyRoom]
  sent.expects(account.ofOwnerMax, true)
  const used = account.budget.bytesUsed
  const [few, more, much, other] = rooms(account, 4) as [ReplyRoom, ReplyRoom, ReplyRoom, ReplyRoom]
  const ends = [few.waits(large), more.waits(whole / 8 - large)]
  t.equal(account.budget.bytesUsed, used + whole / 8, 'a little beside what its owner has unsent')
  t.throws(() => much.waits(1), /hold too much memory for another one to wait/)
  t.equal(account.budget.bytesUsed, used + whole / 8)
  for (const end of ends) end()
  sent.close()
  const all = other.waits(account.ofOwnerMax)
  t.throws(() => much.waits(large * 2), /hold too much memory/, 'an owner holds all that it may')
  all()
  t.same([account.budget.bytesUsed, account.shares.ownersKnown], [0, 0])
})

t.test('what holds a value, or may not wait, counts and goes on', async (t) => {
  const account = new MemoryAccount(whole)
  const [holds, writes, leaves] = rooms(account, 3) as [ReplyRoom, ReplyRoom, ReplyRoom]
  t.equal(holds.expects(account.ofOwnerMax, true), undefined)
  t.equal(holds.expects(account.ofOwnerMax + large, true), undefined)
  t.equal(writes.expects(large, false), undefined)
  t.equal(account.budget.bytesUsed, account.ofOwnerMax + 2 * large)
  const wait = leaves.expects(large, true)?.begin()
  t.ok(wait)
  wait?.end()
  holds.close()
  writes.close()
  await nextTurn()
  await nextTurn()
  t.equal(account.budget.bytesUsed, 0, 'what left the queue is not counted')
})
