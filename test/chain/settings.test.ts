// What the chain's settings may say together, and what a set that contradicts itself is told.

import t from 'tap'
import { readSettings } from '../../src/base/settings.js'
import { planChain } from '../../src/chain/settings.js'
import { testWallet } from '../support/wallet.js'

const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const { privateKey } = testWallet('gas station')
const remote = {
  CHAIN_RPC_URL: 'https://a.example.org, https://b.example.org',
  CHAIN_ID: '11155111',
  AUTH_CONTRACT_ADDRESS: contract.toLowerCase(),
}
const plan = (environment: Record<string, string>) => planChain(readSettings(environment))

t.test('nothing set is the local chain', async (t) => {
  t.same(plan({}), { kind: 'local', chainId: 31_337 })
  t.same(plan({ CHAIN_ID: '31338' }), { kind: 'local', chainId: 31_338 })
})

t.test('a real chain has its addresses, its id and its registry', async (t) => {
  t.match(plan({ ...remote, CHAIN_QUORUM: '2', CHAIN_DEPLOY_BLOCK: '7' }), {
    ...{ kind: 'remote', chainId: 11_155_111, quorum: 2, deployBlock: 7, registry: contract },
    urls: ['https://a.example.org', 'https://b.example.org'],
    ...{ stationKey: undefined, anchor: undefined, sponsorBudget: 5n * 10n ** 16n },
  })
  const more = { AUTH_GAS_STATION_PRIVATE_KEY: privateKey.slice(2), SPONSOR_DAILY_BUDGET: '1.5' }
  t.match(plan({ ...remote, ...more }), { stationKey: privateKey, sponsorBudget: 15n * 10n ** 17n })
})

t.test('anchoring has its account, its depth and its budget', async (t) => {
  const owner = testWallet('owner').privateKey
  const given = { CHAIN_PRIVATE_KEY: owner, CHAIN_CONFIRMATIONS: '12', ANCHOR_DAILY_BUDGET: '0.1' }
  t.match(plan({ ...remote, ...given }), {
    ...{ anchorKey: owner, confirmations: 12, anchorBudget: 10n ** 17n },
  })
  t.match(plan(remote), { anchorKey: undefined, confirmations: 3, anchorBudget: 5n * 10n ** 16n })
  t.throws(() => plan({ ...remote, CHAIN_CONFIRMATIONS: '0' }), /CHAIN_CONFIRMATIONS/)
})

t.test('contradictions are refused by name, and no key is repeated', async (t) => {
  const wrong: readonly [Record<string, string>, RegExp][] = [
    [{ AUTH_CONTRACT_ADDRESS: contract }, /AUTH_CONTRACT_ADDRESS is of a real chain/],
    [{ ANCHOR_CONTRACT_ADDRESS: contract }, /ANCHOR_CONTRACT_ADDRESS is of a real chain/],
    [{ AUTH_GAS_STATION_PRIVATE_KEY: privateKey }, /AUTH_GAS_STATION_PRIVATE_KEY is of a real/],
    [{ CHAIN_RPC_URL: 'https://a.example.org' }, /needs AUTH_CONTRACT_ADDRESS/],
    [{ ...remote, CHAIN_ID: '' }, /needs CHAIN_ID/],
    [{ ...remote, CHAIN_QUORUM: '3' }, /CHAIN_QUORUM=3/],
    [{ ...remote, AUTH_CONTRACT_ADDRESS: `${contract}0` }, /not an address/],
    [{ ...remote, AUTH_CONTRACT_ADDRESS: contract.replace('F', 'f') }, /mistyped/],
    [{ ...remote, ANCHOR_CONTRACT_ADDRESS: '0x' }, /ANCHOR_CONTRACT_ADDRESS/],
    [{ ...remote, AUTH_GAS_STATION_PRIVATE_KEY: `${privateKey}ff` }, /not a private key/],
    [{ ...remote, AUTH_GAS_STATION_PRIVATE_KEY: '0'.repeat(64) }, /not a private key/],
    [{ ...remote, AUTH_GAS_STATION_PRIVATE_KEY: 'f'.repeat(64) }, /not a private key/],
    [
      { ...remote, AUTH_GAS_STATION_PRIVATE_KEY: privateKey, CHAIN_PRIVATE_KEY: privateKey },
      /two keys/,
    ],
  ]
  for (const [environment, message] of wrong) {
    t.throws(() => plan(environment), { name: 'GatewayError', code: 72, message })
    try {
      plan(environment)
    } catch (error) {
      t.notMatch(`${(error as Error).stack}`, privateKey.slice(2, 20))
    }
  }
  t.throws(() => readSettings({ SPONSOR_DAILY_BUDGET: '1e3' }), /amount of ether/)
})
