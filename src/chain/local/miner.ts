// Makes a block of waiting transactions. Each is checked again just before it runs: earlier ones
// may have used its money or its nonce. The library's builder is not used, because it rebuilds all
// transactions of the block for each added one.

import { setImmediate as breath } from 'node:timers/promises'
import {
  type Block,
  createBlock,
  genTransactionsTrieRoot,
  type HeaderData,
} from '@ethereumjs/block'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { createAddressFromString } from '@ethereumjs/util'
import { Bloom, encodeReceipt, runTx } from '@ethereumjs/vm'
import { chainBlockGasMax } from '../../base/limits/chain.js'
import type { Queued } from './queue.js'
import { type BlockRecord, type Included, recordOf } from './records.js'
import type { Ledger, World } from './state.js'
import { refused, requirePayable, type Sender } from './transaction.js'

export interface Made {
  readonly record: BlockRecord
  readonly taken: readonly Queued[]
}

/** Transactions that can never run, with the reason; the block does not contain them. */
export type Refusals = Map<Queued, Error>

/** The EVM itself failed on a transaction: its world must be discarded. */
export class BrokenWorld extends Error {
  constructor(
    readonly entry: Queued,
    cause: unknown,
  ) {
    super('the EVM failed on a transaction', { cause })
  }
}

interface Candidates {
  readonly entries: readonly Queued[]
  /** Whether it is one of Sigil's transactions, which come first. */
  readonly isOwn: (entry: Queued) => boolean
}

/**
 * Undefined if no transaction can be included. Sigil's own get a separate block, so that others do
 * not delay it. The changes are then in the world, which must be committed or discarded. The event
 * loop runs after each transaction of others. Throws BrokenWorld.
 */
export async function makeBlock(
  world: World,
  parent: Block,
  timestamp: number,
  { entries, isOwn }: Candidates,
  refusals: Refusals,
): Promise<Made | undefined> {
  const { common, evm } = world.vm
  const header: HeaderData = {
    parentHash: parent.hash(),
    number: parent.header.number + 1n,
    timestamp,
    gasLimit: chainBlockGasMax,
    baseFeePerGas: parent.header.calcNextBaseFee(),
    excessBlobGas: 0n,
    blobGasUsed: 0n,
  }
  const open = createBlock({ header }, { common })
  const taken: Queued[] = []
  const included: Included[] = []
  await evm.journal.checkpoint()
  for (const entry of entries) {
    const [first] = taken
    if (first !== undefined && isOwn(first) && !isOwn(entry)) break
    const one = await include(world, open, entry, included, refusals)
    if (one === undefined) continue
    taken.push(entry)
    included.push(one)
    await breath()
  }
  if (taken.length === 0) {
    await evm.journal.revert()
    return undefined
  }
  const block = await sealed(world, header, included)
  await evm.journal.commit()
  return { record: recordOf(block, included), taken }
}

async function include(
  world: World,
  block: Block,
  entry: Queued,
  before: readonly Included[],
  refusals: Refusals,
): Promise<Included | undefined> {
  const { tx, hash, from } = entry
  const sender = await senderOf(world.state, from)
  try {
    requirePayable(entry, sender, block.header.baseFeePerGas ?? 0n)
  } catch (error) {
    refusals.set(entry, error instanceof Error ? error : refused(String(error)))
    return undefined
  }
  // An earlier nonce is missing, or there is no room: it waits for another block.
  const blockGasUsed = gasOf(before)
  if (tx.nonce > sender.nonce) return undefined
  if (tx.gasLimit > block.header.gasLimit - blockGasUsed) return undefined
  try {
    const options = { tx, block, blockGasUsed, skipHardForkValidation: true }
    return { tx, hash, from, result: await runTx(world.vm, options) }
  } catch (error) {
    throw new BrokenWorld(entry, error)
  }
}

function gasOf(included: readonly Included[]): bigint {
  return included.reduce((gas, { result }) => gas + result.totalGasSpent, 0n)
}

/** The block with the roots of state, transactions and receipts in its header. */
async function sealed(
  { vm: { common }, state }: World,
  header: HeaderData,
  included: readonly Included[],
): Promise<Block> {
  const transactions = included.map(({ tx }) => tx)
  const receipts = new MerklePatriciaTrie({ common })
  const bloom = new Bloom(undefined, common)
  for (const [index, { tx, result }] of included.entries()) {
    await receipts.put(trieKey(index), encodeReceipt(result.receipt, tx.type))
    bloom.or(result.bloom)
  }
  const roots: HeaderData = {
    stateRoot: await state.getStateRoot(),
    transactionsTrie: await genTransactionsTrieRoot(
      transactions,
      new MerklePatriciaTrie({ common }),
    ),
    receiptTrie: receipts.root(),
    logsBloom: bloom.bitvector,
    gasUsed: gasOf(included),
  }
  const data = { header: { ...header, ...roots }, transactions, withdrawals: [] }
  return createBlock(data, { common })
}

/** A small number in RLP: its key in the trie of receipts. */
function trieKey(index: number): Uint8Array {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  return index < 0x100 ? Uint8Array.of(0x81, index) : Uint8Array.of(0x82, index >> 8, index & 0xff)
}

export async function senderOf(state: Pick<Ledger, 'getAccount'>, from: string): Promise<Sender> {
  const account = await state.getAccount(createAddressFromString(from))
  return {
    nonce: account?.nonce ?? 0n,
    balance: account?.balance ?? 0n,
    isContract: account?.isContract() ?? false,
  }
}
