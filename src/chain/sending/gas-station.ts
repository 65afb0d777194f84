// The account that pays for the signed acts of wallets. It has one mutex and one nonce counter.
// Every transaction is stored before it is sent, sent again after a restart, and replaced with a
// higher fee while no block includes it. If its simulation fails, it is not sent.
// (docs/chain.md, "What sponsoring costs")

import { Transaction, type Wallet } from 'ethers'
import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import {
  feeBumpMs,
  headPollMs,
  receiptMsMax,
  sponsoredGasMax,
  sponsoredGasMin,
  sponsoredPendingMax,
} from '../../base/limits/chain.js'
import type { Log } from '../../base/log.js'
import type { ContractReader } from '../registry/contract-reader.js'
import { ChainAway, reasonOf, unavailable } from '../remote/away.js'
import { inTime, type SharedHead } from '../remote/head.js'
import type { Header } from '../remote/header.js'
import { type Provider, RpcError } from '../remote/provider.js'
import { bigQuantity, hexQuantity, quantity } from '../words.js'
import type { Intent, Intents } from './intents.js'
import { type Receipt, readReceipt } from './receipt.js'

/** The gas station warns when its balance pays for fewer transactions than this. */
const sponsoredReserve = 20

const dayMs = 86_400_000
const warnEveryMs = 3_600_000
/** Polls of a nonce used by another transaction before Sigil's is given up: receipts may lag. */
const lostLooksMax = 5
/** Numerator and denominator of a raised fee: nodes require at least 10 % more. */
const bump = [9n, 8n] as const
const knownForm = /already known|known transaction|already imported|already exists/i
const usedForm = /nonce too low|nonce is too low/i
/** The node still has a transaction with this nonce: a higher fee replaces it later. */
const displacingForm = /replacement/i
const poorForm = /insufficient funds/i

interface GasStationOptions {
  readonly provider: Provider
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly chainId: number
  readonly isRemote: boolean
  readonly wallet: Wallet
  readonly intents: Intents
  readonly clock: Clock
  readonly log: Log
  /** How long a request waits for its block, milliseconds. */
  readonly waitMs?: number
  /** Gas of one transaction; sponsoredGasMax by default. */
  readonly gasMax?: number
  /** Its name in the log. */
  readonly name?: string
}

/** A transaction to send, and its wallet. */
interface Relay {
  readonly wallet: string
  readonly to: string
  readonly data: string
  /** The part of the day's budget that may be spent by now, wei; all of it by default. */
  readonly soFar?: bigint | undefined
}

/** An intent and its waiting callers. */
interface Pending {
  intent: Intent
  sentMs: number
  lostLooks: number
  readonly settle: (receipt: Receipt | undefined, error?: unknown) => void
  readonly receipt: Promise<Receipt>
}

interface Fees {
  readonly maxFee: bigint
  readonly tip: bigint
  /** For chains before EIP-1559. */
  readonly isLegacy: boolean
}

export class GasStation {
  readonly address: string
  private readonly options: GasStationOptions
  private readonly gasMax: number
  private readonly name: string
  private readonly pending = new Map<number, Pending>()
  private mutex: Promise<unknown> = Promise.resolve()
  private tending: Promise<void> | undefined
  /** Something happened during a check, which may have missed it. */
  private isDue = false
  private timer: NodeJS.Timeout | undefined
  private stopListening: (() => void) | undefined
  private warnedMs = Number.NEGATIVE_INFINITY
  private isClosed = false

  constructor(options: GasStationOptions) {
    this.options = options
    this.address = options.wallet.address
    this.gasMax = options.gasMax ?? sponsoredGasMax
    this.name = options.name ?? 'the gas station'
  }

  /** Resumes and resends the transactions of an earlier process. */
  async start(): Promise<void> {
    for (const intent of await this.options.intents.load()) {
      const pending = this.keep(intent)
      this.send(pending).catch(() => {})
    }
    this.stopListening = this.options.head.onHead(() => this.tend())
    this.tend()
  }

  /**
   * Sends `data` to `to` for `wallet` and resolves with the receipt, whatever its status. Rejects
   * with RpcError if the simulation reverts, 429 and 503 as `Intents.add`, 503 TX_PENDING.
   */
  async relay({ wallet, to, data, soFar }: Relay, head: Header): Promise<Receipt> {
    const gasLimit = await this.simulate(to, data, head)
    const draft = { wallet: wallet.toLowerCase(), to, data, gasLimit }
    const pending = await this.locked(() => this.prepare(draft, soFar))
    await this.send(pending)
    try {
      return await inTime(pending.receipt, this.options.waitMs ?? receiptMsMax)
    } catch (error) {
      if (!(error instanceof ChainAway) || !this.pending.has(pending.intent.nonce)) throw error
      const text = 'no block has taken the transaction yet; it is tried further'
      const txHash = pending.intent.hashes.at(-1)
      throw fail('HostUnreachable', text, { reason: 'TX_PENDING', txHash })
    }
  }

