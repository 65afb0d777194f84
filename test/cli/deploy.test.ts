// `sigil deploy` against a chain over HTTP: what it prints is what a Sigil starts with.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openLocalChain } from '../../src/chain/local/open.js'
import {
  chainOwner,
  chainStation,
  materialFor,
  openClients,
  registerBySigning,
} from '../support/chain-room.js'
import { RpcServer } from '../support/rpc-server.js'
import { runSigil } from '../support/sigil-process.js'
import { testWallet } from '../support/wallet.js'

const other = testWallet('another gas station')

function settingsOf(output: string): Record<string, string> {
  return Object.fromEntries(
    [...output.matchAll(/^ {2}([A-Z_]+)=(\S+)$/gm)].map((m) => [m[1], m[2]]),
  )
}

t.test('deploy makes the contracts once, and hands the gas station over', async (t) => {
  const chain = await openLocalChain({
    ...{ folder: undefined, chainId: 31_337, clock: systemClock, log: silentLog },
    fund: [chainOwner.address, chainStation.address, other.address],
  })
  t.teardown(() => chain.close())
  const server = await RpcServer.open(t, chain)
  const base = {
    CHAIN_RPC_URL: server.url(),
    CHAIN_ID: '31337',
    CHAIN_PRIVATE_KEY: chainOwner.privateKey,
    AUTH_GAS_STATION_PRIVATE_KEY: chainStation.privateKey,
  }
  const first = await runSigil(['deploy'], base)
  t.equal(first.code, 0, first.errors)
  t.notMatch(first.output + first.errors, chainOwner.privateKey.slice(2))
  const settings = settingsOf(first.output)
  t.match(settings, {
    ...{ CHAIN_ID: '31337', CHAIN_DEPLOY_BLOCK: /^\d+$/ },
    AUTH_CONTRACT_ADDRESS: /^0x[0-9a-fA-F]{40}$/,
    ANCHOR_CONTRACT_ADDRESS: /^0x[0-9a-fA-F]{40}$/,
  })
  const { CHAIN_PRIVATE_KEY: _, ...start } = { ...base, ...settings }
  const { registry } = await openClients(t, start)
  const relayed = await registerBySigning(registry, testWallet('alice'), materialFor('a'))
  t.match(relayed, { index: 0 })
  const again = await runSigil(['deploy'], { ...base, ...settings })
  t.match(again.output, /Nothing was sent/)
  t.same(settingsOf(again.output), settings)
  const moved = { ...base, ...settings, AUTH_GAS_STATION_PRIVATE_KEY: other.privateKey }
  const handed = await runSigil(['deploy'], moved)
  t.match(handed.output, /Sent 2 transactions/)
  const { registry: later } = await openClients(t, { ...start, ...moved, CHAIN_PRIVATE_KEY: '' })
  t.match(await registerBySigning(later, testWallet('alice'), materialFor('b')), { index: 1 })
})

t.test('deploy says what it lacks', async (t) => {
  const wrong: readonly [Record<string, string>, RegExp][] = [
    [{}, /needs CHAIN_RPC_URL/],
    [{ CHAIN_RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '1' }, /needs CHAIN_RPC_URL/],
    [
      { CHAIN_RPC_URL: 'http://127.0.0.1:1', CHAIN_PRIVATE_KEY: chainOwner.privateKey },
      /needs CHAIN_ID/,
    ],
    [
      {
        ...{ CHAIN_RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '1' },
        CHAIN_PRIVATE_KEY: chainOwner.privateKey,
      },
      /127\.0\.0\.1:1 did not answer/,
    ],
  ]
  for (const [environment, message] of wrong) {
    const { code, errors } = await runSigil(['deploy'], environment)
    t.equal(code, 1)
    t.match(errors, message)
    t.equal(errors.trim().split('\n').length, 1)
    t.notMatch(errors, chainOwner.privateKey.slice(2))
  }
})
