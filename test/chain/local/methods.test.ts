// The methods of the local chain: what they answer, what calls may use, and how wrong parameters are
// told.

import { AbiCoder, Wallet } from 'ethers'
import t from 'tap'
import { chainCallGasMax, chainTransactionGasMax } from '../../../src/base/limits/chain.js'
import * as code from '../../support/bytecode.js'
import { chainId, ether, type NodeRoom, openNodeRoom, startMs } from '../../support/local-node.js'

type Json = Record<string, unknown>

/** Deploys and answers the contract's address. */
async function deploy(room: NodeRoom, nonce: number, runtime: string): Promise<string> {
  const data = code.creationOf(runtime)
  const hash = await room.send(
    await room.sign(nonce, { to: null, data, value: 0, gasLimit: 1_000_000 }),
  )
  const receipt = (await room.request('eth_getTransactionReceipt', hash)) as Json
  return String(receipt.contractAddress)
}

const from = '0x00000000000000000000000000000000000000f0'

t.test('there are those methods and no others', async (t) => {
  const { request } = openNodeRoom(t)
  for (const method of [
    'eth_sendTransaction',
    'personal_sign',
    'eth_sign',
    'toString',
    '',
    'evm_mine',
  ]) {
    await t.rejects(request(method), {
      code: -32601,
      message: `the method ${method} does not exist/is not available`,
    })
  }
  t.equal(await request('eth_chainId'), '0x7a69')
  t.equal(await request('net_version'), String(chainId))
  t.match(await request('web3_clientVersion'), /^Sigil/)
  t.same(await request('eth_accounts'), [])
  t.equal(await request('eth_syncing'), false)
})

t.test('wrong parameters are told by their place', async (t) => {
  const { request } = openNodeRoom(t)
  const address = `0x${'11'.repeat(20)}`
  const hash = `0x${'11'.repeat(32)}`
  const wrong: [method: string, params: unknown[], message: RegExp][] = [
    ['eth_getBalance', [], /^missing value for required argument 0$/],
    ['eth_getBalance', [null], /^missing value for required argument 0$/],
    ['eth_getBalance', [address, 'latest', 1], /^too many arguments, want at most 2$/],
    ['eth_getBalance', [`${address}00`], /^invalid argument 0: hex string has length 42, want 40/],
    ['eth_getBalance', ['11'], /^invalid argument 0: hex string without 0x prefix$/],
    ['eth_getBalance', [''], /^invalid argument 0: empty hex string$/],
    ['eth_getBalance', [7], /^invalid argument 0/],
    ['eth_getBalance', [address, 'newest'], /^invalid argument 1/],
    ['eth_getBalance', [address, '0x'], /^invalid argument 1: hex string "0x"$/],
    ['eth_getBalance', [address, '0xg'], /^invalid argument 1: invalid hex string$/],
    ['eth_getBalance', [address, { blockHash: hash, blockNumber: '0x0' }], /either/],
    ['eth_getBalance', [address, {}], /either/],
    ['eth_getBlockByNumber', [], /^missing value for required argument 0$/],
    ['eth_getBlockByNumber', ['0xffffffffffffffff', false], /^invalid argument 0/],
    ['eth_getBlockByNumber', ['latest', 'yes'], /^invalid argument 1/],
    ['eth_getBlockByHash', [address], /^invalid argument 0/],
    ['eth_getTransactionReceipt', ['0x1'], /^invalid argument 0/],
    ['eth_call', ['0x'], /^invalid argument 0: want an object$/],
    [
      'eth_call',
      [{ to: address, data: '0x123' }],
      /^invalid argument 0: field data: hex string of odd/,
    ],
    ['eth_call', [{ to: address, data: '0x12', input: '0x34' }], /not equal/],
    ['eth_call', [{ to: address, gasPrice: '0x1', maxFeePerGas: '0x1' }], /both gasPrice/],
    ['eth_call', [{ to: address, value: `0x${'f'.repeat(65)}` }], /256 bits/],
    ['eth_call', [{ to: address, data: `0x${'00'.repeat(131_073)}` }], /oversized/],
    ['eth_call', [{ to: address, accessList: [{}] }], /^invalid argument 0: field accessList/],
    ['eth_sendRawTransaction', [7], /^invalid argument 0/],
    ['eth_getLogs', [{ topics: [1] }], /^invalid argument 0/],
    ['eth_getLogs', [{ topics: [null, null, null, null, null] }], /exceed max topics/],
    ['eth_getLogs', [{ address: Array(1_001).fill(address) }], /exceed max addresses/],
    ['eth_getLogs', [{ blockHash: hash, fromBlock: '0x0' }], /cannot specify both/],
    ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }], /^invalid block range params$/],
    ['eth_feeHistory', ['0x1', 'latest', [50, 10]], /percentile/],
    ['eth_feeHistory', ['0x1', 'latest', ['a']], /^invalid argument 2/],
  ]
  for (const [method, params, message] of wrong) {
    await t.rejects(request(method, ...params), { code: -32602, message }, `${method} ${message}`)
  }
})

