// Messages between gateways over PostgreSQL: each gateway gets those of the others, in order, equal
// ones and large ones too, also after its connection was lost.

import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { type Exchange, topic } from '../../../src/store/exchange.js'
import type { Store } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

function exchangeOf({ exchange }: Store): Exchange {
  if (exchange === undefined) throw new Error('a shared store has an exchange')
  return exchange
}

async function open(t: Test, count: number) {
  const address = await sharedAddress(t)
  const exchanges: Exchange[] = []
  for (let i = 0; i < count; i++) exchanges.push(exchangeOf(await openShared(t, address)))
  return { address, exchanges }
}

const textOf = (body: Uint8Array): string => Buffer.from(body).toString()

t.test('all arrive in order', { skip: postgresMissing }, async (t) => {
  const { exchanges } = await open(t, 3)
  const received = exchanges.map((exchange) => {
    const texts: string[] = []
    exchange.receive(topic.published, (body) => texts.push(textOf(body)))
    return texts
  })
  const sent: string[] = []
  for (let n = 0; n < 200; n++) {
    const text = n % 50 === 0 ? `${n} ${'x'.repeat(100_000)}` : n % 3 === 0 ? 'same' : String(n)
    sent.push(text)
    exchanges[0]?.send(topic.published, utf8(text))
    if (n % 20 === 0) await turn()
  }
  await new Promise<void>((resolve) => {
    exchanges[0]?.send(topic.published, utf8('last'), resolve)
  })
  while (received.slice(1).some((texts) => texts.at(-1) !== 'last')) await turn()
  t.same(received[0], [], 'none comes back to its sender')
  for (const texts of received.slice(1)) t.same(texts, [...sent, 'last'])
})

t.test('peers are known', { skip: postgresMissing }, async (t) => {
  const { address, exchanges } = await open(t, 1)
  const [first] = exchanges
  t.equal(first?.hasPeers, false)
  const second = await openShared(t, address)
  while (first?.hasPeers !== true || !exchangeOf(second).hasPeers) await turn()
  await second.close()
  while (first.hasPeers) await turn()
  t.pass('one that has closed is no peer')
})

t.test('a lost connection is opened again', { skip: postgresMissing }, async (t) => {
  const { address, exchanges } = await open(t, 2)
  const [first, second] = exchanges as [Exchange, Exchange]
  const received: string[] = []
  second.receive(topic.published, (body) => received.push(textOf(body)))
  let lost = 0
  second.whenLost(() => lost++)
  const client = new pg.Client({ connectionString: address.replace(/&schema=.*/, '') })
  await client.connect()
  t.teardown(() => client.end())
  for (let round = 1; round <= 2; round++) {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'sigil notices'`,
    )
    while (lost < round) await turn()
    const text = `after ${round}`
    while (received.at(-1) !== text) {
      await new Promise<void>((resolve) => {
        first.send(topic.published, utf8(text), resolve)
        setTimeout(resolve, 20)
      })
    }
  }
  t.equal(lost, 2, 'who listens is told to look again')
})
