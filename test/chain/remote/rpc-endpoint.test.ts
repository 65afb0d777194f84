// One endpoint over real HTTP: what is no answer is told from a refusal, nothing is waited for
// without end, and its address stays out of every text.

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Clock } from '../../../src/base/clock.js'
import { RpcEndpoint } from '../../../src/chain/remote/rpc-endpoint.js'

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function handClock(): Clock & { ms: number } {
  const clock = { ms: 0, now: () => clock.ms, elapsed: () => clock.ms }
  return clock
}

const answers =
  (text: string, status = 200): RequestListener =>
  (incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.writeHead(status).end(text))
  }

const ask = { method: 'eth_chainId', params: [] }

t.test('https, and http on loopback alone', async (t) => {
  const clock = handClock()
  for (const good of ['https://rpc.example.org/v3/key', 'http://localhost:1', 'http://[::1]:1']) {
    t.doesNotThrow(() => new RpcEndpoint(good, clock), good)
  }
  for (const bad of ['http://rpc.example.org', 'ftp://127.0.0.1', 'ws://127.0.0.1', 'x', '']) {
    t.throws(() => new RpcEndpoint(bad, clock), { name: 'GatewayError', code: 72 }, bad)
  }
  t.equal(new RpcEndpoint('https://u:p@rpc.example.org/secret?k=1', clock).name, 'rpc.example.org')
})

t.test('results and refusals', async (t) => {
  const good = await serve(t, answers('{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'))
  t.equal(await new RpcEndpoint(`http://${good}`, handClock()).request(ask), '0x7a69')
  const error = '{"id":1,"error":{"code":3,"message":"execution reverted","data":"0x08"}}'
  for (const status of [200, 400]) {
    const bad = await serve(t, answers(error, status))
    const refused = new RpcEndpoint(`http://${bad}`, handClock()).request(ask)
    await t.rejects(refused, { name: 'RpcError', code: 3, data: '0x08' })
  }
})

t.test('what is no JSON-RPC answer is no answer', async (t) => {
  const texts = ['', 'null', '[]', '{"id":2,"result":"0x1"}', '<html>', '{"id":1', '1']
  for (const text of texts) {
    const at = await serve(t, answers(text))
    const asked = new RpcEndpoint(`http://${at}/secret`, handClock()).request(ask)
    const error = await asked.then(String, (thrown: Error) => thrown)
    t.match(error, { name: 'ChainAway', message: /127\.0\.0\.1/ }, text)
    t.notMatch(String(error), /secret/)
  }
  const moved = await serve(t, (_, outgoing) => {
    outgoing.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
  })
  await t.rejects(new RpcEndpoint(`http://${moved}`, handClock()).request(ask), /did not answer/)
  await t.rejects(new RpcEndpoint('http://127.0.0.1:1', handClock()).request(ask), /did not answer/)
})

t.test('an endless answer and none at all both end', async (t) => {
  const endless = await serve(t, (_, outgoing) => {
    outgoing.writeHead(200)
    const more = (): void => {
      while (outgoing.write(Buffer.alloc(1_000_000, 32)));
      outgoing.once('drain', more)
    }
    more()
  })
  await t.rejects(new RpcEndpoint(`http://${endless}`, handClock()).request(ask), /too long/)
  const silent = await serve(t, () => {})
  const asked = new RpcEndpoint(`http://${silent}`, handClock(), 50).request(ask)
  await t.rejects(asked, { name: 'ChainAway' })
})

t.test('after a second 429 in a row it is left alone, as long as it asks', async (t) => {
  let busy = 0
  let count = 0
  const at = await serve(t, (incoming, outgoing) => {
    count++
    incoming.resume().on('end', () => {
      if (busy-- > 0) outgoing.writeHead(429, { 'retry-after': '2' }).end('slow down')
      else outgoing.end(`{"id":${count},"result":"0x1"}`)
    })
  })
  const clock = handClock()
  const endpoint = new RpcEndpoint(`http://${at}`, clock)
  busy = 1
  await t.rejects(endpoint.request(ask), /429/)
  await t.rejects(endpoint.request(ask), /pause/)
  t.equal(count, 1, 'nothing was sent')
  clock.ms += 2_000
  t.equal(await endpoint.request(ask), '0x1')
})

t.test('user and password of the address become a header', async (t) => {
  let header: string | undefined
  const at = await serve(t, (incoming, outgoing) => {
    header = incoming.headers.authorization
    outgoing.end('{"id":1,"result":"0x1"}')
  })
  await new RpcEndpoint(`http://me:s%40cret@${at}`, handClock()).request(ask)
  t.equal(header, `Basic ${Buffer.from('me:s@cret').toString('base64')}`)
})