  /** Resolves once nothing is pending, whatever the outcome. */
  async settled(): Promise<void> {
    while (this.pending.size > 0 && !this.isClosed) {
      await Promise.allSettled([...this.pending.values()].map(({ receipt }) => receipt))
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.stopListening?.()
    clearTimeout(this.timer)
    await this.tending?.catch(() => {})
    await this.mutex.catch(() => {})
    for (const { settle } of this.pending.values()) settle(undefined, new ChainAway('closing'))
  }

  /** The gas limit; rejects with the RpcError of a revert. The cap is that of the transaction. */
  private async simulate(to: string, data: string, head: Header): Promise<number> {
    const { gasMax } = this
    const { reader, provider, isRemote } = this.options
    await reader.call({ to, data, gas: gasMax }, head, this.address)
    // If gas is free, the exact amount does not matter.
    if (!isRemote) return gasMax
    const call = { from: this.address, to, data, gas: hexQuantity(gasMax) }
    const params = [call, reader.tag(head)]
    const estimate = provider.request({ method: 'eth_estimateGas', params })
    const gas = await estimate.then(quantity).catch((error) => {
      // Some nodes estimate only at the latest block; the call above has succeeded anyway.
      if (error instanceof RpcError) return gasMax
      throw unavailable(error)
    })
    return Math.min(gasMax, Math.max(sponsoredGasMin, Math.ceil(gas * 1.2)))
  }

  /** Takes a nonce, signs, and stores the transaction. */
  private async prepare(
    given: Pick<Intent, 'wallet' | 'to' | 'data' | 'gasLimit'>,
    soFar: bigint | undefined,
  ): Promise<Pending> {
    if (this.isClosed || this.pending.size >= sponsoredPendingMax) {
      throw unavailable(new ChainAway('too many transactions wait for their block'))
    }
    const { head, clock, intents } = this.options
    const at = await head.fresh()
    const [fees, nonce, balance] = await this.ask(at)
    const cost = fees.maxFee * BigInt(given.gasLimit)
    this.requireFunds(balance, cost)
    const day = Math.floor(clock.now() / dayMs)
    const draft = { ...given, nonce, day, cost, raw: '', hashes: [], ...fees }
    const intent = this.sign(draft, fees.isLegacy)
    await intents.add(intent, soFar)
    return this.keep(intent)
  }

  private async ask(head: Header): Promise<[Fees, number, bigint]> {
    const { provider, reader } = this.options
    const tag = reader.tag(head)
    const ofUs = [this.address, tag]
    try {
      const [fees, count, balance] = await Promise.all([
        this.fees(head),
        provider.request({ method: 'eth_getTransactionCount', params: ofUs }),
        provider.request({ method: 'eth_getBalance', params: ofUs }),
      ])
      const highest = Math.max(-1, ...this.pending.keys())
      return [fees, Math.max(quantity(count), highest + 1), bigQuantity(balance)]
    } catch (error) {
      throw unavailable(error)
    }
  }

  private requireFunds(balance: bigint, cost: bigint): void {
    const { log, clock } = this.options
    let owed = 0n
    for (const { intent } of this.pending.values()) owed += intent.cost
    const left = balance - owed
    if (left < cost * BigInt(sponsoredReserve) && clock.elapsed() - this.warnedMs > warnEveryMs) {
      this.warnedMs = clock.elapsed()
      log.warn({ address: this.address }, `chain: the balance of ${this.name} is low`)
    }
    if (left >= cost) return
    const text = 'the gas station cannot pay for a transaction; send it yourself'
    throw fail('HostUnreachable', text, { reason: 'SPONSOR_EMPTY' })
  }

  private async fees(head: Header): Promise<Fees> {
    const { provider } = this.options
    if (head.baseFee === undefined) {
      const price = bigQuantity(await provider.request({ method: 'eth_gasPrice' }))
      return { maxFee: price, tip: price, isLegacy: true }
    }
    const asked = provider.request({ method: 'eth_maxPriorityFeePerGas' })
    const tip = await asked.then(bigQuantity, (error) => {
      if (error instanceof RpcError) return 1_000_000_000n
      throw error
    })
    return { maxFee: 2n * head.baseFee + tip, tip, isLegacy: false }
  }

  private sign(intent: Intent, isLegacy: boolean): Intent {
    const { chainId, wallet } = this.options
    const { nonce, to, data, gasLimit, maxFee, tip } = intent
    const price = isLegacy
      ? { type: 0, gasPrice: maxFee }
      : { type: 2, maxFeePerGas: maxFee, maxPriorityFeePerGas: tip }
    const tx = Transaction.from({ chainId, nonce, to, data, gasLimit, value: 0, ...price })
    tx.signature = wallet.signingKey.sign(tx.unsignedHash)
    return { ...intent, raw: tx.serialized, hashes: [...intent.hashes, tx.hash ?? ''] }
  }

  private keep(intent: Intent): Pending {
    let settle: Pending['settle'] = () => {}
    const receipt = new Promise<Receipt>((resolve, reject) => {
      settle = (found, error) => (found === undefined ? reject(error) : resolve(found))
    })
    receipt.catch(() => {})
    const sentMs = this.options.clock.elapsed()
    const pending = { intent, sentMs, lostLooks: 0, settle, receipt }
    this.pending.set(intent.nonce, pending)
    return pending
  }

  /** Rejects on a final refusal of the node; without an answer the intent stays. */
  private async send(pending: Pending): Promise<void> {
    const { provider, log, intents } = this.options
    pending.sentMs = this.options.clock.elapsed()
    const { intent } = pending
    try {
      await provider.request({ method: 'eth_sendRawTransaction', params: [intent.raw] })
    } catch (error) {
      const text = error instanceof RpcError ? error.message : undefined
      const isTaken =
        text === undefined || [knownForm, usedForm, displacingForm].some((form) => form.test(text))
      // A nonce below pending ones is not released: they would wait forever.
      const isLast = Math.max(...this.pending.keys()) === intent.nonce
      if (isTaken || !isLast || intent.hashes.length > 1) {
        log.debug({ nonce: intent.nonce, why: reasonOf(error) }, 'chain: not sent yet')
        this.tend()
        return
      }
      this.pending.delete(intent.nonce)
      await intents.finish(intent, 0n)
      const why = poorForm.test(text)
        ? fail('HostUnreachable', 'the gas station cannot pay', { reason: 'SPONSOR_EMPTY' })
        : unavailable(error)
      pending.settle(undefined, why)
      throw why
    }
    this.tend()
  }

  /** Checks pending transactions; one check at a time, repeated while any is left. */
  private tend(): void {
    if (this.isClosed || this.pending.size === 0) return
    if (this.tending !== undefined) {
      this.isDue = true
      return
    }
    this.isDue = false
    clearTimeout(this.timer)
    const done = (): void => {
      this.tending = undefined
      if (this.isDue) this.tend()
      else if (!this.isClosed && this.pending.size > 0) {
        this.timer = setTimeout(() => this.tend(), headPollMs)
        this.timer.unref()
      }
    }
    this.tending = this.look().then(done, done)
  }

  private async look(): Promise<void> {
    const { provider, reader, head } = this.options
    const at = await head.fresh()
    const params = [this.address, reader.tag(at)]
    const count = quantity(await provider.request({ method: 'eth_getTransactionCount', params }))
    const inOrder = [...this.pending.values()].sort((a, b) => a.intent.nonce - b.intent.nonce)
    for (const pending of inOrder) {
      if (pending.intent.nonce < count) await this.conclude(pending)
      else await this.press(pending, at)
    }
  }

  /** Its nonce is used, by one of its transactions or by a foreign one. */
  private async conclude(pending: Pending): Promise<void> {
    const { provider, intents, log } = this.options
    const { intent } = pending
    for (const hash of intent.hashes) {
      const method = 'eth_getTransactionReceipt'
      const receipt = readReceipt(await provider.request({ method, params: [hash] }))
      if (receipt === undefined) continue
      this.pending.delete(intent.nonce)
      await intents.finish(intent, receipt.spent)
      pending.settle(receipt)
      return
    }
    if (++pending.lostLooks < lostLooksMax) return
    log.error({ nonce: intent.nonce }, `chain: the key of ${this.name} is used elsewhere too`)
    this.pending.delete(intent.nonce)
    await intents.finish(intent, 0n)
    pending.settle(undefined, unavailable(new ChainAway('the transaction was displaced')))
  }

  /** Resends a pending transaction, with a higher fee if the chain has fees. */
  private async press(pending: Pending, head: Header): Promise<void> {
    const { clock, isRemote, intents } = this.options
    if (clock.elapsed() - pending.sentMs < feeBumpMs) return
    if (isRemote) {
      const { intent: before } = pending
      const fees = await this.fees(head)
      const maxFee = larger(fees.maxFee, raised(before.maxFee))
      const tip = larger(fees.tip, raised(before.tip))
      const cost = maxFee * BigInt(before.gasLimit)
      const after = this.sign({ ...before, maxFee, tip, cost }, fees.isLegacy)
      await intents.replace(before, after)
      pending.intent = after
    }
    await this.send(pending)
  }

  private locked<T>(work: () => Promise<T>): Promise<T> {
    const done = this.mutex.then(work, work)
    this.mutex = done.catch(() => {})
    return done
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function raised(fee: bigint): bigint {
  return (fee * bump[0]) / bump[1] + 1n
}
