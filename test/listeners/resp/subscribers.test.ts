// Subscribers on real sockets: a slow one is cut and the others get everything; pushes come between
// replies and never inside one.

import t from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { RespClient } from '../../support/resp-client.js'

const off = { AUTH_MODE: 'off' }

t.test('a subscriber that takes nothing is cut, and the others do not notice', async (t) => {
  const gateway = await startGateway(t, off)
  const [slow, quick, publisher] = await Promise.all(
    [1, 2, 3].map(() => RespClient.open(gateway.ports.redis)),
  )
  if (slow === undefined || quick === undefined || publisher === undefined) throw new Error()
  t.teardown(() => [slow, quick, publisher].map((client) => client.close()))
  await slow.call('SUBSCRIBE', 'a')
  slow.socket.pause()
  await quick.call('SUBSCRIBE', 'a')
  const payload = Buffer.alloc(1_000_000, 'x')
  let sent = 0
  // As many as fit 32 MiB stay, and what the system's own buffers take comes on top.
  for (let receivers = ':2'; receivers === ':2' && sent < 64; sent++) {
    receivers = String(await publisher.call('PUBLISH', 'a', payload))
    const message = await quick.next()
    if (!Array.isArray(message) || message[3] !== `$${payload}`) t.fail('a message is missing')
  }
  t.ok(sent > 32 && sent < 64, `cut after ${sent} MB`)
  t.equal(await publisher.call('PUBLISH', 'a', 'last'), ':1')
  t.same(await quick.next(), ['*3', '$message', '$a', '$last'])
})

t.test('CONFIG SET client-output-buffer-limit holds for who is connected', async (t) => {
  const gateway = await startGateway(t, off)
  const [slow, greedy, publisher] = await Promise.all(
    [1, 2, 3].map(() => RespClient.open(gateway.ports.redis)),
  )
  if (slow === undefined || greedy === undefined || publisher === undefined) throw new Error()
  t.teardown(() => [slow, greedy, publisher].map((client) => client.close()))
  await slow.call('SUBSCRIBE', 'a')
  slow.socket.pause()
  const limits = 'pubsub 2mb 0 0 normal 3mb 0 0'
  t.equal(await publisher.call('CONFIG', 'SET', 'client-output-buffer-limit', limits), '+OK')
  // Two of them are within the limit, even if the system takes nothing of the first.
  const payload = Buffer.alloc(1_000_000, 'x')
  let sent = 0
  for (let receivers = ':1'; receivers === ':1' && sent < 32; sent++) {
    receivers = String(await publisher.call('PUBLISH', 'a', payload))
  }
  t.ok(sent > 2 && sent < 32, `cut after ${sent} MB`)
  await publisher.call('SET', 'large', Buffer.alloc(4 * 1024 * 1024))
  t.equal(await greedy.call('PING'), '+PONG')
  greedy.send('GET large\r\n')
  t.equal(await greedy.next(), undefined, 'a reply beyond the limit of its class ends it')
})

t.test('messages to a client that waits for a key arrive while it waits', async (t) => {
  const gateway = await startGateway(t, off)
  const [client, other] = await Promise.all([1, 2].map(() => RespClient.open(gateway.ports.redis)))
  if (client === undefined || other === undefined) throw new Error()
  t.teardown(() => [client, other].map((each) => each.close()))
  await client.call('HELLO', '3')
  await client.call('SUBSCRIBE', 'a')
  const waiting = client.call('BLPOP', 'list', '0')
  while ((await other.call('PUBLISH', 'a', 'x')) !== ':1') t.fail('it listens')
  t.same(await waiting, ['>3', '$message', '$a', '$x'])
  await other.call('LPUSH', 'list', 'v')
  t.same(await client.next(), ['*2', '$list', '$v'])
})

t.test('pushes and replies of a pipeline keep their order', async (t) => {
  const gateway = await startGateway(t, off)
  const client = await RespClient.open(gateway.ports.redis)
  t.teardown(() => client.close())
  client.send(
    'HELLO 3\r\nSET k 1\r\nSUBSCRIBE a b\r\nGET k\r\nPUBLISH a x\r\nUNSUBSCRIBE\r\nPUBLISH a y\r\n',
  )
  await client.next()
  const rest: unknown[] = []
  for (let i = 0; i < 9; i++) rest.push(await client.next())
  t.same(rest, [
    '+OK',
    ['>3', '$subscribe', '$a', ':1'],
    ['>3', '$subscribe', '$b', ':2'],
    '$1',
    ['>3', '$message', '$a', '$x'],
    ':1',
    ['>3', '$unsubscribe', '$a', ':1'],
    ['>3', '$unsubscribe', '$b', ':0'],
    ':0',
  ])
})
