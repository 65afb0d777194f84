// The methods of the local chain, one row each. There are no others, and no unlocked accounts:
// clients must sign their transactions.

import { createAddressFromString } from '@ethereumjs/util'
import {
  chainCallGasMax,
  chainFeeBlocksMax,
  chainFeePercentilesMax,
  chainTransactionGasMax,
} from '../../base/limits/chain.js'
import { productName } from '../../base/product.js'
import { RpcError, rpcCodes } from '../remote/provider.js'
import { findLogs } from './logs.js'
import type { LocalNode } from './node.js'
import { type BlockName, invalidParams, Params } from './params.js'
import { presentBlock, presentReceipt, presentTransaction } from './present.js'
import { hex, quantity } from './quantity.js'
import type { BlockRecord } from './records.js'
import { answerOf, type Call, type CallBlock, estimate, simulate } from './simulate.js'
import { refused } from './transaction.js'
import type { Rank } from './turns.js'

interface Request {
  readonly node: LocalNode
  readonly rank: Rank
  readonly params: Params
}

interface Method {
  /** The most parameters. */
  readonly most: number
  readonly run: (request: Request) => unknown
}

/** Runs a method; rejects with RpcError for every client error. */
export async function runMethod(
  node: LocalNode,
  rank: Rank,
  method: string,
  given: readonly unknown[],
): Promise<unknown> {
  const row = methods.get(method)
  if (row === undefined) {
    const text = `the method ${method.slice(0, 64)} does not exist/is not available`
    throw new RpcError(rpcCodes.methodNotFound, text)
  }
  return await row.run({ node, rank, params: new Params(given, row.most) })
}

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['web3_clientVersion', { most: 0, run: () => `${productName}/local-chain` }],
  ['net_version', { most: 0, run: ({ node }) => node.common.chainId().toString() }],
  ['eth_chainId', { most: 0, run: ({ node }) => quantity(node.common.chainId()) }],
  ['eth_accounts', { most: 0, run: () => [] }],
  ['eth_syncing', { most: 0, run: () => false }],
  ['eth_blockNumber', { most: 0, run: async ({ node }) => quantity((await node.head()).number) }],
  ['eth_gasPrice', { most: 0, run: async ({ node }) => quantity(await nextBaseFee(node)) }],
  ['eth_maxPriorityFeePerGas', { most: 0, run: () => '0x0' }],
  ['eth_feeHistory', { most: 3, run: feeHistory }],
  ['eth_getBlockByNumber', { most: 2, run: getBlockByNumber }],
  ['eth_getBlockByHash', { most: 2, run: getBlockByHash }],
  ['eth_getTransactionByHash', { most: 1, run: getTransactionByHash }],
  ['eth_getTransactionReceipt', { most: 1, run: getTransactionReceipt }],
  ['eth_getLogs', { most: 1, run: getLogs }],
  ['eth_getTransactionCount', { most: 2, run: getTransactionCount }],
  ['eth_getBalance', { most: 2, run: getBalance }],
  ['eth_getCode', { most: 2, run: getCode }],
  ['eth_getStorageAt', { most: 3, run: getStorageAt }],
  ['eth_call', { most: 2, run: call }],
  ['eth_estimateGas', { most: 2, run: estimateGas }],
  ['eth_sendRawTransaction', { most: 1, run: send }],
])

async function send({ node, rank, params }: Request): Promise<string> {
  return node.send(params.bytes(0), rank)
}

/** Undefined if the block does not exist. */
async function blockOf(node: LocalNode, name: BlockName): Promise<BlockRecord | undefined> {
  const head = await node.head()
  if (name === 'latest') return head
  const records = await node.records()
  const number = typeof name === 'number' ? name : records.numberOf(name.hash)
  if (number === undefined || number > head.number) return undefined
  return number === head.number ? head : records.block(number)
}

/** The block whose state a call reads. */
async function stateOf(node: LocalNode, name: BlockName): Promise<BlockRecord> {
  const found = await blockOf(node, name)
  if (found === undefined) throw refused('header not found')
  return found
}

async function nextBaseFee(node: LocalNode): Promise<bigint> {
  return (await node.head()).block.header.calcNextBaseFee()
}

async function getBlockByNumber({ node, params }: Request): Promise<unknown> {
  const full = params.flag(1)
  const found = await blockOf(node, params.namedBlock(0))
  return found === undefined ? null : presentBlock(found, full)
}

async function getBlockByHash({ node, params }: Request): Promise<unknown> {
  const full = params.flag(1)
  const found = await blockOf(node, { hash: params.hash(0) })
  return found === undefined ? null : presentBlock(found, full)
}

async function getTransactionByHash({ node, params }: Request): Promise<unknown> {
  const place = (await node.records()).placeOf(params.hash(0))
  if (place === undefined) return null
  const record = await blockOf(node, place.number)
  const tx = record?.block.transactions[place.index]
  if (record === undefined || tx === undefined) return null
  return presentTransaction(tx, record, place.index)
}

async function getTransactionReceipt({ node, params }: Request): Promise<unknown> {
  const records = await node.records()
  const place = records.placeOf(params.hash(0))
  if (place === undefined) return null
  const receipt = records.receipts(place.number)[place.index]
  return receipt === undefined ? null : presentReceipt(receipt, records.logs(place.number))
}

