// Transactions that no block takes: their fee is raised under the same nonce, the caller is told
// that it is pending, and whichever of them a block takes at last is the one that counts.

import { Transaction, Wallet } from 'ethers'
import t, { type Test } from 'tap'
import type { Clock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { ContractReader } from '../../../src/chain/registry/contract-reader.js'
import { SharedHead } from '../../../src/chain/remote/head.js'
import { type Header, readHeader } from '../../../src/chain/remote/header.js'
import { RpcError, type RpcRequest } from '../../../src/chain/remote/provider.js'
import { Rows, scopeOf } from '../../../src/chain/rows.js'
import { GasStation } from '../../../src/chain/sending/gas-station.js'
import { Intents } from '../../../src/chain/sending/intents.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store } from '../../../src/store/store.js'
import { chainStation, refusal } from '../../support/chain-room.js'
import { ScriptedChain } from '../../support/scripted-chain.js'

const to = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const wallet = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const gwei = 10n ** 9n

/** A node that takes transactions into blocks only when the test says so. */
class Pool extends ScriptedChain {
  readonly sent: Transaction[] = []
  readonly mined = new Map<string, object>()
  count = 0
  tip = gwei
  sendError: Error | undefined

  override async request(request: RpcRequest): Promise<unknown> {
    const [first] = request.params ?? []
    switch (request.method) {
      case 'eth_call':
        return '0x'
      case 'eth_estimateGas':
        return '0x186a0'
      case 'eth_getBalance':
        return `0x${(10n ** 18n).toString(16)}`
      case 'eth_maxPriorityFeePerGas':
        return `0x${this.tip.toString(16)}`
      case 'eth_getTransactionCount':
        return `0x${this.count.toString(16)}`
      case 'eth_getTransactionReceipt':
        return this.mined.get(String(first)) ?? null
      case 'eth_sendRawTransaction':
        this.sent.push(Transaction.from(String(first)))
        if (this.sendError !== undefined) throw this.sendError
        return '0x'
      default:
        return super.request(request)
    }
  }

  mine({ hash, nonce }: Transaction): void {
    this.extend(1)
    this.count = nonce + 1
    this.mined.set(hash ?? '', {
      ...{
        transactionHash: hash,
        blockNumber: `0x${this.head.number.toString(16)}`,
        status: '0x1',
      },
      ...{ gasUsed: '0x5208', effectiveGasPrice: '0x1' },
    })
  }
}

function open(t: Test, pool: Pool, store: Store, waitMs = 60_000) {
  const clock: Clock & { ms: number } = {
    ...{ ms: 0, now: () => pool.head.timestamp * 1_000 },
    elapsed: () => clock.ms,
  }
  const latest = async (): Promise<Header> => {
    const params = ['latest', false]
    const head = readHeader(await pool.request({ method: 'eth_getBlockByNumber', params }))
    return { ...head, baseFee: 10n * gwei }
  }
  const head = new SharedHead({ chainId: 1, latest, onBlock: undefined, clock, log: silentLog })
  head.start(async () => {})
  const reader = new ContractReader(pool, to, true)
  const intents = new Intents(store, new Rows(scopeOf(1, to)), 10n ** 17n)
  const station = new GasStation({
    ...{ provider: pool, reader, head, chainId: 1, isRemote: true, intents, clock },
    ...{ wallet: new Wallet(chainStation.privateKey), log: silentLog, waitMs },
  })
  t.teardown(async () => {
    await station.close()
    await head.close()
  })
  /** Time passes, and a look at the head tells the station. */
  const pass = async (ms: number) => {
    clock.ms += ms
    pool.extend(1)
    await head.fresh()
    for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  const relay = async () => station.relay({ wallet, to, data: '0x12345678' }, await head.fresh())
  return { station, intents, head, pass, relay }
}

/** Lets everything happen that needs no time. */
async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setImmediate(resolve))
}

