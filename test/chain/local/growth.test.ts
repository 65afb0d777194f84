// What the transactions of others may add to the chain's folder: each by itself, those of a sender,
// and those of all; and how a client library tells of the refusal.

import { JsonRpcApiProvider, type JsonRpcPayload, JsonRpcProvider, Wallet } from 'ethers'
import t from 'tap'
import { chainForeignTransactionBytesMax, chainGrowthMs } from '../../../src/base/limits/chain.js'
import { answerBody } from '../../../src/chain/local/json-rpc.js'
import { runMethod } from '../../../src/chain/local/methods.js'
import { startGateway } from '../../support/live-gateway.js'
import { type NodeRoom, openNodeRoom } from '../../support/local-node.js'
import { testWallet } from '../../support/wallet.js'
import { WalletClient } from '../../support/wallet-client.js'

/** A transfer: its own bytes, and what 21,000 gas can write. */
const transferBytes = 2_700 + 120

const room = { all: 20 * transferBytes, sender: 5 * transferBytes, late: 2 * transferBytes }
const spent = { code: -32005, message: /^local chain full: the bytes of this sender are used up/ }
const full = { code: -32005, message: /^local chain full: the bytes of all senders are used up/ }

t.test('a sender has so many bytes a day, and then waits for the next', async (t) => {
  const node = openNodeRoom(t, undefined, undefined, room)
  const send = async (nonce: number, values = {}) =>
    runMethod(node.node, 'other', 'eth_sendRawTransaction', [await node.sign(nonce, values)])
  let nonce = 0
  for (; nonce < 5; nonce++) t.match(await send(nonce), /^0x[0-9a-f]{64}$/)
  await t.rejects(send(nonce), spent)
  await t.rejects(send(nonce, { gasLimit: 100_000 }), spent)
  const own = await node.request('eth_sendRawTransaction', await node.sign(nonce))
  t.match(own, /^0x/, "Sigil's own are not counted")
  node.now += chainGrowthMs - 1
  await t.rejects(send(nonce + 1), spent)
  node.now += 1
  t.match(await send(nonce + 1), /^0x/)
})

t.test('gas counts as what it can write, and a refused transaction as nothing', async (t) => {
  const node = openNodeRoom(t, undefined, undefined, room)
  const send = async (nonce: number, values = {}) =>
    runMethod(node.node, 'other', 'eth_sendRawTransaction', [await node.sign(nonce, values)])
  for (let i = 0; i < 20; i++) await t.rejects(send(0, { maxFeePerGas: 0 }), /base fee/)
  const raw = await node.sign(0)
  const first = runMethod(node.node, 'other', 'eth_sendRawTransaction', [raw])
  const again = () => runMethod(node.node, 'other', 'eth_sendRawTransaction', [raw])
  await Promise.all(Array.from({ length: 10 }, () => t.rejects(again(), /already known|too low/)))
  await first
  t.match(await send(1, { gasLimit: 64_000 }), /^0x/, 'three transfers of four that are left')
  await t.rejects(send(2, { gasLimit: 64_000 }), spent)
  t.match(await send(2), /^0x/)
})

t.test('when half of the day is used, the rest is for those who have used little', async (t) => {
  const node = openNodeRoom(t, undefined, undefined, room)
  const wallets = Array.from({ length: 40 }, () => new Wallet(Wallet.createRandom().privateKey))
  for (const [i, { address: to }] of wallets.entries()) {
    // Blocks in a row may not run far ahead of the clock.
    node.now += 1_000
    await node.send(await node.sign(i, { to, value: 10n ** 12n }))
  }
  const nonces = new Map<Wallet, number>()
  const send = async (by: Wallet) => {
    const nonce = nonces.get(by) ?? 0
    node.now += 1_000
    const raw = await node.sign(nonce, {}, by)
    await runMethod(node.node, 'other', 'eth_sendRawTransaction', [raw])
    nonces.set(by, nonce + 1)
  }
  const [a, b, ...others] = wallets as [Wallet, Wallet, ...Wallet[]]
  for (let i = 0; i < 5; i++) await send(a)
  for (let i = 0; i < 5; i++) await send(b)
  await t.rejects(send(a), spent)
  let taken = 10
  for (const other of others) {
    try {
      for (let i = 0; i < 2; i++) {
        await send(other)
        taken++
      }
      await t.rejects(send(other), { code: -32005 }, 'the late share')
    } catch (error) {
      t.match(error, full)
      break
    }
  }
  t.ok(taken >= 19 && taken <= 21, `${taken} transfers of 20`)
})

t.test('a transaction of others is of 32 KiB at most', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const wallet = testWallet('growth')
  await WalletClient.signIn(url, wallet)
  const provider = new JsonRpcProvider(`${url}/chain`, undefined, { cacheTimeout: -1 })
  t.teardown(() => provider.destroy())
  const signer = wallet.connect(provider)
  const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 0 }
  const to = wallet.address
  const data = (bytes: number) => `0x${'00'.repeat(bytes)}`
  const large = { to, data: data(chainForeignTransactionBytesMax), gasLimit: 1_500_000, ...fees }
  await t.rejects(signer.sendTransaction(large), { message: /oversized data: transaction size/ })
  const small = { to, data: data(30_000), gasLimit: 1_500_000, ...fees }
  const sent = await signer.sendTransaction(small)
  t.equal((await sent.wait())?.status, 1)
})

/** Ethers over the node itself, as it speaks over HTTP. */
class NodeProvider extends JsonRpcApiProvider {
  constructor(private readonly room: NodeRoom) {
    super(room.node.common.chainId(), { staticNetwork: true, cacheTimeout: -1 })
    this._start()
  }

  async _send(payload: JsonRpcPayload | JsonRpcPayload[]) {
    const answers = []
    for (const asked of Array.isArray(payload) ? payload : [payload]) {
      const body = Buffer.from(JSON.stringify(asked))
      const answer = await answerBody(body, (method, params) =>
        runMethod(this.room.node, 'other', method, params),
      )
      answers.push(JSON.parse(Buffer.from(answer ?? []).toString()))
    }
    return answers
  }
}

t.test('ethers shows that the day is used up', async (t) => {
  const node = openNodeRoom(t, undefined, undefined, room)
  const provider = new NodeProvider(node)
  t.teardown(() => provider.destroy())
  const signer = node.wallet.connect(provider)
  const fees = { gasLimit: 60_000, maxFeePerGas: 10_000, maxPriorityFeePerGas: 0 }
  const sent = await signer.sendTransaction({ to: node.wallet.address, ...fees })
  t.match(sent.hash, /^0x/)
  await t.rejects(signer.sendTransaction({ to: node.wallet.address, ...fees }), {
    message: /-32005.*local chain full: the bytes of this sender are used up; retry in 1440 min/,
  })
})
