// What a listener does beside commands is its client's time: others see it in the metric, and of
// slices inside of it nothing is counted twice.

import t from 'tap'
import { tickMsMax } from '../../src/base/limits/engine.js'
import { edgeSliceMsMin, Scheduler } from '../../src/base/work/scheduler.js'
import { Session } from '../../src/bus/session.js'
import { EdgeTime } from '../../src/listeners/edge-time.js'

class Room {
  ms = 0
  readonly scheduler = new Scheduler()
  readonly edge = new EdgeTime({ now: () => 0, elapsed: () => this.ms }, this.scheduler)
  readonly session = new Session({ protocol: 'internal', id: 1, remoteAddress: '192.0.2.1:5' })
  readonly account = this.session.accountOf(this.scheduler)
}

t.test('parsing counts, a slice within counts once', async (t) => {
  const room = new Room()
  const { edge, scheduler, session, account } = room
  const other = scheduler.of('other')
  const othersMs = scheduler.accounts.othersMs(other)
  const told: number[] = []
  other.onServed = (ms) => told.push(ms)
  edge.begin(5_000)
  room.ms += 3
  scheduler.charge(account, 2)
  room.ms += 4
  edge.end(session)
  t.equal(account.spentMs, 7)
  t.equal(scheduler.served(other, othersMs), 7)
  t.same(told, [7])
  t.ok(scheduler.isBusy, 'a long one makes commands wait')
})

t.test('one that sets another going is charged once, for the first', async (t) => {
  const room = new Room()
  const { edge, scheduler, session, account } = room
  const second = new Session({ protocol: 'internal', id: 2, remoteAddress: '192.0.2.2:5' })
  edge.begin(5_000)
  room.ms += 1
  edge.begin(5_000)
  room.ms += 2
  edge.end(second)
  edge.end(session)
  t.equal(account.spentMs, 3)
  t.equal(second.accountOf(scheduler).spentMs, 0)
})

t.test('many small ones make nothing wait, and count all the same', async (t) => {
  const room = new Room()
  const { edge, scheduler, session, account } = room
  const each = edgeSliceMsMin / 2
  const count = 8 * Math.ceil(tickMsMax / each)
  let timed = 0
  for (let i = 0; i < count; i++) {
    const isTimed = edge.begin(20)
    room.ms += each
    if (!isTimed) continue
    timed++
    edge.end(session)
  }
  t.equal(timed, count / 8, 'few looks at the clock')
  t.equal(account.spentMs, count * each)
  t.notOk(scheduler.isBusy)
})

t.test('a long one among the small ones counts once', async (t) => {
  const room = new Room()
  const { edge, session, account } = room
  let isTimed = false
  while (!isTimed) isTimed = edge.begin(20)
  room.ms += 50
  edge.end(session)
  t.equal(account.spentMs, 50)
})
