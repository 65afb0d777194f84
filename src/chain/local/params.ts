// Parses the parameters of JSON-RPC methods. Errors have geth's texts, which name the argument and
// the reason, because client libraries show them.

import type { AccessList } from '@ethereumjs/tx'
import { chainLogChoicesMax, chainTransactionBytesMax } from '../../base/limits/chain.js'
import { RpcError, rpcCodes } from '../remote/provider.js'
import { bytesOf } from './quantity.js'
import type { Call } from './simulate.js'

/** A block as clients name it: `latest` and its like, a number, or a hash. */
export type BlockName = 'latest' | number | { readonly hash: string }

export interface LogFilter {
  readonly blockHash: string | undefined
  readonly from: BlockName | undefined
  readonly to: BlockName | undefined
  /** Lower case; empty: any. */
  readonly addresses: ReadonlySet<string>
  /** By position; undefined: any. */
  readonly topics: readonly (ReadonlySet<string> | undefined)[]
}

export class Params {
  private readonly values: readonly unknown[]

  constructor(
    given: readonly unknown[],
    private readonly most: number,
  ) {
    if (given.length > most) {
      throw invalidParams(`too many arguments, want at most ${most}`)
    }
    this.values = given
  }

  has(at: number): boolean {
    return at < this.most && this.values[at] !== undefined && this.values[at] !== null
  }

  address(at: number): string {
    return this.read(at, address)
  }

  hash(at: number): string {
    return this.read(at, hash)
  }

  bytes(at: number): Uint8Array {
    return this.read(at, bytes)
  }

  quantity(at: number): bigint {
    return this.read(at, quantity)
  }

  flag(at: number): boolean {
    if (!this.has(at)) return false
    return this.read(at, (value) => {
      if (typeof value !== 'boolean') throw new Wrong('want a boolean')
      return value
    })
  }

  numbers(at: number): readonly number[] {
    return this.read(at, (value) => {
      const good = Array.isArray(value) && value.every((one) => typeof one === 'number')
      if (!good) throw new Wrong('want an array of numbers')
      return value
    })
  }

  /** `latest` if missing. */
  block(at: number): BlockName {
    return this.has(at) ? this.read(at, blockName) : 'latest'
  }

  /** Whether waiting transactions are included. */
  isPending(at: number): boolean {
    return this.values[at] === 'pending'
  }

  /** Required. */
  namedBlock(at: number): BlockName {
    return this.read(at, blockName)
  }

  call(at: number): Call {
    return this.read(at, readCall)
  }

  filter(at: number): LogFilter {
    return this.read(at, readFilter)
  }

  private read<T>(at: number, reader: (value: unknown) => T): T {
    const value = this.values[at]
    if (value === undefined || value === null) {
      throw invalidParams(`missing value for required argument ${at}`)
    }
    try {
      return reader(value)
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      throw invalidParams(`invalid argument ${at}: ${error.message}`)
    }
  }
}

export function invalidParams(text: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, text)
}

class Wrong extends Error {}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Wrong('want a hex string')
  if (!value.startsWith('0x') && !value.startsWith('0X')) {
    throw new Wrong(value === '' ? 'empty hex string' : 'hex string without 0x prefix')
  }
  if (!/^[0-9a-fA-F]*$/.test(value.slice(2))) throw new Wrong('invalid hex string')
  return `0x${value.slice(2).toLowerCase()}`
}

function bytes(value: unknown): Uint8Array {
  const digits = text(value)
  if (digits.length % 2 === 1) throw new Wrong('hex string of odd length')
  if (digits.length > 2 + 2 * chainTransactionBytesMax) throw new Wrong('oversized data')
  return bytesOf(digits)
}

function sized(value: unknown, length: number, what: string): string {
  const digits = text(value)
  if (digits.length !== 2 + 2 * length) {
    throw new Wrong(`hex string has length ${digits.length - 2}, want ${2 * length} for ${what}`)
  }
  return digits
}

const address = (value: unknown) => sized(value, 20, 'an address')
const hash = (value: unknown) => sized(value, 32, 'a hash')

