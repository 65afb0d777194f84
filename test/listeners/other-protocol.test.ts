// Each client at each port that is not its own: it is told in its own language which port it has
// reached and which it wants. Drivers of other projects show the text as their error.

import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

t.setTimeout(120_000)

t.test('a client at the port of another protocol is told in its own', async (t) => {
  const { ports } = await startGateway(t)
  const all = {
    wire: ports.wire ?? 0,
    redis: ports.redis ?? 0,
    sql: ports.sql ?? 0,
    http: ports.http ?? 0,
  }
  const asked = {
    http: askHttp,
    redis: askKeyValue,
    sql: askSql,
    wire: askWire,
  } as const
  const wanted = { http: 'HTTP_PORT', redis: 'REDIS_PORT', sql: 'SQL_PORT', wire: 'WIRE_PORT' }
  for (const own of ['http', 'redis', 'sql', 'wire'] as const) {
    for (const other of ['http', 'redis', 'sql', 'wire'] as const) {
      if (own === other) continue
      const told = await asked[own](all[other])
      t.match(told, `its port is the setting ${wanted[own]}`, `${own} at the port of ${other}`)
    }
  }
  t.equal((await fetch(`http://127.0.0.1:${all.http}/health`)).status, 200)
})

t.test('psql with its default of TLS is told too, at every port', async (t) => {
  const { ports } = await startGateway(t)
  const requests = { tls: 80_877_103, gssapi: 80_877_104 }
  for (const port of [ports.wire ?? 0, ports.redis ?? 0, ports.http ?? 0]) {
    for (const asked of [['tls'], ['gssapi', 'tls'], ['tls', 'gssapi']] as const) {
      const socket = connect(port, '127.0.0.1')
      for (const name of asked) {
        const request = Buffer.alloc(8)
        request.writeInt32BE(8)
        request.writeInt32BE(requests[name], 4)
        socket.write(request)
        t.equal(String(await once(socket, 'data')), 'N', `${name} at ${port}`)
      }
      const startup = Buffer.from('\0\0\0\x10\0\x03\0\0user\0u\0\0', 'latin1')
      startup.writeInt32BE(startup.length)
      socket.write(startup)
      const answer = String(await once(socket, 'data'))
      t.match(answer, /^E.*FATAL.*its port is the setting SQL_PORT/s)
      await once(socket, 'close')
    }
  }
})

t.test('what is no HTTP at all keeps the status of Node', async (t) => {
  const { ports } = await startGateway(t)
  t.match(await sent(ports.http ?? 0, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 Bad Request\r\n/)
  const long = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`
  t.match(await sent(ports.http ?? 0, long), /^HTTP\/1\.1 431 /)
})

async function askHttp(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  return `${answer.status} ${await answer.text()}`
}

async function askKeyValue(port: number): Promise<string> {
  const redis = new Redis({
    ...{ port, lazyConnect: true, retryStrategy: () => null },
    ...{ enableReadyCheck: false, disableClientInfo: true },
  })
  const told = new Promise<string>((resolve) =>
    redis.on('error', ({ message }) => resolve(message)),
  )
  try {
    await redis.connect()
    return await Promise.race([redis.ping(), told])
  } catch (error) {
    return String(error)
  } finally {
    redis.disconnect()
  }
}

async function askSql(port: number): Promise<string> {
  const client = new pg.Client({ port, host: '127.0.0.1', user: 'u', password: 'p', database: 'd' })
  client.on('error', () => {})
  try {
    await client.connect()
    return 'connected'
  } catch (error) {
    return String(error)
  }
}

async function askWire(port: number): Promise<string> {
  const options = { serverSelectionTimeoutMS: 5_000, directConnection: true }
  try {
    await MongoClient.connect(`mongodb://127.0.0.1:${port}`, options)
    return 'connected'
  } catch (error) {
    return String(error)
  }
}

/** All that comes back until the socket closes. */
async function sent(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    got += piece
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return got
}
