// Bodies that never end: told by one timer for all of them, after the time that a request may take
// and not before. Those whose client is gone take nothing of the budget.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mock } from 'node:test'
import t from 'tap'
import { ByteBudget } from '../../../../src/base/heap/byte-budget.js'
import { requestMsMax } from '../../../../src/base/limits/http.js'
import {
  type Held,
  readBody,
  SlowBodies,
  slowBodyCheckMs,
} from '../../../../src/listeners/http/core/body.js'

/** In steps, so that a timer which is set anew runs in its time. */
function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += slowBodyCheckMs) mock.timers.tick(slowBodyCheckMs)
}

t.test('a body that takes longer than a request may is told once, others never', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const bodies = new SlowBodies()
  const told: string[] = []
  const quick = () => told.push('quick')
  bodies.begin(() => told.push('first'))
  bodies.begin(quick)
  pass(slowBodyCheckMs)
  bodies.begin(() => told.push('second'))
  bodies.end(quick)
  pass(requestMsMax - slowBodyCheckMs)
  t.same(told, [], 'not before its time')
  pass(slowBodyCheckMs)
  t.same(told, ['first'])
  pass(2 * slowBodyCheckMs)
  t.same(told, ['first', 'second'])
  pass(2 * requestMsMax)
  bodies.begin(() => told.push('third'))
  pass(requestMsMax + 2 * slowBodyCheckMs)
  t.same(told, ['first', 'second', 'third'], 'it begins to look again')
})

t.test('a body whose client went before it was read is given up at once', async (t) => {
  const server = createServer()
  t.teardown(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n{')
  const [incoming] = await once(server, 'request')
  const gone = new Promise((resolve) => incoming.on('close', resolve))
  socket.destroy()
  await gone
  const services = { budget: new ByteBudget(2_000_000), slowBodies: new SlowBodies() }
  const held: Held = { release: undefined, isRead: false }
  const reading = async () => readBody(incoming, services, held, String)
  await t.rejects(reading(), { message: 'the client closed the connection' })
  held.release?.()
  t.equal(services.budget.bytesUsed, 0)
})
