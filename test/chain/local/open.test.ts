// The local chain behind its worker, as ethers uses it: transactions, errors, events, restarts, and
// an event loop that goes on while a contract burns all the gas it may.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BrowserProvider, isCallException, isError, Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { chainBodiesMax } from '../../../src/base/limits/chain.js'
import { silentLog } from '../../../src/base/log.js'
import { type LocalChain, openLocalChain } from '../../../src/chain/local/open.js'
import type { ChainHead } from '../../../src/chain/remote/provider.js'
import * as code from '../../support/bytecode.js'
import { chainId, ether } from '../../support/local-node.js'

async function open(t: Test, folder: string | undefined): Promise<LocalChain> {
  const options = { folder, chainId, fund: [], clock: systemClock, log: silentLog }
  const chain = await openLocalChain(options)
  t.teardown(() => chain.close())
  return chain
}

function folderOf(t: Test): string {
  const parent = mkdtempSync(join(tmpdir(), 'sigil-chain-'))
  t.teardown(() => rmSync(parent, { recursive: true }))
  return join(parent, 'chain')
}

/** As Sigil's own clients do: no cache, or a second transaction gets the nonce of the first. */
async function ownerOf(chain: LocalChain): Promise<Wallet> {
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 25 }
  const provider = new BrowserProvider(chain, chainId, options)
  return new Wallet((await chain.keys()).owner, provider)
}

async function deploy(owner: Wallet, runtime: string): Promise<string> {
  const sent = await owner.sendTransaction({ data: code.creationOf(runtime) })
  return (await sent.wait())?.contractAddress ?? ''
}

function failureOf(sent: Promise<unknown>): Promise<unknown> {
  return sent.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
}

t.test('ethers sends two transactions in a row, and reads what they did', async (t) => {
  const chain = await open(t, undefined)
  const owner = await ownerOf(chain)
  const to = Wallet.createRandom().address
  const [first, second] = [
    await owner.sendTransaction({ to, value: 1 }),
    await owner.sendTransaction({ to, value: 2 }),
  ]
  t.equal(second.nonce, first.nonce + 1)
  t.equal((await first.wait())?.status, 1)
  t.equal((await second.wait())?.status, 1)
  t.equal(await owner.provider?.getBalance(to), 3n)
  const logger = await deploy(owner, code.logger(1))
  const topic = `0x${'ab'.repeat(32)}`
  const block = (await (await owner.sendTransaction({ to: logger, data: topic })).wait())
    ?.blockNumber
  const logs = await owner.provider?.getLogs({ address: logger, topics: [topic], fromBlock: 0 })
  t.same(
    logs?.map(({ blockNumber }) => blockNumber),
    [block],
  )
  t.equal((await owner.provider?.getBlock('latest', true))?.prefetchedTransactions.length, 1)
})

t.test('ethers knows what went wrong', async (t) => {
  const chain = await open(t, undefined)
  const owner = await ownerOf(chain)
  const poor = Wallet.createRandom(owner.provider)
  const to = owner.address
  const fees = { maxFeePerGas: 100, maxPriorityFeePerGas: 0, type: 2, chainId, gasLimit: 21_000 }
  await (await owner.sendTransaction({ to, value: 0 })).wait()
  const reverter = await deploy(owner, code.reverter('aabbccdd'))
  const kinds: [code: Parameters<typeof isError>[1], send: () => Promise<unknown>][] = [
    ['INSUFFICIENT_FUNDS', () => poor.sendTransaction({ to, value: ether, gasLimit: 21_000 })],
    ['NONCE_EXPIRED', () => owner.sendTransaction({ ...fees, to, nonce: 0 })],
    ['CALL_EXCEPTION', () => owner.sendTransaction({ to: reverter })],
    ['UNSUPPORTED_OPERATION', () => new BrowserProvider(chain).send('eth_mystery', [])],
  ]
  for (const [kind, send] of kinds) {
    const error = await failureOf(send())
    t.ok(isError(error, kind), `${kind}: ${error}`)
    if (isCallException(error)) t.equal(error.data, '0xaabbccdd')
  }
  const nonce = await owner.getNonce()
  const waiting = owner.sendTransaction({ ...fees, to, nonce: nonce + 1 })
  const cheap = owner.sendTransaction({ ...fees, to, nonce: nonce + 1, value: 1 })
  const error = await failureOf(cheap)
  t.ok(isError(error, 'REPLACEMENT_UNDERPRICED'), String(error))
  await Promise.all([owner.sendTransaction({ ...fees, to, nonce }), waiting])
})