t.test('what is not there is null, or told', async (t) => {
  const { request } = openNodeRoom(t)
  const hash = `0x${'11'.repeat(32)}`
  t.equal(await request('eth_getBlockByNumber', '0x7', false), null)
  t.equal(await request('eth_getBlockByHash', hash, false), null)
  t.equal(await request('eth_getTransactionByHash', hash), null)
  t.equal(await request('eth_getTransactionReceipt', hash), null)
  const unknown = { code: -32000, message: 'header not found' }
  await t.rejects(request('eth_getBalance', from, '0x7'), unknown)
  await t.rejects(request('eth_call', { to: from }, { blockHash: hash }), unknown)
  await t.rejects(request('eth_getLogs', { blockHash: hash }), { message: 'unknown block' })
  await t.rejects(request('eth_feeHistory', '0x1', '0x7', []), { code: -32000 })
})

t.test('state is read as of any block', async (t) => {
  const room = openNodeRoom(t)
  const { request, sign, send } = room
  const contract = await deploy(room, 0, code.storer)
  await send(
    await sign(1, { to: contract, value: 0, gasLimit: 100_000, data: `0x${'00'.repeat(31)}05` }),
  )
  const slot = (block: string) => request('eth_getStorageAt', contract, '0x5', block)
  t.equal(await slot('latest'), `0x${'0'.repeat(63)}1`)
  t.equal(await slot('0x1'), `0x${'0'.repeat(64)}`)
  t.equal(await request('eth_getCode', contract, 'latest'), `0x${code.storer}`)
  t.equal(await request('eth_getCode', contract, '0x0'), '0x')
  t.equal(await request('eth_getCode', contract, 'earliest'), '0x')
  t.equal(await request('eth_getTransactionCount', room.wallet.address, '0x1'), '0x1')
  const { hash } = (await request('eth_getBlockByNumber', '0x1', false)) as { hash: string }
  t.equal(await request('eth_getTransactionCount', room.wallet.address, { blockHash: hash }), '0x1')
  t.equal(await request('eth_getTransactionCount', room.wallet.address, 'safe'), '0x2')
})

t.test('a receipt tells what became of a transaction', async (t) => {
  const room = openNodeRoom(t)
  const contract = await deploy(room, 0, code.logger(1))
  const failing = await deploy(room, 1, code.reverter(''))
  const topic = 'ab'.repeat(32)
  const call = { value: 0, gasLimit: 100_000 }
  const logged = await room.send(await room.sign(2, { ...call, to: contract, data: `0x${topic}` }))
  const failed = await room.send(await room.sign(3, { ...call, to: failing, data: '0x' }))
  const receipt = (await room.request('eth_getTransactionReceipt', logged)) as Json
  t.match(receipt, {
    status: '0x1',
    type: '0x2',
    from: room.wallet.address.toLowerCase(),
    to: contract,
    contractAddress: null,
    transactionHash: logged,
    effectiveGasPrice: '0x7',
    logs: [
      { address: contract, topics: [`0x${topic}`], data: '0x', logIndex: '0x0', removed: false },
    ],
  })
  const [log] = receipt.logs as Json[]
  t.equal(log?.blockHash, receipt.blockHash)
  t.equal(room.blocks.at(-2)?.logs?.[0]?.transactionHash, logged, 'told with the block')
  const refused = (await room.request('eth_getTransactionReceipt', failed)) as Json
  t.match(refused, { status: '0x0', logs: [] })
  t.match(await room.request('eth_getTransactionByHash', failed), {
    hash: failed,
    nonce: '0x3',
    input: '0x',
  })
})

