// Parses a signed transaction and checks it independently of waiting ones. Texts are geth's,
// because client libraries recognize refusals by them.

import type { Common } from '@ethereumjs/common'
import { createTxFromRLP, TransactionType, type TypedTransaction } from '@ethereumjs/tx'
import type { Bytes } from '../../base/bytes/bytes.js'
import { chainTransactionGasMax } from '../../base/limits/chain.js'
import { RpcError, rpcCodes } from '../remote/provider.js'
import { hex } from './quantity.js'

const initcodeBytesMax = 49_152

export interface Signed {
  readonly tx: TypedTransaction
  readonly hash: string
  /** Lower case. */
  readonly from: string
}

/** The sender's state for the next block. */
export interface Sender {
  readonly nonce: bigint
  readonly balance: bigint
  readonly isContract: boolean
}

export function refused(message: string): RpcError {
  return new RpcError(rpcCodes.serverError, message)
}

/** Throws RpcError for a transaction that no block could include. */
export function readTransaction(raw: Bytes, common: Common, bytesMax: number): Signed {
  if (raw.length > bytesMax) {
    throw refused(`oversized data: transaction size ${raw.length}, limit ${bytesMax}`)
  }
  requireKnownType(raw)
  const tx = decode(raw, common)
  requireOwnChain(tx, common)
  let from: string
  try {
    from = tx.getSenderAddress().toString()
  } catch {
    throw refused('invalid sender')
  }
  requireSense(tx)
  return { tx, hash: hex(tx.hash()), from }
}

function requireKnownType(raw: Bytes): void {
  const first = raw[0]
  if (first === undefined) throw refused('typed transaction too short')
  if (first >= 0xc0 || first === 1 || first === 2) return
  throw refused('transaction type not supported')
}

function decode(raw: Bytes, common: Common): TypedTransaction {
  try {
    return createTxFromRLP(raw, { common })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (/chain ?id/i.test(text))
      throw refused('invalid sender: the transaction is of another chain')
    if (/maxPriorityFeePerGas/.test(text)) {
      throw refused('max priority fee per gas higher than max fee per gas')
    }
    if (/initcode/i.test(text)) throw refused('max initcode size exceeded')
    throw refused(`rlp: ${text.split('\n')[0]?.slice(0, 200)}`)
  }
}

function requireOwnChain(tx: TypedTransaction, common: Common): void {
  if (!tx.isSigned()) throw refused('invalid sender: the transaction is not signed')
  if (tx.type !== TransactionType.Legacy) return
  const v = tx.v ?? 0n
  if (v === 27n || v === 28n) {
    throw refused('only replay-protected (EIP-155) transactions allowed over RPC')
  }
  const chainId = (v - 35n) / 2n
  if (chainId !== common.chainId()) {
    throw refused(`invalid chain id for signer: have ${chainId} want ${common.chainId()}`)
  }
}

function requireSense(tx: TypedTransaction): void {
  if (tx.to === undefined && tx.data.length > initcodeBytesMax) {
    const text = `code size ${tx.data.length}, limit ${initcodeBytesMax}`
    throw refused(`max initcode size exceeded: ${text}`)
  }
  if (tx.gasLimit > BigInt(chainTransactionGasMax)) {
    const text = `cap: ${chainTransactionGasMax}, tx: ${tx.gasLimit}`
    throw refused(`transaction gas limit too high (${text})`)
  }
  const needed = tx.getIntrinsicGas()
  if (tx.gasLimit < needed) {
    throw refused(`intrinsic gas too low: gas ${tx.gasLimit}, minimum needed ${needed}`)
  }
}

/** The highest cost of a transaction, wei. */
function costOf(tx: TypedTransaction): bigint {
  return tx.gasLimit * feeOf(tx) + tx.value
}

/** The highest price of a unit of gas, wei. */
export function feeOf(tx: TypedTransaction): bigint {
  return 'maxFeePerGas' in tx ? tx.maxFeePerGas : tx.gasPrice
}

/** Wei above the base fee, for a unit of gas. */
export function tipOf(tx: TypedTransaction): bigint {
  return 'maxFeePerGas' in tx ? tx.maxPriorityFeePerGas : tx.gasPrice
}

/**
 * Throws RpcError if the next block cannot include it. A nonce above the sender's passes: the
 * missing one may still arrive.
 */
export function requirePayable({ tx, from }: Signed, sender: Sender, baseFee: bigint): void {
  if (sender.isContract) throw refused(`sender not an eoa: address ${from}`)
  if (tx.nonce < sender.nonce) {
    throw refused(`nonce too low: next nonce ${sender.nonce}, tx nonce ${tx.nonce}`)
  }
  if (feeOf(tx) < baseFee) {
    const text = `address ${from}, maxFeePerGas: ${feeOf(tx)}, baseFee: ${baseFee}`
    throw refused(`max fee per gas less than block base fee: ${text}`)
  }
  const cost = costOf(tx)
  if (sender.balance < cost) {
    const text = `balance ${sender.balance}, tx cost ${cost}, overshot ${cost - sender.balance}`
    throw refused(`insufficient funds for gas * price + value: ${text}`)
  }
}
