// The key-value protocol on a real socket: order, versions, limits before login, and every way to an
// end of the connection.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import t from 'tap'
import { makeCertificate } from '../../support/certificate.js'
import { testKey } from '../../support/gateway.js'
import { startGateway } from '../../support/live-gateway.js'
import { encode, RespClient, type RespReply } from '../../support/resp-client.js'
import { temporaryFolder } from '../../support/stores.js'

const open = { AUTH_MODE: 'off' } as const

async function replies(client: RespClient, count: number): Promise<(RespReply | undefined)[]> {
  const found: (RespReply | undefined)[] = []
  for (let i = 0; i < count; i++) found.push(await client.next())
  return found
}

t.test('a pipeline in one write, and cut at every byte, is answered in order', async (t) => {
  const gateway = await startGateway(t, open)
  const stream = Buffer.concat([
    encode(['SET', 'a', '1']),
    encode(['INCR', 'a']),
    Buffer.from('PING\r\n\r\n'),
    encode(['GET', 'a']),
    encode(['HSET', 'h', 'f', 'v']),
    encode(['HGET', 'h', 'f']),
    encode(['DEL', 'a', 'h']),
  ])
  const wanted = ['+OK', ':2', '+PONG', '$2', ':1', '$v', ':2']
  const client = await RespClient.open(gateway.ports.redis)
  client.send(stream)
  t.same(await replies(client, 7), wanted)
  for (let cut = 1; cut < stream.length; cut += 7) {
    client.send(stream.subarray(0, cut))
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    client.send(stream.subarray(cut))
    t.same(await replies(client, 7), wanted, `cut at ${cut}`)
  }
  client.close()
})

t.test('HELLO amid a pipeline changes the replies behind it, not those before', async (t) => {
  const gateway = await startGateway(t, open)
  const client = await RespClient.open(gateway.ports.redis)
  client.send(
    Buffer.concat([
      encode(['SET', 'a', '1']),
      encode(['GET', 'missing']),
      encode(['HELLO', '3']),
      encode(['GET', 'missing']),
      encode(['HELLO', '2']),
      encode(['GET', 'missing']),
    ]),
  )
  const [set, nil2, hello3, nil3, hello2, again] = await replies(client, 6)
  t.same([set, nil2, nil3, again], ['+OK', '$-1', '_', '$-1'])
  t.same(hello3?.slice(0, 3), ['%7', '$server', '$redis'])
  t.same(hello2?.slice(0, 3), ['*14', '$server', '$redis'])
  client.close()
})

t.test('before login a client may say little, and only little at a time', async (t) => {
  const gateway = await startGateway(t)
  const { redis } = gateway.ports
  const client = await RespClient.open(redis)
  t.equal(await client.call('GET', 'a'), '-NOAUTH Authentication required.')
  t.match(await client.call('HELLO', '3'), /^-NOAUTH HELLO must be called/)
  t.equal(await client.call('AUTH', testKey), '+OK')
  t.equal(await client.call('SET', 'a', 'x'.repeat(20_000)), '+OK')
  client.close()
  const refused: readonly (readonly [string, string])[] = [
    ['*11\r\n', '-ERR Protocol error: unauthenticated multibulk length'],
    ['*2\r\n$3\r\nGET\r\n$16385\r\n', '-ERR Protocol error: unauthenticated bulk length'],
  ]
  for (const [stream, wanted] of refused) {
    const unauthenticated = await RespClient.open(redis)
    unauthenticated.send(stream)
    t.same(await replies(unauthenticated, 2), [wanted, undefined])
  }
  const guesser = await RespClient.open(redis)
  for (let i = 0; i < 5; i++) t.match(await guesser.call('AUTH', 'wrong'), /^-WRONGPASS/)
  t.equal(await guesser.next(), undefined, 'closed')
})

t.test('a broken stream is answered behind what is owed, and closed', async (t) => {
  const gateway = await startGateway(t, open)
  const cases: readonly (readonly [string, string])[] = [
    ['*abc\r\n', 'invalid multibulk length'],
    ['*1\r\n$abc\r\n', 'invalid bulk length'],
    ['*1\r\n:1\r\n', "expected '$', got ':'"],
    ['"open\r\n', 'unbalanced quotes in request'],
  ]
  for (const [stream, text] of cases) {
    const client = await RespClient.open(gateway.ports.redis)
    client.send(Buffer.concat([encode(['SET', 'a', '1']), Buffer.from(stream)]))
    const wanted = ['+OK', `-ERR Protocol error: ${text}`, undefined]
    t.same(await replies(client, 3), wanted)
  }
})

