// Recorded conversations of real clients, replayed byte for byte: a change of any reply that a
// client has seen shows here. `npm run record -- <script>` writes them anew.

import t, { type Test } from 'tap'
import { type Fixture, readFixtures } from '../record/fixture.js'
import { openFixedGateway } from '../support/gateway.js'
import { replyOf, WireClient } from '../support/wire-client.js'

for (const fixture of readFixtures()) {
  t.test(`${fixture.name} (${fixture.client}) is answered as it was recorded`, (t) =>
    replay(t, fixture),
  )
}

async function replay(t: Test, fixture: Fixture): Promise<void> {
  const gateway = await openFixedGateway(fixture)
  const clients = new Map<number, WireClient>()
  t.teardown(async () => {
    for (const client of clients.values()) await client.close()
    await gateway.close()
  })
  for (const [index, { from, connection, hex }] of fixture.frames.entries()) {
    let client = clients.get(connection)
    if (client === undefined) {
      client = await WireClient.open(gateway.ports.wire)
      clients.set(connection, client)
    }
    if (from === 'client') {
      client.send(Buffer.from(hex, 'hex'))
      continue
    }
    const answer = await client.next()
    const got = answer === undefined ? '' : Buffer.from(answer).toString('hex')
    if (got === hex) continue
    const wanted = replyOf(Buffer.from(hex, 'hex'))
    t.same(answer === undefined ? 'closed' : replyOf(answer), wanted, `frame ${index}`)
    t.equal(got, hex, `frame ${index}`)
    return
  }
  for (const client of clients.values()) t.equal(client.unread, 0)
  t.ok(fixture.frames.length > 0)
}
