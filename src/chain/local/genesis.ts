// The genesis block and the chain's keys, made together at the first start and stored. They are
// random for each data folder and known only there.

import { createBlock } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import {
  createAccount,
  createAddressFromPrivateKey,
  createAddressFromString,
  isValidPrivate,
} from '@ethereumjs/util'
import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { chainBlockGasMax } from '../../base/limits/chain.js'
import { firstBaseFee } from './common.js'
import { bytesOf, hex } from './quantity.js'
import { putsOf, recordOf } from './records.js'
import { openWorld } from './state.js'
import { type ChainStorage, storageKeys } from './storage.js'

/** Private keys, 0x and 64 hex digits. */
export interface ChainIdentity {
  readonly chainId: number
  readonly owner: string
  readonly gasStation: string
  /** Sends test ether to wallets that sign in. */
  readonly faucet: string
}

const ether = 10n ** 18n
const ownBalance = 1_000_000n * ether
const faucetBalance = 1_000_000_000n * ether
const fundedBalance = 1_000n * ether

interface GenesisOptions {
  readonly chainId: number
  readonly fund: readonly string[]
  /** Wall time, milliseconds. */
  readonly now: number
  readonly random: Random
}

/** Reads the identity, or makes it and the first block. Throws if it belongs to another chain. */
export async function openIdentity(
  storage: ChainStorage,
  common: Common,
  options: GenesisOptions,
): Promise<ChainIdentity> {
  const found = storage.get(storageKeys.identity)
  if (found === undefined) return makeGenesis(storage, common, options)
  const identity = JSON.parse(textOf(found)) as ChainIdentity
  if (identity.chainId !== options.chainId) {
    const text = `the local chain was made with chain id ${identity.chainId}`
    throw fail('InvalidOptions', `${text}: it cannot be opened with ${options.chainId}`)
  }
  return identity
}

async function makeGenesis(
  storage: ChainStorage,
  common: Common,
  { chainId, fund, now, random }: GenesisOptions,
): Promise<ChainIdentity> {
  const [owner, gasStation, faucet] = [randomKey(random), randomKey(random), randomKey(random)]
  const identity = { chainId, owner, gasStation, faucet }
  const { state, take } = await openWorld(storage, common, undefined, () => new Uint8Array(32))
  const give = (address: string, balance: bigint) =>
    state.putAccount(createAddressFromString(address), createAccount({ balance }))
  for (const address of fund) await give(address.toLowerCase(), fundedBalance)
  await give(addressOf(owner), ownBalance)
  await give(addressOf(gasStation), ownBalance)
  await give(addressOf(faucet), faucetBalance)
  const block = createBlock(
    {
      header: {
        number: 0,
        timestamp: Math.floor(now / 1000),
        gasLimit: chainBlockGasMax,
        baseFeePerGas: firstBaseFee,
        stateRoot: await state.getStateRoot(),
      },
      withdrawals: [],
    },
    { common },
  )
  storage.commit([
    { key: storageKeys.identity, value: utf8(JSON.stringify(identity)) },
    ...take(),
    ...putsOf(recordOf(block, [])),
  ])
  return identity
}

function randomKey(random: Random): string {
  let key: Bytes
  do key = random.bytes(32)
  while (!isValidPrivate(key))
  return hex(key)
}

/** The address in lower case. */
export function addressOf(privateKey: string): string {
  return createAddressFromPrivateKey(bytesOf(privateKey)).toString()
}