async function getLogs({ node, params }: Request): Promise<unknown> {
  const filter = params.filter(0)
  const { blockHash } = filter
  const { number: newest } = await node.head()
  const records = await node.records()
  if (blockHash !== undefined) {
    const number = records.numberOf(blockHash)
    if (number === undefined) throw refused('unknown block')
    return findLogs(records, filter, number, number)
  }
  const numberOf = (name: BlockName = 'latest') => (typeof name === 'number' ? name : newest)
  const from = numberOf(filter.from)
  const to = numberOf(filter.to)
  if (from > to) throw invalidParams('invalid block range params')
  return findLogs(records, filter, from, Math.min(to, newest))
}

async function getTransactionCount({ node, params }: Request): Promise<unknown> {
  const address = params.address(0)
  if (params.has(1) && params.isPending(1)) return quantity(await node.pendingNonce(address))
  const account = await accountOf(node, address, params.block(1))
  return quantity(account?.nonce ?? 0n)
}

async function getBalance({ node, params }: Request): Promise<unknown> {
  const account = await accountOf(node, params.address(0), params.block(1))
  return quantity(account?.balance ?? 0n)
}

async function accountOf(node: LocalNode, address: string, name: BlockName) {
  const ledger = await node.ledger(await stateOf(node, name))
  return ledger.getAccount(createAddressFromString(address))
}

async function getCode({ node, params }: Request): Promise<unknown> {
  const address = createAddressFromString(params.address(0))
  const at = await stateOf(node, params.block(1))
  return hex(await (await node.ledger(at)).getCode(address))
}

async function getStorageAt({ node, params }: Request): Promise<unknown> {
  const address = createAddressFromString(params.address(0))
  const slot = Buffer.from(params.quantity(1).toString(16).padStart(64, '0'), 'hex')
  const at = await stateOf(node, params.block(2))
  const value = await (await node.ledger(at)).getStorage(address, slot)
  return `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`
}

/**
 * Deviation: at the newest block a call runs as in the next one, with the current time. Blocks are
 * made only for transactions, and deadlines are checked against them.
 */
function surroundings(node: LocalNode, at: BlockRecord, head: BlockRecord): CallBlock {
  if (at.number === head.number) return node.nextBlock(head)
  const { number, timestamp, gasLimit, baseFeePerGas = 0n } = at.block.header
  return {
    number: Number(number),
    timestamp: Number(timestamp),
    gasLimit: Number(gasLimit),
    baseFee: baseFeePerGas,
  }
}

/** Gas of a call: the requested amount, at most the cap. */
function capOf({ gas }: Call, most: number): bigint {
  const cap = BigInt(most)
  return gas === undefined || gas > cap ? cap : gas
}

async function call({ node, rank, params }: Request): Promise<unknown> {
  const asked = params.call(0)
  const at = await stateOf(node, params.block(1))
  const where = surroundings(node, at, await node.head())
  const outcome = await node.read(rank, at, (world) =>
    simulate(world, asked, capOf(asked, chainCallGasMax), where),
  )
  return hex(answerOf(outcome))
}

async function estimateGas({ node, rank, params }: Request): Promise<unknown> {
  const asked = params.call(0)
  const at = await stateOf(node, params.block(1))
  const where = surroundings(node, at, await node.head())
  const most = asked.to === undefined ? chainTransactionGasMax : chainCallGasMax
  const cap = await affordable(node, asked, at, capOf(asked, most))
  // One turn for each attempt, so that other work runs in between.
  const run = (gas: bigint) => node.read(rank, at, (world) => simulate(world, asked, gas, where))
  return quantity(await estimate(run, cap))
}

/** At most the gas that the sender can pay for. */
async function affordable(
  node: LocalNode,
  { from, fee = 0n, value }: Call,
  at: BlockRecord,
  cap: bigint,
): Promise<bigint> {
  if (fee === 0n) return cap
  const address = createAddressFromString(from ?? `0x${'0'.repeat(40)}`)
  const account = await (await node.ledger(at)).getAccount(address)
  const balance = account?.balance ?? 0n
  if (balance < value) throw refused('insufficient funds for transfer')
  const most = (balance - value) / fee
  return most < cap ? most : cap
}

async function feeHistory({ node, params }: Request): Promise<unknown> {
  const count = Math.min(Number(params.quantity(0)), chainFeeBlocksMax)
  const newest = await blockOf(node, params.namedBlock(1))
  const percentiles = params.has(2) ? params.numbers(2) : undefined
  if (newest === undefined) throw refused('request beyond head block')
  if (percentiles !== undefined) requirePercentiles(percentiles)
  const records = await node.records()
  const first = Math.max(0, newest.number - count + 1)
  const fees: string[] = []
  const ratios: number[] = []
  const rewards: string[][] = []
  for (let number = first; number <= newest.number && count > 0; number++) {
    const header = (number === newest.number ? newest : records.block(number))?.block.header
    fees.push(quantity(header?.baseFeePerGas ?? 0n))
    ratios.push(Number(header?.gasUsed ?? 0n) / Number(header?.gasLimit ?? 1n))
    rewards.push((percentiles ?? []).map(() => '0x0'))
  }
  if (count > 0) fees.push(quantity(newest.block.header.calcNextBaseFee()))
  return {
    oldestBlock: quantity(count === 0 ? 0 : first),
    baseFeePerGas: fees,
    gasUsedRatio: ratios,
    ...(percentiles === undefined ? {} : { reward: rewards }),
  }
}

function requirePercentiles(percentiles: readonly number[]): void {
  const rises = percentiles.every((one, i) => i === 0 || one >= (percentiles[i - 1] ?? 0))
  const fits = percentiles.every((one) => one >= 0 && one <= 100)
  if (percentiles.length <= chainFeePercentilesMax && rises && fits) return
  throw invalidParams('invalid reward percentile')
}
