// Validates the chain's settings together: contradictory settings are refused at the start, because
// no guess about them is safe. (docs/chain.md, "On a real chain")

import { checksumAddress } from '../base/bytes/eip55.js'
import { fail } from '../base/errors.js'
import type { Settings } from '../base/settings.js'

/** Default chain id of the local chain. */
const localChainId = 31_337
const keyForm = /^(?:0x)?[0-9a-fA-F]{64}$/
const addressForm = /^(?:0x)?([0-9a-fA-F]{40})$/
/** Order of secp256k1: a private key is a number below it. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type ChainSettings = Pick<
  Settings,
  | 'CHAIN_RPC_URL'
  | 'CHAIN_ID'
  | 'CHAIN_QUORUM'
  | 'CHAIN_DEPLOY_BLOCK'
  | 'CHAIN_CONFIRMATIONS'
  | 'CHAIN_PRIVATE_KEY'
  | 'AUTH_CONTRACT_ADDRESS'
  | 'ANCHOR_CONTRACT_ADDRESS'
  | 'AUTH_GAS_STATION_PRIVATE_KEY'
  | 'SPONSOR_DAILY_BUDGET'
  | 'ANCHOR_DAILY_BUDGET'
>

type ChainPlan =
  | { readonly kind: 'local'; readonly chainId: number }
  | {
      readonly kind: 'remote'
      readonly chainId: number
      readonly urls: readonly string[]
      readonly quorum: number
      readonly deployBlock: number
      /** EIP-55. */
      readonly registry: string
      readonly anchor: string | undefined
      readonly stationKey: string | undefined
      /** Wei a day. */
      readonly sponsorBudget: bigint
      /** Signs anchors. */
      readonly anchorKey: string | undefined
      /** Wei a day. */
      readonly anchorBudget: bigint
      readonly confirmations: number
    }

/** Throws InvalidOptions with the name of the setting, never a secret value. */
export function planChain(settings: ChainSettings): ChainPlan {
  const { CHAIN_RPC_URL: urls, CHAIN_ID } = settings
  if (urls.length === 0) {
    refuseRemote(settings)
    return { kind: 'local', chainId: CHAIN_ID === 0 ? localChainId : CHAIN_ID }
  }
  const { AUTH_CONTRACT_ADDRESS, ANCHOR_CONTRACT_ADDRESS, CHAIN_QUORUM } = settings
  if (AUTH_CONTRACT_ADDRESS === undefined) {
    const text = 'CHAIN_RPC_URL needs AUTH_CONTRACT_ADDRESS; `sigil deploy` makes the contract'
    throw fail('InvalidOptions', text)
  }
  requireChainId(settings)
  if (CHAIN_QUORUM > urls.length) {
    const text = `CHAIN_QUORUM=${CHAIN_QUORUM} needs as many addresses in CHAIN_RPC_URL`
    throw fail('InvalidOptions', text)
  }
  const stationKey = privateKey(settings, 'AUTH_GAS_STATION_PRIVATE_KEY')
  const ownerKey = privateKey(settings, 'CHAIN_PRIVATE_KEY')
  if (stationKey !== undefined && stationKey === ownerKey) {
    const text = 'AUTH_GAS_STATION_PRIVATE_KEY and CHAIN_PRIVATE_KEY must be two keys'
    throw fail('InvalidOptions', text)
  }
  return {
    kind: 'remote',
    chainId: CHAIN_ID,
    urls,
    quorum: CHAIN_QUORUM,
    stationKey,
    deployBlock: settings.CHAIN_DEPLOY_BLOCK,
    registry: addressOf('AUTH_CONTRACT_ADDRESS', AUTH_CONTRACT_ADDRESS),
    anchor:
      ANCHOR_CONTRACT_ADDRESS === undefined
        ? undefined
        : addressOf('ANCHOR_CONTRACT_ADDRESS', ANCHOR_CONTRACT_ADDRESS),
    sponsorBudget: settings.SPONSOR_DAILY_BUDGET,
    anchorKey: ownerKey,
    anchorBudget: settings.ANCHOR_DAILY_BUDGET,
    confirmations: settings.CHAIN_CONFIRMATIONS,
  }
}

/** Sign-in messages and signed acts contain the chain id, so it is never guessed. */
export function requireChainId({ CHAIN_ID }: Pick<ChainSettings, 'CHAIN_ID'>): void {
  if (CHAIN_ID === 0) throw fail('InvalidOptions', 'CHAIN_RPC_URL needs CHAIN_ID')
}

/** With 0x, lower case; undefined if not set. Throws InvalidOptions if it is invalid. */
export function privateKey(
  settings: ChainSettings,
  name: 'CHAIN_PRIVATE_KEY' | 'AUTH_GAS_STATION_PRIVATE_KEY',
): string | undefined {
  const given = settings[name]
  if (given === undefined) return undefined
  const key = `0x${given.replace(/^0x/, '').toLowerCase()}`
  if (keyForm.test(given) && BigInt(key) > 0n && BigInt(key) < curveOrder) return key
  throw fail('InvalidOptions', `setting ${name}: not a private key (64 hex digits)`)
}

function refuseRemote(settings: ChainSettings): void {
  const remote = [
    'AUTH_CONTRACT_ADDRESS',
    'ANCHOR_CONTRACT_ADDRESS',
    'AUTH_GAS_STATION_PRIVATE_KEY',
  ] as const
  for (const name of remote) {
    if (settings[name] === undefined) continue
    const text = `${name} is of a real chain: set CHAIN_RPC_URL, or leave it out for the local one`
    throw fail('InvalidOptions', text)
  }
}

/** In EIP-55 form; an address in one case has no checksum. */
function addressOf(name: string, given: string): string {
  const digits = addressForm.exec(given)?.[1] ?? ''
  const lower = digits.toLowerCase()
  const address = checksumAddress(lower)
  const isMixed = digits !== lower && digits !== digits.toUpperCase()
  if (digits !== '' && (!isMixed || address === `0x${digits}`)) return address
  throw fail('InvalidOptions', `setting ${name}=${given}: not an address, or mistyped`)
}