t.test(
  'QUIT is answered and ends it; a browser is told in its language and runs nothing',
  async (t) => {
    const gateway = await startGateway(t, open)
    const client = await RespClient.open(gateway.ports.redis)
    client.send(
      Buffer.concat([encode(['SET', 'q', '1']), encode(['QUIT']), encode(['SET', 'q', '2'])]),
    )
    t.same(await replies(client, 3), ['+OK', '+OK', undefined])
    const other = await RespClient.open(gateway.ports.redis)
    t.equal(await other.call('GET', 'q'), '$1')
    other.close()
    const url = `http://127.0.0.1:${gateway.ports.redis}`
    const page = await fetch(url, { method: 'POST', body: 'SET q 3\r\n' })
    t.equal(page.status, 400)
    t.match(await page.text(), 'its port is the setting HTTP_PORT')
    const browser = await RespClient.open(gateway.ports.redis)
    await browser.call('PING')
    browser.send('POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSET q 3\r\n')
    t.equal(await browser.next(), undefined, 'behind a command it is dropped without a word')
  },
)

t.test('a client that takes no replies is not read from, and gets them all later', async (t) => {
  const gateway = await startGateway(t, open)
  const client = await RespClient.open(gateway.ports.redis)
  await client.call('SET', 'big', 'x'.repeat(500_000))
  client.socket.pause()
  const count = 40
  for (let i = 0; i < count; i++) client.send(encode(['GET', 'big']))
  client.send(encode(['PING']))
  const other = await RespClient.open(gateway.ports.redis)
  t.equal(await other.call('PING'), '+PONG')
  client.socket.resume()
  const found = await replies(client, count + 1)
  t.equal(found.filter((reply) => reply?.length === 500_001).length, count)
  t.equal(found.at(-1), '+PONG')
  client.close()
  other.close()
})

t.test('a key set here is a document there', async (t) => {
  const gateway = await startGateway(t, open)
  const client = await RespClient.open(gateway.ports.redis)
  const post = async (path: string, body: unknown) => {
    const reply = await fetch(`${gateway.url}/api/v1/collections/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return reply.json() as Promise<Record<string, unknown>>
  }
  const names = async () => {
    const listed = await fetch(`${gateway.url}/api/v1/collections`)
    const { collections } = (await listed.json()) as { collections: { name: string }[] }
    return collections.map(({ name }) => name)
  }
  t.same(await names(), [])
  await client.call('SET', 'a', 'text')
  t.same(await names(), ['kv0'])
  t.match(await post('kv0/find', { filter: { _id: 'a' } }), {
    cursor: { firstBatch: [{ _id: 'a', type: 'string', value: 'text' }] },
  })
  await post('kv0/updateOne', { filter: { _id: 'a' }, update: { $set: { value: 'changed' } } })
  t.equal(await client.call('GET', 'a'), '$changed')
  t.match(await post('kv0/insertOne', { document: { _id: 'b', value: 1 } }), { code: 121 })
  await client.call('PEXPIREAT', 'a', '1')
  await client.call('SET', 'gone', 'x', 'PX', '1')
  while ((await client.call('EXISTS', 'gone')) !== ':0');
  t.match(await post('kv0/count', { filter: {} }), { count: 0 })
  t.match(await post('kv0/find', { filter: {} }), { cursor: { firstBatch: [] } })
  client.close()
})

t.test('TLS from the first byte, and plaintext gets no answer', async (t) => {
  const folder = await temporaryFolder(t)
  const { cert, key } = makeCertificate()
  const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
  writeFileSync(files.TLS_CERT, cert)
  writeFileSync(files.TLS_KEY, key)
  const gateway = await startGateway(t, { ...open, ...files })
  const port = gateway.ports.redis
  const secure = new Redis({ port, host: '127.0.0.1', tls: { ca: cert } })
  t.equal(await secure.set('a', '1'), 'OK')
  t.equal(await secure.get('a'), '1')
  await secure.quit()
  const plain = await RespClient.open(port)
  plain.send(encode(['PING']))
  t.equal(await plain.next(), undefined)
})