function quantity(value: unknown): bigint {
  const digits = text(value)
  if (digits.length === 2) throw new Wrong('hex string "0x"')
  if (digits.length > 66) throw new Wrong('hex number > 256 bits')
  return BigInt(digits)
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Wrong('want an object')
  }
  return value as Readonly<Record<string, unknown>>
}

/** Undefined if missing. */
function field<T>(
  from: Readonly<Record<string, unknown>>,
  name: string,
  reader: (value: unknown) => T,
): T | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  try {
    return reader(value)
  } catch (error) {
    if (error instanceof Wrong) throw new Wrong(`field ${name}: ${error.message}`)
    throw error
  }
}

/** Blocks here are final at once: the newest is also the safe and the finalized one. */
const newest: readonly unknown[] = ['latest', 'pending', 'safe', 'finalized']

function blockName(value: unknown): BlockName {
  if (newest.includes(value)) return 'latest'
  if (value === 'earliest') return 0
  if (typeof value === 'object') {
    const by = record(value)
    const blockHash = field(by, 'blockHash', hash)
    const number = field(by, 'blockNumber', blockName)
    if ((blockHash === undefined) === (number === undefined)) {
      throw new Wrong('want either blockNumber or blockHash')
    }
    return blockHash === undefined ? (number ?? 'latest') : { hash: blockHash }
  }
  const number = quantity(value)
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw new Wrong('block number larger than int64')
  return Number(number)
}

function readCall(value: unknown): Call {
  const from = record(value)
  const data = field(from, 'data', bytes)
  const input = field(from, 'input', bytes)
  if (data !== undefined && input !== undefined && Buffer.compare(data, input) !== 0) {
    throw new Wrong('both "data" and "input" are set and not equal')
  }
  const gasPrice = field(from, 'gasPrice', quantity)
  const maxFee = field(from, 'maxFeePerGas', quantity)
  const tip = field(from, 'maxPriorityFeePerGas', quantity)
  if (gasPrice !== undefined && (maxFee !== undefined || tip !== undefined)) {
    throw new Wrong('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  return {
    from: field(from, 'from', address),
    to: field(from, 'to', address),
    gas: field(from, 'gas', quantity),
    fee: gasPrice ?? maxFee,
    value: field(from, 'value', quantity) ?? 0n,
    data: input ?? data ?? new Uint8Array(0),
    accessList: field(from, 'accessList', accessList) ?? [],
  }
}

function accessList(value: unknown): AccessList {
  if (!Array.isArray(value)) throw new Wrong('want an array')
  return value.map((item) => {
    const one = record(item)
    const keys: unknown = one.storageKeys ?? []
    if (!Array.isArray(keys)) throw new Wrong('storageKeys: want an array')
    return {
      address: prefixed(address(one.address)),
      storageKeys: keys.map((key) => prefixed(hash(key))),
    }
  })
}

function prefixed(digits: string): `0x${string}` {
  return `0x${digits.slice(2)}`
}

function readFilter(value: unknown): LogFilter {
  const from = record(value)
  const blockHash = field(from, 'blockHash', hash)
  const first = field(from, 'fromBlock', blockName)
  const last = field(from, 'toBlock', blockName)
  if (blockHash !== undefined && (first !== undefined || last !== undefined)) {
    throw new Wrong('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  const topics = field(from, 'topics', topicPlaces) ?? []
  const addresses = field(from, 'address', (given) => choices(given, address)) ?? []
  return { blockHash, from: first, to: last, topics, addresses: new Set(addresses) }
}

function topicPlaces(value: unknown): readonly (ReadonlySet<string> | undefined)[] {
  if (!Array.isArray(value)) throw new Wrong('want an array')
  if (value.length > 4) throw new Wrong('exceed max topics')
  return value.map((place) => {
    if (place === null || place === undefined) return undefined
    // `null` among the choices matches any topic, so it is no restriction.
    if (Array.isArray(place) && (place.length === 0 || place.includes(null))) return undefined
    return new Set(choices(place, hash))
  })
}

function choices(value: unknown, reader: (one: unknown) => string): readonly string[] {
  if (!Array.isArray(value)) return [reader(value)]
  if (value.length > chainLogChoicesMax) throw new Wrong('exceed max addresses or topics')
  return value.map(reader)
}
