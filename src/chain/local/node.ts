// The local chain's node, in its worker: accepts transactions, makes blocks, answers reads and
// calls. A block is on the disk before any client sees it. If that fails, everything in memory is
// discarded and read again.

import { setImmediate as breath } from 'node:timers/promises'
import type { Common } from '@ethereumjs/common'
import { createFeeMarket1559Tx } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import type { Bytes } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { fail, GatewayError } from '../../base/errors.js'
import {
  chainAheadSecondsMax,
  chainBlockGasMax,
  chainForeignTransactionBytesMax,
  chainGapMs,
  chainTransactionBytesMax,
} from '../../base/limits/chain.js'
import { type ChainHead, RpcError, rpcCodes } from '../remote/provider.js'
import { openCommon } from './common.js'
import { addressOf, type ChainIdentity, openIdentity } from './genesis.js'
import { Growth, type GrowthBounds } from './growth.js'
import { BrokenWorld, type Made, makeBlock, type Refusals, senderOf } from './miner.js'
import { bytesOf, hex } from './quantity.js'
import { Queue, type Queued } from './queue.js'
import { type BlockRecord, putsOf, Records } from './records.js'
import type { CallBlock } from './simulate.js'
import { type Ledger, openLedger, openWorld, type World } from './state.js'
import type { ChainStorage } from './storage.js'
import { readTransaction, requirePayable, type Sender, type Signed } from './transaction.js'
import { type Rank, Turns } from './turns.js'

interface NodeOptions {
  readonly chainId: number
  readonly fund: readonly string[]
  readonly random: Random
  /** Wall time, milliseconds. */
  readonly now: () => number
  /** Called again after a failed commit. */
  readonly openStorage: () => ChainStorage
  /** Calls `tick` after that time; a later call replaces an earlier one. */
  readonly wake: (ms: number) => void
  /** Called before the senders of its transactions get their results. */
  readonly onBlock: (head: ChainHead) => void
  readonly onError: (text: string) => void
  /** Bounds for clients' transactions; the defaults are in limits/chain.ts. */
  readonly growth?: GrowthBounds | undefined
}

interface Opened {
  readonly storage: ChainStorage
  readonly records: Records
  readonly identity: ChainIdentity
  readonly queue: Queue
  head: BlockRecord
  /** Makes blocks. */
  writer: World
  /** Worlds that run calls, one for each rank. */
  readonly readers: Record<Rank, Reader>
  /** The ledger of the head. */
  ledger: { readonly of: BlockRecord; readonly state: Promise<Ledger> } | undefined
}

interface Reader {
  /** Undefined before the first call, and after an EVM failure. */
  world: World | undefined
  root: string
}

const transferGas = 100_000n

export class LocalNode {
  readonly common: Common
  /** For the worlds of calls; blocks are made in another world, concurrently. */
  private readonly turns: Record<Rank, Turns> = { own: new Turns(), other: new Turns() }
  private opening: Promise<Opened> | undefined
  private queue: Queue | undefined
  /** The block being made. */
  private making: Promise<void> | undefined
  private lastBlockAt = 0
  private wakeDue: number | undefined
  /** The timer says that a block is due, whatever `now` says. */
  private due = false
  private closed = false
  private readonly growth: Growth
  private readonly funding = new Map<string, Promise<void>>()

  constructor(private readonly options: NodeOptions) {
    this.common = openCommon(options.chainId)
    this.growth = new Growth(options.growth)
  }

  async head(): Promise<BlockRecord> {
    return (await this.opened()).head
  }

  async records(): Promise<Records> {
    return (await this.opened()).records
  }

  async keys(): Promise<ChainIdentity> {
    return (await this.opened()).identity
  }

  /** The next block, in which a call at the head runs. */
  nextBlock({ block }: BlockRecord): CallBlock {
    return {
      number: Number(block.header.number) + 1,
      timestamp: this.nextTimestamp(Number(block.header.timestamp)),
      gasLimit: chainBlockGasMax,
      baseFee: block.header.calcNextBaseFee(),
    }
  }

  /** The state after a block, for reads. */
  async ledger(record: BlockRecord): Promise<Ledger> {
    const opened = await this.opened()
    const { common } = this
    const { stateRoot } = record.block.header
    if (record !== opened.head) return openLedger(opened.storage, common, stateRoot)
    if (opened.ledger?.of !== record) {
      opened.ledger = { of: record, state: openLedger(opened.storage, common, stateRoot) }
    }
    return opened.ledger.state
  }

  /** Runs `work` alone on the state after a block. Its changes are discarded. */
  read<T>(rank: Rank, record: BlockRecord, work: (world: World) => Promise<T>): Promise<T> {
    return this.turns[rank].take(rank, async () => {
      const opened = await this.opened()
      const reader = opened.readers[rank]
      const world = await this.worldAt(opened, reader, record)
      try {
        return await work(world)
      } catch (error) {
        // An RpcError of Sigil leaves the world intact; another error may not.
        if (!(error instanceof RpcError)) reader.world = undefined
        throw error
      } finally {
        world.take()
      }
    })
  }

