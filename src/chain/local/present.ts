// Blocks, transactions and receipts for JSON-RPC, with the fields that Ethereum libraries read.
// Fields without meaning here have the values of any chain after the merge.

import type { TypedTransaction } from '@ethereumjs/tx'
import type { RpcLog } from '../remote/provider.js'
import { hex, quantity } from './quantity.js'
import { type BlockRecord, gasPriceOf, type ReceiptRecord } from './records.js'

const noHash = `0x${'0'.repeat(64)}`
/** Hash of an empty list of uncles. */
const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/** `full`: transactions, else their hashes. */
export function presentBlock(record: BlockRecord, full: boolean): Record<string, unknown> {
  const { header, transactions } = record.block
  return {
    number: quantity(record.number),
    hash: record.hash,
    parentHash: hex(header.parentHash),
    nonce: hex(header.nonce),
    sha3Uncles: noUncles,
    logsBloom: hex(header.logsBloom),
    transactionsRoot: hex(header.transactionsTrie),
    stateRoot: hex(header.stateRoot),
    receiptsRoot: hex(header.receiptTrie),
    miner: header.coinbase.toString(),
    difficulty: '0x0',
    totalDifficulty: '0x0',
    mixHash: hex(header.mixHash),
    extraData: hex(header.extraData),
    size: quantity(record.size),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    baseFeePerGas: quantity(header.baseFeePerGas ?? 0n),
    withdrawals: [],
    withdrawalsRoot: hex(header.withdrawalsRoot ?? new Uint8Array(32)),
    blobGasUsed: quantity(header.blobGasUsed ?? 0n),
    excessBlobGas: quantity(header.excessBlobGas ?? 0n),
    parentBeaconBlockRoot: noHash,
    uncles: [],
    transactions: full
      ? transactions.map((tx, index) => presentTransaction(tx, record, index))
      : record.receipts.map(({ transactionHash }) => transactionHash),
  }
}

export function presentTransaction(
  tx: TypedTransaction,
  { block, hash, number, receipts }: BlockRecord,
  index: number,
): Record<string, unknown> {
  const { v = 0n, r = 0n, s = 0n } = tx
  const isLegacy = tx.type === 0
  const common = {
    blockHash: hash,
    blockNumber: quantity(number),
    transactionIndex: quantity(index),
    hash: receipts[index]?.transactionHash,
    from: receipts[index]?.from,
    to: tx.to === undefined ? null : tx.to.toString(),
    nonce: quantity(tx.nonce),
    value: quantity(tx.value),
    gas: quantity(tx.gasLimit),
    gasPrice: quantity(gasPriceOf(tx, block.header.baseFeePerGas ?? 0n)),
    input: hex(tx.data),
    type: quantity(tx.type),
    chainId: quantity(tx.common.chainId()),
    v: quantity(v),
    r: quantity(r),
    s: quantity(s),
  }
  if (isLegacy || !('accessList' in tx)) return common
  const accessList = tx.accessList.map(([address, storageKeys]) => ({
    address: hex(address),
    storageKeys: storageKeys.map(hex),
  }))
  const typed = { ...common, yParity: quantity(v), accessList }
  if (!('maxFeePerGas' in tx)) return typed
  const maxFeePerGas = quantity(tx.maxFeePerGas)
  return { ...typed, maxFeePerGas, maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas) }
}

export function presentReceipt(
  receipt: ReceiptRecord,
  logs: readonly RpcLog[],
): Record<string, unknown> {
  const { transactionHash } = receipt
  return { ...receipt, logs: logs.filter((log) => log.transactionHash === transactionHash) }
}
