// Stored records of a block beside its state: the block in Ethereum's encoding, its receipts and
// logs as JSON, and indexes by the hashes of blocks and transactions.

import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { RunTxResult } from '@ethereumjs/vm'
import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import type { RpcLog } from '../remote/provider.js'
import { hex, quantity } from './quantity.js'
import { type ChainStorage, type Put, storageKeys } from './storage.js'

/** A receipt without its logs, as JSON-RPC returns it. */
export interface ReceiptRecord {
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly from: string
  readonly to: string | null
  readonly cumulativeGasUsed: string
  readonly gasUsed: string
  readonly contractAddress: string | null
  readonly logsBloom: string
  readonly status: string
  readonly type: string
  readonly effectiveGasPrice: string
}

/** A transaction in a block, and its outcome. */
export interface Included {
  readonly tx: TypedTransaction
  readonly hash: string
  readonly from: string
  readonly result: RunTxResult
}

export interface BlockRecord {
  readonly block: Block
  readonly number: number
  readonly hash: string
  readonly receipts: readonly ReceiptRecord[]
  readonly logs: readonly RpcLog[]
  /** Bytes of the encoded block. */
  readonly size: number
}

export function recordOf(block: Block, included: readonly Included[]): BlockRecord {
  const number = Number(block.header.number)
  const hash = hex(block.hash())
  const receipts: ReceiptRecord[] = []
  const logs: RpcLog[] = []
  let gasUsed = 0n
  for (const [index, one] of included.entries()) {
    gasUsed += one.result.totalGasSpent
    receipts.push(receiptOf(one, index, { number, hash }, gasUsed, block.header.baseFeePerGas))
    for (const [address, topics, data] of one.result.receipt.logs) {
      logs.push({
        address: hex(address),
        topics: topics.map(hex),
        data: hex(data),
        blockHash: hash,
        blockNumber: quantity(number),
        transactionHash: one.hash,
        transactionIndex: quantity(index),
        logIndex: quantity(logs.length),
        removed: false,
      })
    }
  }
  return { block, number, hash, receipts, logs, size: block.serialize().length }
}

function receiptOf(
  { tx, hash, from, result }: Included,
  index: number,
  block: { readonly number: number; readonly hash: string },
  cumulative: bigint,
  baseFee: bigint | undefined,
): ReceiptRecord {
  const { receipt, createdAddress, totalGasSpent } = result
  const isDone = 'status' in receipt && receipt.status === 1
  return {
    transactionHash: hash,
    transactionIndex: quantity(index),
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    from,
    to: tx.to === undefined ? null : tx.to.toString(),
    cumulativeGasUsed: quantity(cumulative),
    gasUsed: quantity(totalGasSpent),
    contractAddress: tx.to === undefined ? (createdAddress?.toString() ?? null) : null,
    logsBloom: hex(receipt.bitvector),
    status: isDone ? '0x1' : '0x0',
    type: quantity(tx.type),
    effectiveGasPrice: quantity(gasPriceOf(tx, baseFee ?? 0n)),
  }
}

/** The price of a unit of gas in a block with this base fee. */
export function gasPriceOf(tx: TypedTransaction, baseFee: bigint): bigint {
  if (!('maxFeePerGas' in tx)) return tx.gasPrice
  const most = baseFee + tx.maxPriorityFeePerGas
  return most < tx.maxFeePerGas ? most : tx.maxFeePerGas
}

/** All records of a block beside its state; the head points to it. */
export function putsOf({ block, number, hash, receipts, logs }: BlockRecord): Put[] {
  const at = utf8(String(number))
  const puts: Put[] = [
    { key: storageKeys.block(number), value: block.serialize() },
    { key: storageKeys.numberOfBlock(hash), value: at },
    { key: storageKeys.receipts(number), value: json(receipts) },
    { key: storageKeys.head, value: at },
  ]
  if (logs.length > 0) puts.push({ key: storageKeys.logs(number), value: json(logs) })
  for (const [index, { transactionHash }] of receipts.entries()) {
    const value = utf8(`${number}:${index}`)
    puts.push({ key: storageKeys.placeOfTransaction(transactionHash), value })
  }
  return puts
}

function json(value: unknown): Bytes {
  return utf8(JSON.stringify(value))
}

function parsed<T>(bytes: Bytes | undefined): T | undefined {
  return bytes === undefined ? undefined : (JSON.parse(textOf(bytes)) as T)
}

/** Reads the records of `putsOf`. */
export class Records {
  constructor(
    private readonly storage: ChainStorage,
    private readonly common: Common,
  ) {}

  headNumber(): number | undefined {
    return parsed<number>(this.storage.get(storageKeys.head))
  }

  numberOf(hash: string): number | undefined {
    return parsed<number>(this.storage.get(storageKeys.numberOfBlock(hash)))
  }

  /** The block, and the position in it. */
  placeOf(transactionHash: string): { number: number; index: number } | undefined {
    const found = this.storage.get(storageKeys.placeOfTransaction(transactionHash))
    if (found === undefined) return undefined
    const [number, index] = textOf(found).split(':').map(Number)
    return { number: number ?? 0, index: index ?? 0 }
  }

  block(number: number): BlockRecord | undefined {
    const bytes = this.storage.get(storageKeys.block(number))
    if (bytes === undefined) return undefined
    const block = createBlockFromRLP(bytes, { common: this.common })
    const receipts = this.receipts(number)
    const logs = this.logs(number)
    return { block, number, hash: hex(block.hash()), receipts, logs, size: bytes.length }
  }

  receipts(number: number): readonly ReceiptRecord[] {
    return parsed<ReceiptRecord[]>(this.storage.get(storageKeys.receipts(number))) ?? []
  }

  logs(number: number): readonly RpcLog[] {
    return parsed<RpcLog[]>(this.storage.get(storageKeys.logs(number))) ?? []
  }
}
