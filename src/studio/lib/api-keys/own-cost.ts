// Changes of the registry contract that the wallet sends itself, and pays for. The server hears of
// them from the chain.

import { isReadOnly } from '../frame/read-only.js'
import { failedTransaction, sendTransaction, type Wallet } from '../wallets.js'

/** How long the chain may take before the page no longer waits. */
const waitMs = 600_000
const everyMs = 2_000

interface Sender {
  readonly wallet: Wallet
  readonly address: string
  readonly chainId: number
  readonly contract: string
  /** Told the hash once the wallet has sent the transaction. */
  readonly sent: (hash: string) => void
}

/** Sends the call, and waits until `isThere` says that the server knows of it. */
export async function sendAtOwnCost(
  { wallet, address, chainId, contract: to, sent }: Sender,
  data: string,
  isThere: () => Promise<boolean>,
): Promise<void> {
  if (isReadOnly.value) throw new Error('This page is read-only. Allow changes first.')
  const hash = await sendTransaction(wallet, { from: address, to, data }, chainId)
  sent(hash)
  for (let waited = 0; waited < waitMs; waited += everyMs) {
    if (await isThere()) return
    if (await failedTransaction(wallet, hash)) {
      throw new Error(`The chain refused the transaction ${hash}.`)
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  throw new Error(`The chain has not confirmed ${hash} yet. Once it has, "Recover" gives the key.`)
}
