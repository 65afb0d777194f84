// A second Sigil that has the first one's local chain as its real chain, over POST /chain: a key
// registered at one is known to the other, and so is its end.

import t from 'tap'
import { chainOwner } from '../support/chain-room.js'
import { startGateway } from '../support/live-gateway.js'

interface Health {
  readonly status: string
  readonly chain: Readonly<Record<string, unknown>>
}

async function json(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url)
  return (await response.json()) as Record<string, unknown>
}

async function health(url: string): Promise<Health> {
  return (await json(`${url}/health`)) as unknown as Health
}

const view = `/api/v1/registry?address=${chainOwner.address}`

t.test('the chain of one Sigil is the remote chain of another', async (t) => {
  const first = await startGateway(t)
  const { contract, nextIndex } = await json(first.url + view)
  t.equal(nextIndex, 0)
  t.match(await health(first.url), {
    status: 'ok',
    chain: { mode: 'local', chainId: 31_337, ok: true, ageMs: 0, head: Number },
  })
  const settings = { CHAIN_RPC_URL: `${first.url}/chain`, CHAIN_ID: '31337' }
  const second = await startGateway(t, { ...settings, AUTH_CONTRACT_ADDRESS: String(contract) })
  t.match(await json(second.url + view), { contract, nextIndex: 0, relays: false })
  t.match(await health(second.url), {
    status: 'ok',
    chain: { mode: 'remote', chainId: 31_337, ok: true, ageMs: Number },
  })
})

t.test('a chain that is away is told of, and nothing else is away with it', async (t) => {
  const { url, key } = await startGateway(t, {
    CHAIN_RPC_URL: 'http://127.0.0.1:1',
    CHAIN_ID: '11155111',
    AUTH_CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  })
  const answer = await fetch(`${url}${view}`)
  t.equal(answer.status, 503)
  t.match(await answer.json(), { ok: 0, code: 6, reason: 'CHAIN_UNAVAILABLE' })
  t.match(await health(url), { status: 'ok', chain: { mode: 'remote', ok: false, head: null } })
  const list = await fetch(`${url}/api/v1/collections`, { headers: { 'x-api-key': key } })
  t.equal(list.status, 200, 'the static key needs no chain')
  const wallet = await fetch(`${url}/api/v1/collections`, {
    headers: { authorization: `Bearer svc_live_${'ab'.repeat(32)}` },
  })
  t.equal(wallet.status, 503, 'what the chain decides is not guessed')
})
