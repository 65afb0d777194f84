// A folder from before wallets had homes: it keeps what it had and says so, until `sigil spaces
// move` gives each wallet its own.

import { setTimeout } from 'node:timers/promises'
import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { runSpaces } from '../../src/cli/spaces.js'
import { keyClass } from '../../src/store/layout.js'
import { openStore } from '../../src/store/open.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { temporaryFolder } from '../support/stores.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(240_000)

const wallet = new Wallet(`0x${'61'.repeat(32)}`)
const home = `w_${wallet.address.toLowerCase()}`

/** As an older Sigil has left it: no rule is written down. */
async function forgetRule(STORE: string): Promise<void> {
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = await openStore(STORE, options)
  await store.write(function* (tx) {
    tx.remove(Uint8Array.of(keyClass.identity, 0x37))
  })
  await store.close()
}

/** Has the wallet's graph anchored; a chain that is slow to start does not count. */
async function anchored(client: WalletClient): Promise<void> {
  for (;;) {
    const { status, text } = await client.send('POST', '/api/anchor', { graph: 'notes' })
    if (status === 202) return
    if (status !== 503) throw new Error(text)
    await setTimeout(50)
  }
}

/** A sweep of the wallet's graph, once a root covers its memory and the chain has answered. */
async function sweptWhenAnchored(client: WalletClient): Promise<HttpAnswer['json']> {
  for (;;) {
    const { json } = await client.send('GET', '/api/verify/graph?graph=notes')
    const isSwept = json.unanchored === 0 && json.anchors === 1
    if (isSwept && json.problem !== 'chain unreachable') return json
    await setTimeout(50)
  }
}

async function running(t: Test, settings: Readonly<Record<string, string>>) {
  const ends: (() => Promise<void>)[] = []
  const gateway = await startGateway({ teardown: (end) => ends.push(end) }, settings)
  const client = await WalletClient.signIn(gateway.url, wallet)
  const resp = async (user: string, key: string) => {
    const opened = await RespClient.open(gateway.ports.redis)
    t.equal(await opened.call('AUTH', user, key), '+OK')
    ends.unshift(async () => opened.close())
    return opened
  }
  return {
    gateway,
    client,
    resp,
    end: async () => {
      for (const end of ends) await end()
    },
  }
}

t.test('an older folder keeps one space until it is moved', { timeout: 120_000 }, async (t) => {
  const STORE = `lmdb:${await temporaryFolder(t)}/data`
  const before = await running(t, { STORE, SHARED_SPACES: 'shared' })
  const { apiKey } = await before.client.issue()
  const shared = await before.resp(wallet.address, apiKey)
  await shared.call('SET', 'session:1', 'mine')
  await shared.call('SET', 'common', 'of all')
  await shared.call('RPUSH', 'session:list', ...Array.from({ length: 300 }, String))
  const made = await before.client.send('POST', '/api/memories', { graph: 'notes', text: 'kept' })
  t.equal(made.status, 201, made.text)
  await anchored(before.client)
  const wasSwept = await sweptWhenAnchored(before.client)
  t.match(wasSwept, { verified: true, problem: null }, 'it is proved before the move')
  await before.end()
  await forgetRule(STORE)

  const old = await running(t, { STORE })
  const told = old.gateway.notes.join('\n')
  t.match(told, /one space for all wallets, of mode 'shared'/, 'the start tells of the one space')
  t.match(told, /sigil spaces move/, 'the start tells how it is moved')
  const still = await old.resp(wallet.address, apiKey)
  t.equal(await still.call('GET', 'common'), '$of all', 'it keeps what it had')
  await old.end()

  const settings = readSettings({ STORE })
  const given = { keys: wallet.address, match: 'session:*' }
  t.equal(await runSpaces(settings, given), 0)
  t.equal(await runSpaces(settings, given), 0, 'a second run finds nothing to do')

  const after = await running(t, { STORE })
  t.same(
    after.gateway.notes.filter((note) => /space/.test(note)),
    [],
  )
  const own = await after.resp(wallet.address, apiKey)
  t.equal(await own.call('GET', 'session:1'), '$mine')
  t.equal(await own.call('LLEN', 'session:list'), ':300')
  t.equal(await own.call('GET', 'common'), '$-1')
  const common = await after.resp(`${wallet.address}~main`, apiKey)
  t.equal(await common.call('GET', 'common'), '$of all', 'what was shared stays so by its name')
  const recalled = await after.client.send('GET', '/api/recall?q=kept&graph=notes')
  t.match(recalled.text, 'kept', 'its graph is in its home')
  const { graphKey } = wasSwept
  const proved = { verified: true, problem: null, graphKey }
  t.match(await sweptWhenAnchored(after.client), proved, 'it is proved after the move')
  await anchored(after.client)
  t.match(await sweptWhenAnchored(after.client), proved, 'nothing is left to be anchored')
  const me = await ask(after.gateway.url, {
    path: '/api/v1/auth/me',
    headers: after.client.headers,
  })
  t.equal(me.json.home, home)
  await after.end()
})

t.test('what an older setting asks for is said', { timeout: 60_000 }, async (t) => {
  const STORE = `lmdb:${await temporaryFolder(t)}/data`
  const first = await running(t, { STORE })
  t.same(
    first.gateway.notes.filter((note) => /space/.test(note)),
    [],
  )
  await first.end()
  const second = await running(t, { STORE, SHARED_SPACES: 'shared' })
  t.match(second.gateway.notes.join('\n'), /is for a new folder/, 'the start tells of it')
  await second.end()
})