  /** The nonce after the waiting transactions of a sender. */
  async pendingNonce(from: string): Promise<bigint> {
    for (;;) {
      const opened = await this.opened()
      const { head, queue } = opened
      const { nonce } = await senderOf(await this.ledger(head), from)
      // A new block has taken some of the waiting transactions.
      if (opened.head === head) return queue.nextNonce(from, nonce)
    }
  }

  /**
   * Resolves with the hash once the transaction is in a block on the disk. Clients' transactions
   * have a smaller bound and count for the growth of the folder.
   */
  async send(raw: Bytes, rank: Rank): Promise<string> {
    const isOther = rank === 'other'
    const most = isOther ? chainForeignTransactionBytesMax : chainTransactionBytesMax
    const signed = readTransaction(raw, this.common, most)
    const sender = await this.senderAtHead(signed.from)
    const { head, queue } = await this.opened()
    requirePayable(signed, sender, head.block.header.calcNextBaseFee())
    if (!isOther) return this.wait(queue, signed)
    this.growth.require(signed, this.options.now())
    return this.wait(queue, signed, () => this.growth.add(signed))
  }

  /** Sends test ether to an address that has less than a tenth of the amount. */
  fund(address: string, wei: bigint): Promise<void> {
    const to = address.toLowerCase()
    const running = this.funding.get(to)
    if (running !== undefined) return running
    const started = this.give(to, wei).finally(() => this.funding.delete(to))
    this.funding.set(to, started)
    return started
  }

  /** The time requested with `wake` has passed. */
  tick(): void {
    this.wakeDue = undefined
    this.due = true
    this.queue?.expire(this.options.now())
    if ((this.queue?.size ?? 0) > 0) this.wakeAfter(chainGapMs)
    this.schedule()
  }

  /** Refuses waiting transactions and finishes the current block. */
  async close(): Promise<void> {
    this.closed = true
    for (const entry of this.queue?.entries() ?? []) {
      if (this.queue?.isTaken(entry)) continue
      this.queue?.remove(entry)
      entry.settle(new RpcError(rpcCodes.internalError, 'the local chain is closed'))
    }
    await this.making
    const close = async () => {
      const opened = await this.opening?.catch(() => undefined)
      this.opening = undefined
      await opened?.storage.close()
    }
    await this.turns.other.take('own', () => this.turns.own.take('own', close))
  }

  private opened(): Promise<Opened> {
    if (this.opening === undefined) {
      if (this.closed) {
        return Promise.reject(new RpcError(rpcCodes.internalError, 'the local chain is closed'))
      }
      const opening = this.open()
      this.opening = opening
      opening.catch((error) => {
        if (this.opening === opening) this.opening = undefined
        this.options.onError(`the local chain does not open: ${textOf(error)}`)
      })
    }
    return this.opening
  }

  private async open(): Promise<Opened> {
    const { common, options } = this
    const { chainId, fund, random } = options
    const storage = options.openStorage()
    try {
      const identity = await openIdentity(storage, common, {
        chainId,
        fund,
        random,
        now: options.now(),
      })
      const records = new Records(storage, common)
      const head = records.block(records.headNumber() ?? 0)
      if (head === undefined) throw fail('InternalError', 'the newest block is missing')
      const { owner, gasStation, faucet } = identity
      this.queue ??= new Queue(new Set([owner, gasStation, faucet].map(addressOf)))
      const writer = await this.openWorldAt(storage, records, head)
      const { queue } = this
      const reader = (): Reader => ({ world: undefined, root: '' })
      const reading = { readers: { own: reader(), other: reader() }, ledger: undefined }
      return { storage, records, identity, queue, head, writer, ...reading }
    } catch (error) {
      await storage.close()
      throw error
    }
  }

  private openWorldAt(storage: ChainStorage, records: Records, at: BlockRecord): Promise<World> {
    return openWorld(storage, this.common, at.block.header.stateRoot, (number) => {
      const found = records.block(number)
      return found?.block.hash() ?? new Uint8Array(32)
    })
  }

  private async worldAt(opened: Opened, reader: Reader, record: BlockRecord): Promise<World> {
    const { stateRoot } = record.block.header
    const root = hex(stateRoot)
    reader.world ??= await this.openWorldAt(opened.storage, opened.records, record)
    if (reader.root !== root) await reader.world.state.setStateRoot(stateRoot)
    reader.root = root
    return reader.world
  }

  private async senderAtHead(from: string): Promise<Sender> {
    return senderOf(await this.ledger(await this.head()), from)
  }

  /** `added` is called once the transaction waits. */
  private wait(queue: Queue, signed: Signed, added?: () => void): Promise<string> {
    if (this.closed) throw new RpcError(rpcCodes.internalError, 'the local chain is closed')
    return new Promise((resolve, reject) => {
      const settle = (refusal?: Error) => (refusal ? reject(refusal) : resolve(signed.hash))
      queue.add({ ...signed, settle, since: this.options.now() })
      added?.()
      this.schedule()
    })
  }

