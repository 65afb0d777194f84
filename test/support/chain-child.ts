// A process that keeps a local chain and sends transactions as fast as they are taken, until it is
// killed. It tells each that was acknowledged, one a line, after it was.

import { Wallet } from 'ethers'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openLocalChain } from '../../src/chain/local/open.js'
import { tell } from './told-lines.js'

const [, , folder = '', key = ''] = process.argv
const wallet = new Wallet(key)
const chain = await openLocalChain({
  ...{ folder, chainId: 31_337, fund: [wallet.address], clock: systemClock, log: silentLog },
})
const count = await chain.request({
  method: 'eth_getTransactionCount',
  params: [wallet.address, 'latest'],
})

/** Two senders take turns, so that blocks hold one transaction or two. */
async function send(first: number): Promise<void> {
  for (let nonce = first; ; nonce += 2) {
    const raw = await wallet.signTransaction({
      ...{ type: 2, chainId: 31_337, nonce, to: wallet.address, value: 1, gasLimit: 21_000 },
      ...{ maxFeePerGas: 1_000, maxPriorityFeePerGas: 0 },
    })
    const hash = await chain.request({ method: 'eth_sendRawTransaction', params: [raw] })
    tell(String(hash))
  }
}

await Promise.all([send(Number(count)), send(Number(count) + 1)])
