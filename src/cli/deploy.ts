// `sigil deploy`: deploys the key registry and the anchor contract to the chain of CHAIN_RPC_URL,
// appoints the gas station if its key is set, and prints the resulting settings. Contracts with a
// configured address are verified and kept.

import { systemClock } from '../base/clock.js'
import { fail, GatewayError } from '../base/errors.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { Deployed } from '../chain/deploy.js'

/** Poll interval for a receipt, milliseconds. */
const pollMs = 1_000

/** Exit code 0; rejects with InvalidOptions for missing settings, else with the chain's error. */
export async function runDeploy(settings: Settings): Promise<number> {
  const { CHAIN_RPC_URL: urls, CHAIN_ID: chainId, CHAIN_PRIVATE_KEY, CHAIN_QUORUM } = settings
  if (urls.length === 0 || CHAIN_PRIVATE_KEY === undefined) {
    const text = 'deploy needs CHAIN_RPC_URL, CHAIN_ID and CHAIN_PRIVATE_KEY'
    throw fail('InvalidOptions', `${text}; the local chain deploys by itself`)
  }
  // Loaded here, because no other program of the command line needs it.
  const { privateKey, requireChainId } = await import('../chain/settings.js')
  const { Remote } = await import('../chain/remote/remote.js')
  const { deployContracts } = await import('../chain/deploy.js')
  requireChainId(settings)
  const ownerKey = privateKey(settings, 'CHAIN_PRIVATE_KEY')
  const stationKey = privateKey(settings, 'AUTH_GAS_STATION_PRIVATE_KEY')
  if (ownerKey === undefined || ownerKey === stationKey) {
    const text = 'AUTH_GAS_STATION_PRIVATE_KEY and CHAIN_PRIVATE_KEY must be two keys'
    throw fail('InvalidOptions', text)
  }
  const of = { urls, quorum: CHAIN_QUORUM, chainId, clock: systemClock, log: silentLog }
  const provider = new Remote(of)
  try {
    await provider.latest()
    const deployed = await deployContracts({
      provider,
      chainId,
      ownerKey,
      stationKey,
      pollMs,
      registry: settings.AUTH_CONTRACT_ADDRESS,
      anchor: settings.ANCHOR_CONTRACT_ADDRESS,
    })
    process.stdout.write(report(deployed, settings))
    return 0
  } catch (error) {
    if (error instanceof GatewayError || !(error instanceof Error)) throw error
    throw fail('HostUnreachable', `the chain: ${error.message}`)
  }
}

function report({ registry, anchor, block, sent }: Deployed, settings: Settings): string {
  const isNew = settings.AUTH_CONTRACT_ADDRESS === undefined
  const lines = [
    sent.length === 0
      ? 'Everything was there already. Nothing was sent.'
      : `Sent ${sent.length} transactions:`,
    ...sent.map((hash) => `  ${hash}`),
    '',
    'Settings that use these contracts:',
    '',
    `  CHAIN_ID=${settings.CHAIN_ID}`,
    // Only the deployer of an existing contract knows its block.
    `  CHAIN_DEPLOY_BLOCK=${isNew ? block : settings.CHAIN_DEPLOY_BLOCK}`,
    `  AUTH_CONTRACT_ADDRESS=${registry}`,
    `  ANCHOR_CONTRACT_ADDRESS=${anchor}`,
    '',
  ]
  return `${lines.join('\n')}\n`
}