  private async give(to: string, wei: bigint): Promise<void> {
    for (;;) {
      const opened = await this.opened()
      const { identity, head, queue } = opened
      const from = addressOf(identity.faucet)
      const ledger = await this.ledger(head)
      const account = await ledger.getAccount(createAddressFromString(to))
      if ((account?.balance ?? 0n) >= wei / 10n) return
      const { nonce } = await senderOf(ledger, from)
      // No await from here to the queue, so no other transaction can take the nonce.
      if (opened.head !== head) continue
      const maxFeePerGas = 2n * head.block.header.calcNextBaseFee()
      const values = { nonce: queue.nextNonce(from, nonce), value: wei, maxFeePerGas }
      const tx = createFeeMarket1559Tx(
        { ...values, to: createAddressFromString(to), gasLimit: transferGas },
        { common: this.common },
      ).sign(bytesOf(identity.faucet))
      await this.wait(queue, { tx, hash: hex(tx.hash()), from })
      return
    }
  }

  private schedule(): void {
    if (this.making !== undefined || this.closed || (this.queue?.size ?? 0) === 0) return
    // Reads pending messages first, so that their transactions share the block.
    this.making = breath()
      .then(() => this.mine())
      .catch((error) => {
        this.options.onError(`a block could not be made: ${textOf(error)}`)
        return false
      })
      .then((goOn) => {
        this.making = undefined
        if (goOn) this.schedule()
        else if ((this.queue?.size ?? 0) > 0) this.wakeAfter(chainGapMs)
      })
  }

  /** Makes a block if it is due; returns whether another may follow. */
  private async mine(): Promise<boolean> {
    const opened = await this.opened()
    const ms = this.waitMs(opened)
    if (ms > 0) {
      this.wakeAfter(ms)
      return false
    }
    this.due = false
    const { queue } = opened
    const entries = queue.take()
    const refusals: Refusals = new Map()
    let made: Made | undefined
    try {
      const parent = opened.head.block
      const timestamp = this.nextTimestamp(Number(parent.header.timestamp))
      const candidates = { entries, isOwn: (entry: Queued) => queue.isOwn(entry) }
      made = await makeBlock(opened.writer, parent, timestamp, candidates, refusals)
      if (made !== undefined) await this.commit(opened, made)
    } catch (error) {
      await this.discard(opened, error, made)
      return true
    } finally {
      queue.release()
      for (const [entry, reason] of refusals) {
        queue.remove(entry)
        entry.settle(reason)
      }
    }
    if (made === undefined) return queue.entries().some((entry) => !entries.includes(entry))
    this.publish(opened, made)
    return queue.size > 0
  }

  private async commit({ storage, writer }: Opened, { record }: Made): Promise<void> {
    storage.commit([...writer.take(), ...putsOf(record)])
  }

  private publish(opened: Opened, { record, taken }: Made): void {
    const { number, hash, logs, block } = record
    opened.head = record
    opened.writer.trim()
    this.lastBlockAt = this.options.now()
    this.options.onBlock({ number, hash, logs, timestamp: Number(block.header.timestamp) })
    for (const entry of taken) {
      opened.queue.remove(entry)
      entry.settle()
    }
  }

  /** Discards everything of a failed block: storage and state are opened again. */
  private async discard(opened: Opened, error: unknown, made: Made | undefined): Promise<void> {
    const culprits = error instanceof BrokenWorld ? [error.entry] : (made?.taken ?? [])
    const left = culprits.length > 0 ? culprits : opened.queue.entries()
    this.options.onError(`a block was discarded: ${textOf(error)}`)
    this.opening = undefined
    try {
      await opened.storage.close()
    } catch (closing) {
      this.options.onError(`its storage did not close: ${textOf(closing)}`)
    }
    const isFull = error instanceof GatewayError && error.kind === 'OutOfDiskSpace'
    const text = isFull ? error.message : 'the transaction could not be kept'
    for (const entry of left) {
      opened.queue.remove(entry)
      entry.settle(new RpcError(rpcCodes.internalError, text))
    }
  }

  /** Successive blocks may run ahead of the clock up to a bound; then one block a second. */
  private waitMs({ head }: Opened): number {
    const now = this.options.now()
    const ahead = Number(head.block.header.timestamp) - Math.floor(now / 1000)
    if (ahead < chainAheadSecondsMax || this.due) return 0
    const since = now - this.lastBlockAt
    return since < 0 ? 1_000 : Math.max(0, 1_000 - since)
  }

  private nextTimestamp(parent: number): number {
    return Math.max(Math.floor(this.options.now() / 1000), parent + 1)
  }

  private wakeAfter(ms: number): void {
    const now = this.options.now()
    const { wakeDue } = this
    if (wakeDue !== undefined && wakeDue > now && wakeDue <= now + ms) return
    this.wakeDue = now + ms
    this.options.wake(ms)
  }
}

function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const text = error instanceof Error ? error.message : String(error)
  return cause === undefined ? text : `${text}: ${cause.message}`
}
