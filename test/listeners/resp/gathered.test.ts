// Commands of one connection that arrive one by one while an earlier one waits: clients that many
// tasks of an application share send so. They are run together, not one after the other.

import t from 'tap'
import { KeyValueBus } from '../../../src/bus/keyvalue/bus.js'
import { startGateway } from '../../support/live-gateway.js'
import { encode, RespClient, type RespReply } from '../../support/resp-client.js'

const count = 20

t.test('what arrives one by one behind a command that waits shares a program', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const { redis } = gateway.ports
  const [client, other] = [await RespClient.open(redis), await RespClient.open(redis)]
  const writes: number[] = []
  const { run } = KeyValueBus.prototype
  KeyValueBus.prototype.run = function (calls, isWrite) {
    if (isWrite) writes.push(calls.length)
    return run.call(this, calls, isWrite)
  }
  t.teardown(() => {
    KeyValueBus.prototype.run = run
    client.close()
    other.close()
  })
  t.equal(await other.call('CLIENT', 'PAUSE', '60000', 'WRITE'), '+OK')
  for (let i = 0; i < count; i++) {
    client.send(encode(['INCR', 'n']))
    // When this is answered, the gateway has read what was sent before it.
    t.equal(await other.call('PING'), '+PONG')
  }
  t.equal(await other.call('CLIENT', 'UNPAUSE'), '+OK')
  const replies: (RespReply | undefined)[] = []
  for (let i = 0; i < count; i++) replies.push(await client.next())
  t.same(
    replies,
    Array.from({ length: count }, (_, i) => `:${i + 1}`),
  )
  t.ok(writes.length <= 3, `${writes.length} programs: ${writes.join(' ')}`)
})
