// The recorded starts of psql, node-postgres and `postgres`, replayed byte for byte: what was
// answered then is answered now, the login by SCRAM included.

import { connect } from 'node:net'
import t from 'tap'
import { readSqlFixture, sqlStarts, type Turn } from '../record/sql-fixture.js'
import { fixedStart, openFixedGateway, steadyRandom } from '../support/gateway.js'

/** What the gateway says to each turn of the client. */
async function replay(port: number, turns: readonly Turn[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  let received = Buffer.alloc(0)
  let wake = (): void => {}
  let isClosed = false
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  const answers: string[] = []
  for (const { from, hex } of turns) {
    if (from === 'client') {
      socket.write(Buffer.from(hex, 'hex'))
      continue
    }
    while (received.length < hex.length / 2 && !isClosed) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    answers.push(received.toString('hex'))
    received = Buffer.alloc(0)
  }
  socket.destroy()
  return answers
}

for (const name of sqlStarts) {
  const { client, nowMs, frames } = readSqlFixture(name)
  t.test(`${client} is answered as it was`, async (t) => {
    const gateway = await openFixedGateway({ ...fixedStart, nowMs, random: steadyRandom })
    t.teardown(() => gateway.close())
    const said = frames.filter(({ from }) => from === 'server').map(({ hex }) => hex)
    t.same(await replay(gateway.ports.sql, frames), said)
  })
}
