// What is read of a user name before a login, on each listener that speaks SCRAM: the same for a
// wallet that was never here, one with keys of the server, and one that has replaced them.

import { Binary } from 'bson'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import t from 'tap'
import { int32, message, startup, text } from '../protocol/pgwire/frontend.js'
import { startGateway } from '../support/live-gateway.js'
import { SqlClient, version3 } from '../support/sql-client.js'
import { testWallet } from '../support/wallet.js'
import { madeOf, WalletClient } from '../support/wallet-client.js'
import { type ReplyFields, textOf, WireClient } from '../support/wire-client.js'

const nonce = 'r0P3r0P3r0P3'

function startOf(mechanism: string, user: string): ReplyFields {
  const payload = new Binary(Buffer.from(`n,,n=${user},r=${nonce}`))
  return { saslStart: 1, mechanism, payload, options: { skipEmptyExchange: true } }
}

/** Salt and iterations of the server's first message. */
function shown(serverFirst: string): string {
  return serverFirst.replace(/^r=[^,]*,/, '')
}

async function overWire(port: number, user: string): Promise<readonly unknown[]> {
  const client = await WireClient.open(port)
  const hello = await client.run({ hello: 1, saslSupportedMechs: `admin.${user}`, $db: 'admin' })
  const speculativeAuthenticate = { ...startOf('SCRAM-SHA-256', user), db: 'admin' }
  const speculative = await client.run({ hello: 1, speculativeAuthenticate, $db: 'admin' })
  const { payload } = speculative.speculativeAuthenticate as ReplyFields
  const started = await client.run({ ...startOf('SCRAM-SHA-256', user), $db: 'admin' })
  const older = await client.run({ ...startOf('SCRAM-SHA-1', user), $db: 'admin' })
  await client.close()
  return [
    ...[hello.saslSupportedMechs, shown(textOf(payload)), shown(textOf(started.payload))],
    [older.code, String(older.errmsg).replaceAll(user, '')],
  ]
}

async function overSql(port: number, user: string): Promise<string> {
  const client = await SqlClient.open(port)
  client.send(startup(version3, { user, database: 'main' }))
  await client.until('Sasl')
  const first = Buffer.from(`n,,n=,r=${nonce}`)
  client.send(message('p', text('SCRAM-SHA-256'), int32(first.length), first))
  const answer = JSON.stringify(await client.until('SaslContinue'))
  client.close()
  const [, serverFirst = answer] = /(s=[^",]*,i=\d+)/.exec(answer) ?? []
  return serverFirst
}

t.test('a name tells nothing of the keys behind it', async (t) => {
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  const wallet = testWallet('salts')
  const { address } = wallet
  const names = [address, address.toLowerCase(), `${address}:s0`, `${address}:s1`, `${address}:0`]
  const seen = async () => {
    const all: unknown[] = []
    for (const name of names) {
      all.push(await overWire(ports.wire, name), await overSql(ports.sql, name))
    }
    return all
  }
  const unknown = await seen()
  t.match(JSON.stringify(unknown[0]), /s=[\w+/]{43}=,i=4096/)
  t.match(String(unknown[1]), /s=[\w+/]{43}=,i=4096/)
  const client = await WalletClient.signIn(url, wallet)
  t.same(await seen(), unknown, 'signed in')
  let made = await client.issue()
  t.same(await seen(), unknown, 'with a key')
  for (let times = 1; times <= 2; times++) {
    made = madeOf(await client.send('POST', `/api/v1/keys/${made.hash}/rotate`, {}))
    t.same(await seen(), unknown, `replaced ${times} times`)
    const uri = `mongodb://${address}:${made.apiKey}@127.0.0.1:${ports.wire}/main`
    const driver = await MongoClient.connect(`${uri}?authMechanism=SCRAM-SHA-256`)
    const { authInfo } = await driver.db('admin').command({ connectionStatus: 1 })
    t.equal(authInfo.authenticatedUsers[0]?.user, made.connection.user)
    await driver.close()
    const sql = new pg.Client({
      ...{ host: '127.0.0.1', port: ports.sql, database: 'main' },
      ...{ user: address, password: made.apiKey },
    })
    await sql.connect()
    await sql.end()
  }
  await client.send('DELETE', `/api/v1/keys/${made.hash}`)
  t.same(await seen(), unknown, 'ended')
})
