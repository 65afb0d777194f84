// The anchor client of one chain with its station. Account, nonce, budget and stored rows are
// separate from those of the gas station.

import { Wallet } from 'ethers'
import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import type { Store } from '../../store/store.js'
import type { ContractReader } from '../registry/contract-reader.js'
import type { SharedHead } from '../remote/head.js'
import type { Provider } from '../remote/provider.js'
import { Rows, scopeOf } from '../rows.js'
import { GasStation } from '../sending/gas-station.js'
import { Intents } from '../sending/intents.js'
import { AnchorClient } from './anchor-client.js'

/** Gas of one transaction of anchors. */
const anchorGasMax = 3_000_000

export interface AnchorSettings {
  /** The contract (EIP-55) and the sender's private key; without both there is no anchoring. */
  readonly anchor: string | undefined
  readonly anchorKey: string | undefined
  /** Wei a day; undefined if gas is free. */
  readonly anchorBudget: bigint | undefined
  readonly confirmations: number
}

interface AnchorParts extends AnchorSettings {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly provider: Provider
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly isRemote: boolean
  readonly chainId: number
}

export interface OpenAnchors {
  readonly client: AnchorClient
  close(): Promise<void>
}

/** Resumes the transactions of an earlier process. */
export async function openAnchors(parts: AnchorParts): Promise<OpenAnchors | undefined> {
  const { anchor: contract, anchorKey, anchorBudget, confirmations, store } = parts
  const { provider, reader, head, isRemote, chainId, clock, log } = parts
  if (contract === undefined || anchorKey === undefined) return undefined
  const rows = new Rows(scopeOf(chainId, contract))
  // Only the budget bounds a day: the account sends only for the server.
  const intents = new Intents(store, rows, anchorBudget, Number.POSITIVE_INFINITY)
  const station = new GasStation({
    provider,
    reader,
    head,
    chainId,
    isRemote,
    intents,
    clock,
    log,
    wallet: new Wallet(anchorKey),
    gasMax: anchorGasMax,
    name: 'the anchoring account',
  })
  await station.start()
  const client = new AnchorClient({
    provider,
    reader,
    head,
    station,
    chainId,
    contract,
    confirmations,
    budget: anchorBudget,
    clock,
  })
  return { client, close: () => station.close() }
}