t.test('a block is the same by number, by hash and by name', async (t) => {
  const room = openNodeRoom(t)
  const hash = await room.send(await room.sign(0))
  const block = (await room.request('eth_getBlockByNumber', '0x1', true)) as Json
  t.match(block, {
    number: '0x1',
    transactions: [{ hash, from: room.wallet.address.toLowerCase() }],
  })
  t.same(await room.request('eth_getBlockByHash', block.hash, true), block)
  for (const name of ['latest', 'safe', 'finalized', 'pending']) {
    t.same(await room.request('eth_getBlockByNumber', name, true), block)
  }
  const plain = (await room.request('eth_getBlockByNumber', 'latest')) as Json
  t.same(plain.transactions, [hash])
  t.match(await room.request('eth_getBlockByNumber', 'earliest', false), { number: '0x0' })
})

t.test('calls are undone, and see the time of the next block', async (t) => {
  const room = openNodeRoom(t)
  const storer = await deploy(room, 0, code.storer)
  const clock = await deploy(room, 1, code.timeTeller)
  const before = await room.request('eth_getBlockByNumber', 'latest', false)
  t.equal(
    await room.request('eth_call', { to: storer, data: `0x${'00'.repeat(31)}09` }, 'latest'),
    '0x',
  )
  t.equal(await room.request('eth_getStorageAt', storer, '0x9', 'latest'), `0x${'0'.repeat(64)}`)
  t.same(await room.request('eth_getBlockByNumber', 'latest', false), before)
  room.now = startMs + 100_000_000
  const told = await room.request('eth_call', { to: clock }, 'latest')
  t.equal(Number(told), (startMs + 100_000_000) / 1000)
  const { timestamp } = (await room.request('eth_getBlockByNumber', '0x2', false)) as Json
  await room.send(await room.sign(2))
  t.equal(Number(await room.request('eth_call', { to: clock }, '0x2')), Number(timestamp))
})

t.test('code without an address runs as a creation, and stays nowhere', async (t) => {
  const room = openNodeRoom(t)
  const data = code.creationOf(code.storer)
  t.equal(await room.request('eth_call', { data }, 'latest'), `0x${code.storer}`)
  await t.rejects(room.request('eth_call', { data: `0x${'00'.repeat(49_153)}` }), {
    message: /initcode/,
  })
})

t.test('a contract may be the caller, and a caller without money may not pay', async (t) => {
  const room = openNodeRoom(t)
  const contract = await deploy(room, 0, code.timeTeller)
  t.not(await room.request('eth_call', { from: contract, to: contract }), '0x')
  await t.rejects(room.request('eth_call', { from, to: contract, value: '0x1' }), {
    message: /^insufficient funds for transfer/,
  })
  await t.rejects(room.request('eth_call', { from, to: contract, gasPrice: '0x1' }), {
    message: /^insufficient funds for gas/,
  })
  await t.rejects(
    room.request('eth_estimateGas', { from, to: contract, value: '0x1', maxFeePerGas: '0x7' }),
    {
      message: /^insufficient funds for transfer/,
    },
  )
})

t.test('a revert has code 3, its bytes and its reason', async (t) => {
  const room = openNodeRoom(t)
  const reason = `08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['no way']).slice(2)}`
  const panic = `4e487b71${AbiCoder.defaultAbiCoder().encode(['uint256'], [0x11]).slice(2)}`
  const cases: [data: string, message: string][] = [
    [reason, 'execution reverted: no way'],
    [panic, 'execution reverted: panic code 0x11'],
    ['deadbeef', 'execution reverted'],
    ['', 'execution reverted'],
    ['08c379a0', 'execution reverted'],
    [`08c379a0${'ff'.repeat(64)}`, 'execution reverted'],
  ]
  for (const [nonce, [data, message]] of cases.entries()) {
    const to = await deploy(room, nonce, code.reverter(data))
    const expected = { code: 3, message, data: `0x${data}` }
    await t.rejects(room.request('eth_call', { to }), expected)
    await t.rejects(room.request('eth_estimateGas', { to }), expected)
  }
})

