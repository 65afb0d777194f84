// Thousands of requests on one socket, and refused COPY on another: all are answered, no listener is
// added for each.

import { connect } from 'node:net'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failOnListenerLeaks } from '../support/no-warnings.js'
import { SqlClient } from '../support/sql-client.js'

failOnListenerLeaks(t)
const requests = 3_000

/** Sends the text and waits for that many matches in the answer. */
function answered(port: number, text: string, wanted: RegExp, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let got = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      got += String(chunk)
      const found = got.match(wanted)?.length ?? 0
      if (found >= count) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(got.match(wanted)?.length ?? 0))
    socket.write(text)
  })
}

t.test('pipelines of thousands of requests leak no listener', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off', RATE_LIMITS: 'off' })
  const get = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${ports.http}\r\n\r\n`
  t.equal(await answered(ports.http, get.repeat(requests), /HTTP\/1\.1 /g, requests), requests)
  const commands = 'SET k v\r\nGET k\r\n'.repeat(requests)
  t.equal(await answered(ports.redis, commands, /\$1\r\n/g, requests), requests)
  const { client } = await SqlClient.enter(ports.sql)
  t.teardown(() => client.close())
  for (let i = 0; i < 100; i++) {
    t.match((await client.query('COPY t FROM STDIN')).at(-1), ['ReadyForQuery'])
  }
})