t.test(
  'a fee is raised by an eighth under the same nonce, and the first may still win',
  async (t) => {
    const pool = new Pool(5)
    const { station, intents, pass, relay } = open(t, pool, openMemoryStore())
    await station.start()
    const relayed = relay()
    await until(() => pool.sent.length === 1)
    await pass(19_000)
    t.equal(pool.sent.length, 1, 'patience')
    await pass(2_000)
    await until(() => pool.sent.length === 2)
    const [first, second] = pool.sent
    if (first === undefined || second === undefined) throw new Error('two were sent')
    t.equal(second.nonce, first.nonce)
    t.equal(second.data, first.data)
    for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      const [before = 0n, after = 0n] = [first[name] ?? 0n, second[name] ?? 0n]
      t.ok(after * 100n >= before * 110n, `${name} ${before} ${after}`)
    }
    t.match(await intents.load(), [{ hashes: [first.hash, second.hash], raw: second.serialized }])
    pool.mine(first)
    await pass(2_000)
    t.match(await relayed, { hash: first.hash, ok: true })
    t.same(await intents.load(), [])
  },
)

t.test('who waits too long is told the hash, and the transaction goes on', async (t) => {
  const pool = new Pool(5)
  const store = openMemoryStore()
  const { station, intents, pass, relay } = open(t, pool, store, 30)
  await station.start()
  const error = await relay().then(
    () => undefined,
    (thrown) => thrown,
  )
  t.match(error, refusal('TX_PENDING', { httpStatus: 503 }, { txHash: pool.sent[0]?.hash }))
  t.equal((await intents.load()).length, 1)
  const [sent] = pool.sent
  if (sent !== undefined) pool.mine(sent)
  await pass(2_000)
  t.same(await intents.load(), [], 'finished behind')
})

t.test('a nonce that another program used is given up, not waited for', async (t) => {
  const pool = new Pool(5)
  const { station, intents, pass, relay } = open(t, pool, openMemoryStore())
  await station.start()
  const relayed = relay().catch((thrown) => thrown)
  await until(() => pool.sent.length === 1)
  pool.count = 1
  for (let i = 0; i < 6; i++) await pass(2_000)
  t.match(await relayed, refusal('CHAIN_UNAVAILABLE'))
  t.same(await intents.load(), [])
})

t.test('what a node refuses leaves no trace, what it has already is no refusal', async (t) => {
  const pool = new Pool(5)
  const { station, intents, pass, relay } = open(t, pool, openMemoryStore())
  await station.start()
  pool.sendError = new RpcError(-32_000, 'insufficient funds for gas * price + value')
  await t.rejects(relay(), refusal('SPONSOR_EMPTY'))
  pool.sendError = new RpcError(-32_000, 'intrinsic gas too low')
  await t.rejects(relay(), refusal('CHAIN_UNAVAILABLE'))
  t.same(await intents.load(), [])
  pool.sendError = new RpcError(-32_000, 'already known')
  const relayed = relay()
  await until(() => pool.sent.length === 3)
  t.same(
    pool.sent.map(({ nonce }) => nonce),
    [0, 0, 0],
    'the nonce was given back',
  )
  const sent = pool.sent.at(-1)
  if (sent !== undefined) pool.mine(sent)
  await pass(2_000)
  t.match(await relayed, { hash: sent?.hash })
})

t.test('one that a node will not let displace another is kept, for a higher fee', async (t) => {
  const pool = new Pool(5)
  const { station, intents, pass, relay } = open(t, pool, openMemoryStore())
  await station.start()
  pool.sendError = new RpcError(-32_000, 'replacement transaction underpriced')
  const relayed = relay()
  await until(() => pool.sent.length === 1)
  t.equal((await intents.load()).length, 1)
  pool.sendError = undefined
  await pass(21_000)
  await until(() => pool.sent.length === 2)
  const [first, second] = pool.sent
  t.equal(second?.nonce, first?.nonce)
  if (second !== undefined) pool.mine(second)
  await pass(2_000)
  t.match(await relayed, { hash: second?.hash })
})

t.test('a restart sends again what was written down, in order', async (t) => {
  const pool = new Pool(5)
  const store = openMemoryStore()
  const first = open(t, pool, store)
  await first.station.start()
  pool.sendError = new Error('the node is away')
  const waiting = [first.relay(), first.relay()].map((one) => one.catch((thrown) => thrown))
  await until(() => pool.sent.length === 2)
  await first.station.close()
  await Promise.all(waiting)
  pool.sendError = undefined
  pool.sent.length = 0
  const second = open(t, pool, store)
  await second.head.fresh()
  await second.station.start()
  await until(() => pool.sent.length === 2)
  t.same(
    pool.sent.map(({ nonce }) => nonce),
    [0, 1],
  )
  const relayed = second.relay()
  await until(() => pool.sent.length === 3)
  t.equal(pool.sent[2]?.nonce, 2)
  relayed.catch(() => {})
})