t.test('a call ends at its gas: its own, or the cap', async (t) => {
  const room = openNodeRoom(t)
  const to = await deploy(room, 0, code.loop)
  await t.rejects(room.request('eth_call', { to, gas: '0xffffffffff' }), {
    code: -32000,
    message: 'out of gas',
  })
  await t.rejects(room.request('eth_call', { to, gas: '0x5209' }), { message: 'out of gas' })
  await t.rejects(room.request('eth_call', { to, gas: '0x1' }), {
    message: /^intrinsic gas too low/,
  })
  await t.rejects(room.request('eth_estimateGas', { to }), {
    code: -32000,
    message: `gas required exceeds allowance (${chainCallGasMax})`,
  })
  const data = code.creationOf(code.loop).replace(code.loop, '')
  await t.rejects(room.request('eth_estimateGas', { data: `0x${code.loop}${data.slice(2)}` }), {
    message: `gas required exceeds allowance (${chainTransactionGasMax})`,
  })
  const hash = await room.send(await room.sign(1, { to, value: 0, gasLimit: 500_000 }))
  t.match(await room.request('eth_getTransactionReceipt', hash), {
    status: '0x0',
    gasUsed: '0x7a120',
  })
})

t.test('an estimate is enough, nested calls included', async (t) => {
  const room = openNodeRoom(t)
  const inner = await deploy(room, 0, code.counter(9_000))
  const outer = await deploy(room, 1, code.caller)
  const storer = await deploy(room, 2, code.storer)
  const calls = [
    { to: outer, data: `0x${inner.slice(2)}${'00'.repeat(12)}`, value: 0 },
    { to: storer, data: `0x${'00'.repeat(31)}07`, value: 0 },
    { to: Wallet.createRandom().address, data: '0x', value: ether },
    { to: null, data: code.creationOf(code.storer), value: 0 },
  ]
  for (const [i, { to, data, value }] of calls.entries()) {
    const wanted = { from: room.wallet.address, data, value: `0x${value.toString(16)}` }
    const gas = await room.request('eth_estimateGas', to === null ? wanted : { ...wanted, to })
    const sent = await room.sign(3 + i, { to, data, value, gasLimit: BigInt(String(gas)) })
    const receipt = (await room.request('eth_getTransactionReceipt', await room.send(sent))) as Json
    t.match(receipt, { status: '0x1' })
    t.ok(Number(gas) <= 1.07 * Number(receipt.gasUsed), `${gas} for ${receipt.gasUsed}`)
  }
  t.equal(await room.request('eth_estimateGas', { to: from }), '0x5208')
})

t.test('no proof of a blob is taken', async (t) => {
  const room = openNodeRoom(t)
  const to = '0x000000000000000000000000000000000000000a'
  await t.rejects(room.request('eth_call', { to, data: `0x${'00'.repeat(192)}` }), { code: -32000 })
  t.equal(await room.request('eth_blockNumber'), '0x0')
})

t.test('fees: the base fee, no tip, and their history', async (t) => {
  const room = openNodeRoom(t)
  for (let nonce = 0; nonce < 3; nonce++) await room.send(await room.sign(nonce))
  t.equal(await room.request('eth_gasPrice'), '0x7')
  t.equal(await room.request('eth_maxPriorityFeePerGas'), '0x0')
  t.match(await room.request('eth_feeHistory', '0x2', 'latest', [10, 90]), {
    oldestBlock: '0x2',
    baseFeePerGas: ['0x7', '0x7', '0x7'],
    reward: [
      ['0x0', '0x0'],
      ['0x0', '0x0'],
    ],
  })
  const all = (await room.request('eth_feeHistory', '0xffff', '0x1')) as Json
  t.equal(all.oldestBlock, '0x0')
  t.equal((all.gasUsedRatio as number[]).length, 2)
  t.notOk('reward' in all)
})
