// Runs eth_call and eth_estimateGas. All changes of the call are undone, and its gas is bounded:
// its target may be code of any account.

import { type Block, createBlock } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import type { AccessList } from '@ethereumjs/tx'
import { createAddressFromString, createZeroAddress } from '@ethereumjs/util'
import type { Bytes } from '../../base/bytes/bytes.js'
import { RpcError, rpcCodes } from '../remote/provider.js'
import { hex } from './quantity.js'
import type { World } from './state.js'
import { refused } from './transaction.js'

/** A parsed JSON-RPC call. */
export interface Call {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly gas: bigint | undefined
  /** Wei for a unit of gas; 0 or undefined needs no balance. */
  readonly fee: bigint | undefined
  readonly value: bigint
  readonly data: Bytes
  readonly accessList: AccessList
}

interface Outcome {
  /** Before refunds, including the cost of the transaction itself. */
  readonly spent: bigint
  /** The EVM's name of the error. */
  readonly error: string | undefined
  readonly returned: Bytes
}

/** The block in which a call runs. */
export interface CallBlock {
  readonly number: number
  readonly timestamp: number
  readonly gasLimit: number
  readonly baseFee: bigint
}

/** Throws RpcError if the call cannot start; later failures are in the outcome. */
export async function simulate(
  world: World,
  call: Call,
  gas: bigint,
  where: CallBlock,
): Promise<Outcome> {
  const { evm, common } = world.vm
  const caller = call.from === undefined ? createZeroAddress() : createAddressFromString(call.from)
  const to = call.to === undefined ? undefined : createAddressFromString(call.to)
  await requireMoney(world, call, gas)
  const intrinsic = intrinsicGas(call)
  if (gas < intrinsic) {
    throw refused(`intrinsic gas too low: gas ${gas}, minimum needed ${intrinsic}`)
  }
  const { journal } = evm
  await journal.checkpoint()
  try {
    for (const warm of [caller, to, createZeroAddress()]) {
      if (warm !== undefined) journal.addAlwaysWarmAddress(warm.toString().slice(2))
    }
    for (const name of evm.precompiles.keys()) journal.addAlwaysWarmAddress(name)
    for (const { address, storageKeys } of call.accessList) {
      journal.addAlwaysWarmAddress(address.slice(2))
      for (const key of storageKeys) journal.addAlwaysWarmSlot(address.slice(2), key.slice(2))
    }
    const { execResult } = await evm.runCall({
      block: blockOf(where, common),
      caller,
      origin: caller,
      value: call.value,
      data: call.data,
      gasLimit: gas - intrinsic,
      gasPrice: call.fee ?? 0n,
      ...(to === undefined ? {} : { to }),
    })
    return {
      spent: execResult.executionGasUsed + intrinsic,
      error: execResult.exceptionError?.error,
      returned: execResult.returnValue,
    }
  } finally {
    await journal.revert()
    await journal.cleanup()
    world.state.originalStorageCache.clear()
    world.trim()
  }
}

let last: { readonly where: CallBlock; readonly block: Block } | undefined

/** Successive calls share it, because it is costly to make. */
function blockOf(where: CallBlock, common: Common): Block {
  const { number, timestamp, gasLimit, baseFee } = where
  if (last?.where.number !== number || last.where.timestamp !== timestamp) {
    const header = { number, timestamp, gasLimit, baseFeePerGas: baseFee }
    last = { where, block: createBlock({ header }, { common }) }
  }
  return last.block
}

/** Gas of a transaction before its code runs, and the code bytes of a new contract. */
const gasOf = {
  transaction: 21_000,
  creation: 32_000,
  initcodeWord: 2,
  zeroByte: 4,
  byte: 16,
  address: 2_400,
  slot: 1_900,
} as const
const initcodeBytesMax = 49_152

/** Computed here: the library would make a transaction and parse all parameters again. */
function intrinsicGas({ to, data, accessList }: Call): bigint {
  let gas: number = gasOf.transaction
  for (const byte of data) gas += byte === 0 ? gasOf.zeroByte : gasOf.byte
  for (const { storageKeys } of accessList) gas += gasOf.address + gasOf.slot * storageKeys.length
  if (to !== undefined) return BigInt(gas)
  if (data.length > initcodeBytesMax) throw refused('max initcode size exceeded')
  return BigInt(gas + gasOf.creation + gasOf.initcodeWord * Math.ceil(data.length / 32))
}

async function requireMoney({ state }: World, call: Call, gas: bigint): Promise<void> {
  const cost = gas * (call.fee ?? 0n) + call.value
  if (cost === 0n) return
  const from = call.from ?? `0x${'0'.repeat(40)}`
  const balance = (await state.getAccount(createAddressFromString(from)))?.balance ?? 0n
  if (balance >= cost) return
  if (balance < call.value) throw refused(`insufficient funds for transfer: address ${from}`)
  const text = `address ${from} have ${balance} want ${cost}`
  throw refused(`insufficient funds for gas * price + value: ${text}`)
}

/** The result of eth_call; throws RpcError with geth's texts. */
export function answerOf(outcome: Outcome): Bytes {
  if (outcome.error === undefined) return outcome.returned
  throw failureOf(outcome)
}

function failureOf({ error, returned }: Outcome): RpcError {
  if (error !== 'revert') return refused(words.get(error ?? '') ?? error ?? 'execution failed')
  const reason = reasonOf(returned)
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(rpcCodes.reverted, text, hex(returned))
}

/** EVM errors for which geth has another text. */
const words = new Map([
  ['invalid JUMP', 'invalid jump destination'],
  ['invalid opcode', 'invalid opcode: INVALID'],
  ['static state change', 'write protection'],
  ['create collision', 'contract address collision'],
  ['code size to deposit exceeds maximum code size', 'max code size exceeded'],
  ['initcode exceeds max initcode size', 'max initcode size exceeded'],
])

/** Selectors of `Error(string)` and `Panic(uint256)`. */
const errorSelector = '08c379a0'
const panicSelector = '4e487b71'
const reasonCharsMax = 1_024

function reasonOf(returned: Bytes): string | undefined {
  const data = Buffer.from(returned)
  const selector = data.toString('hex', 0, 4)
  if (selector === panicSelector && data.length === 36) {
    return `panic code 0x${data.subarray(35).toString('hex')}`
  }
  if (selector !== errorSelector || data.length < 68) return undefined
  const length = data.readUInt32BE(64)
  if (data.toString('hex', 36, 64) !== '0'.repeat(56)) return undefined
  if (68 + length > data.length) return undefined
  return data.toString('utf8', 68, 68 + Math.min(length, reasonCharsMax))
}

/**
 * The least gas with which the transaction does the same as the call. It starts with the gas spent
 * and adds a sixteenth until it suffices, because an inner call gets at most 63/64 of the gas.
 * `cap` bounds each attempt. Throws RpcError with geth's texts.
 */
export async function estimate(
  run: (gas: bigint) => Promise<Outcome>,
  cap: bigint,
): Promise<bigint> {
  const first = await run(cap)
  if (first.error === 'out of gas') throw refused(`gas required exceeds allowance (${cap})`)
  if (first.error !== undefined) throw failureOf(first)
  let gas = first.spent
  while (gas < cap) {
    const again = await run(gas)
    if (again.error === undefined) return gas
    gas += gas / 16n
  }
  return cap
}