t.test('a block is told, with its logs, before the sender hears of its transaction', async (t) => {
  const chain = await open(t, undefined)
  const owner = await ownerOf(chain)
  const logger = await deploy(owner, code.logger(2))
  const heads: ChainHead[] = []
  const end = chain.onBlock((head) => heads.push(head))
  chain.onBlock(() => {
    throw new Error('a listener that fails harms no other')
  })
  const raw = await owner.signTransaction(
    await owner.populateTransaction({ to: logger, data: `0x${'cd'.repeat(64)}` }),
  )
  const hash = await chain.request({ method: 'eth_sendRawTransaction', params: [raw] })
  t.equal(heads.length, 1)
  t.match(heads[0], { number: 2, logs: [{ transactionHash: hash, address: logger.toLowerCase() }] })
  end()
  await owner.sendTransaction({ to: logger, data: `0x${'cd'.repeat(64)}` })
  t.equal(heads.length, 1)
})

t.test('the chain and its keys are there after a restart', async (t) => {
  const folder = folderOf(t)
  const chain = await open(t, folder)
  const keys = await chain.keys()
  const { address } = Wallet.createRandom()
  await chain.fund(address, ether)
  const latest = { method: 'eth_getBlockByNumber', params: ['latest', true] }
  const head = await chain.request(latest)
  await chain.close()
  await t.rejects(chain.request(latest), { message: 'the local chain is closed' })
  const again = await open(t, folder)
  t.same(await again.request(latest), head)
  t.same(await again.keys(), keys)
  t.not(keys.owner, keys.gasStation)
  const balance = { method: 'eth_getBalance', params: [address] }
  t.equal(await again.request(balance), `0x${ether.toString(16)}`)
})

t.test('a loop in a contract ends at its gas, and the event loop goes on meanwhile', async (t) => {
  const chain = await open(t, undefined)
  const owner = await ownerOf(chain)
  const to = await deploy(owner, code.loop)
  let turns = 0
  let calls = 1
  const turn = () => {
    turns++
    if (calls > 0) setImmediate(turn)
  }
  turn()
  const call = { method: 'eth_call', params: [{ to }, 'latest'] }
  await t.rejects(chain.request(call), { code: -32000, message: 'out of gas' })
  calls = 0
  t.ok(turns > 1_000, `${turns} turns of the event loop`)
})

t.test("others' calls wait for Sigil's own", async (t) => {
  const chain = await open(t, undefined)
  const to = await deploy(await ownerOf(chain), code.loop)
  const order: string[] = []
  const params = [{ to, gas: '0x30d40' }, 'latest']
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }))
  const others = Array.from({ length: 10 }, () => chain.serve(body).then(() => order.push('other')))
  const own = chain.request({ method: 'eth_call', params: [{ to: owner0 }] })
  await Promise.all([...others, own.then(() => order.push('own'))])
  t.ok(order.indexOf('own') < 5, order.join(' '))
})

const owner0 = `0x${'00'.repeat(20)}`

t.test('a flood of calls delays neither a block nor a look at the state', async (t) => {
  const chain = await open(t, undefined)
  const owner = await ownerOf(chain)
  const to = await deploy(owner, code.loop)
  const raw = await owner.signTransaction(
    await owner.populateTransaction({ to: owner.address, value: 1, gasLimit: 21_000 }),
  )
  let answered = 0
  const call = { method: 'eth_call', params: [{ to, gas: '0x30d40' }, 'latest'] }
  const calls = Array.from({ length: 100 }, () =>
    chain.request(call).catch(() => {
      answered++
    }),
  )
  await chain.request({ method: 'eth_getBalance', params: [to] })
  t.ok(answered < 20, `the look came after ${answered} calls`)
  await chain.request({ method: 'eth_sendRawTransaction', params: [raw] })
  t.ok(answered < 50, `the block came after ${answered} calls`)
  await Promise.all(calls)
  t.equal(answered, 100)
})

t.test('more bodies at once than the bound are refused', async (t) => {
  const chain = await open(t, undefined)
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  const asked = Array.from({ length: chainBodiesMax + 5 }, () =>
    chain.serve(body).then(
      () => 'answered',
      ({ code }) => code,
    ),
  )
  const told = await Promise.all(asked)
  t.equal(told.filter((one) => one === -32005).length, 5)
  t.equal(told.filter((one) => one === 'answered').length, chainBodiesMax)
})

t.test('a folder that cannot be opened fails what is asked, not the process', async (t) => {
  const chain = await open(t, join(process.execPath, 'chain'))
  await t.rejects(chain.request({ method: 'eth_chainId' }).then(() => chain.keys()))
  await t.rejects(chain.request({ method: 'eth_blockNumber' }), { code: -32603 })
})
