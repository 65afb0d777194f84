// Stores the registry's events block by block: which wallets hold a commitment, and all
// revocations. Providers limit the range of eth_getLogs, so the back-fill uses chunks that shrink
// and grow. After a reorganization it returns to the fork and reads again. That removes
// registrations, never revocations. (docs/design/chain.md)

import { setImmediate } from 'node:timers/promises'
import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { checksumAddress } from '../../base/bytes/eip55.js'
import { assert } from '../../base/errors.js'
import { headRewindMax } from '../../base/limits/chain.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Log } from '../../base/log.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { ChainAway } from '../remote/away.js'
import { type Header, readHeader } from '../remote/header.js'
import { type Provider, RpcError } from '../remote/provider.js'
import { numberAt, numbers, type Rows } from '../rows.js'
import { bytesOfHex, hexOfBytes, hexQuantity } from '../words.js'
import { type KeyEvent, readKeyEvents, registeredTopic, revokedTopic } from './key-events.js'
import type { Candidate } from './registry.js'

/** Hashes of blocks that are kept, to notice a reorganization. */
const blockHashesKept = 2 * headRewindMax
/** Blocks of one eth_getLogs, at first and at most: providers limit them. */
const logBlocksFirst = 10_000
const logBlocksMax = 100_000
/** Blocks that are read again behind the head: a lagging node returns an empty range, no error. */
const logOverlapBlocks = 8
assert(logOverlapBlocks < headRewindMax, 'what is read again can be taken back')

/** Events that one program writes. */
const logEventsAtOnce = 200

/** Successful chunks before their size grows. */
const chunksToGrow = 8

interface KeyLogOptions {
  readonly provider: Provider
  readonly contract: string
  /** No event of the contract is older. */
  readonly deployBlock: number
  /** Several nodes may answer: some blocks are read again, in case one lagged. */
  readonly isRemote: boolean
  readonly store: Store
  readonly rows: Rows
  readonly log: Log
  /** Aborts a back-fill, which may take long; stored events are kept. */
  readonly signal: AbortSignal
  /** Called once for each revocation, after it was stored; the address in EIP-55 form. */
  readonly onRevoked: (address: string, index: number) => void
  /** Blocks were reorganized: data that was read from them is invalid. */
  readonly onRewind: () => void
}

interface Cursor {
  readonly number: number
  readonly hash: string
}

export class KeyLog {
  private readonly options: KeyLogOptions
  private cursor: Cursor | undefined
  private isLoaded = false
  private blocks = logBlocksFirst
  private goodChunks = 0

  constructor(options: KeyLogOptions) {
    this.options = options
  }

  /** The last processed block; undefined before the first. */
  async place(): Promise<number | undefined> {
    if (!this.isLoaded) {
      const { store, rows } = this.options
      this.cursor = await store.read((tx) => readCursor(tx, rows))
      this.isLoaded = true
    }
    return this.cursor?.number
  }

  /** Processes all blocks up to `head`; one call at a time. Rejects with ChainAway or RpcError. */
  async catchUp(head: Header): Promise<void> {
    await this.place()
    await this.rewindTo(head)
    const { deployBlock, isRemote } = this.options
    const behind = this.cursor === undefined ? deployBlock : this.cursor.number + 1
    if (behind > head.number) return
    let from = isRemote ? Math.max(deployBlock, behind - logOverlapBlocks) : deployBlock
    if (!isRemote) from = behind
    while (from <= head.number) {
      if (this.options.signal.aborted) throw new ChainAway('Sigil is closing')
      const to = Math.min(from + this.blocks - 1, head.number)
      const events = await this.chunk(from, to)
      if (events === undefined) continue
      const hash = to === head.number ? head.hash : (await this.block(to)).hash
      await this.keep(events, { number: to, hash })
      from = to + 1
    }
  }

  /** Records with the commitment (64 hex digits), oldest first. */
  async candidates(commitment: string): Promise<readonly Candidate[]> {
    const { store, rows } = this.options
    const wanted = bytesOfHex(commitment)
    const found = await store.read((tx) => readCandidates(tx, rows, wanted))
    const candidates: Candidate[] = []
    for (const { address, ...rest } of found) {
      candidates.push({ ...rest, address: checksumAddress(address.slice(2)) })
      // Squatters may have made thousands of records, and each checksum is a hash.
      if (candidates.length % logEventsAtOnce === 0) await setImmediate()
    }
    return candidates
  }

  async isRevoked(address: string, index: number): Promise<boolean> {
    const { store, rows } = this.options
    const key = rows.revoked(bytesOfHex(address.slice(2)), index)
    return (await store.read((tx) => read(tx, key))) !== undefined
  }

  /** Stores a revocation forever; calls `onRevoked` if it was unknown. */
  async revoke(address: string, index: number): Promise<void> {
    const { store, rows, onRevoked } = this.options
    const key = rows.revoked(bytesOfHex(address.slice(2)), index)
    const isNew = await store.write((tx) => markRevoked(tx, key))
    if (isNew) onRevoked(checksumAddress(address.slice(2).toLowerCase()), index)
  }

  /** The events of a range; undefined if the range was refused, and is halved. */
  private async chunk(from: number, to: number): Promise<KeyEvent[] | undefined> {
    const { provider, contract } = this.options
    const filter = {
      address: contract,
      topics: [[registeredTopic, revokedTopic]],
      fromBlock: hexQuantity(from),
      toBlock: hexQuantity(to),
    }
    let answer: unknown
    try {
      answer = await provider.request({ method: 'eth_getLogs', params: [filter] })
    } catch (error) {
      const size = to - from + 1
      this.goodChunks = 0
      this.blocks = Math.max(1, Math.floor(size / 2))
      // A refusal is about the range, unless it is one block; a missing response proves nothing.
      if (error instanceof RpcError && size > 1) return undefined
      throw error
    }
    if (++this.goodChunks >= chunksToGrow) {
      this.goodChunks = 0
      this.blocks = Math.min(logBlocksMax, Math.ceil(this.blocks * 1.25))
    }
    const events = readKeyEvents(answer, contract)
    const stray = events.some(({ block }) => block < from || block > to)
    if (stray) throw new ChainAway('an event lies outside the blocks that were asked for')
    return events
  }

  private async keep(events: readonly KeyEvent[], to: Cursor): Promise<void> {
    const { store, rows, onRevoked } = this.options
    const advanced = this.cursor === undefined || to.number > this.cursor.number
    for (let at = 0; at < events.length; at += logEventsAtOnce) {
      const some = events.slice(at, at + logEventsAtOnce)
      const revoked = await store.write((tx) => putEvents(tx, rows, some))
      for (const { address, index } of revoked) {
        onRevoked(checksumAddress(address.slice(2)), index)
      }
    }
    if (!advanced) return
    await store.write((tx) => putCursor(tx, rows, to))
    this.cursor = to
  }

  /** If the chain no longer has the block at the cursor: returns to the last block that it has. */
  private async rewindTo(head: Header): Promise<void> {
    const { cursor } = this
    if (cursor === undefined || (await this.stands(cursor, head))) return
    const { store, rows, log, deployBlock, onRewind } = this.options
    const known = await store.read((tx) => readHashes(tx, rows))
    let fork: Cursor | undefined
    for (const one of known.reverse()) {
      if (one.number > head.number || !(await this.stands(one, head))) continue
      fork = one
      break
    }
    // A node that lags behind its earlier head has not reorganized.
    if (fork !== undefined && fork.number === head.number && cursor.number > head.number) return
    const from = fork === undefined ? deployBlock : fork.number + 1
    log.warn({ from: cursor.number, to: from - 1 }, 'chain: blocks were reorganised')
    let more = true
    while (more) more = await store.write((tx) => takeBack(tx, rows, from))
    await store.write((tx) => putCursor(tx, rows, fork))
    this.cursor = fork
    onRewind()
  }

  /** Whether the chain of `head` contains the block. */
  private async stands(block: Cursor, head: Header): Promise<boolean> {
    if (block.number > head.number) return false
    if (block.number === head.number) return block.hash === head.hash
    if (block.number === head.number - 1) return block.hash === head.parentHash
    return block.hash === (await this.block(block.number)).hash
  }

  private async block(number: number): Promise<Header> {
    const params = [hexQuantity(number), false]
    const { provider } = this.options
    return readHeader(await provider.request({ method: 'eth_getBlockByNumber', params }))
  }
}

function* read(tx: ReadTx, key: Bytes): Program<Bytes | undefined> {
  return yield* tx.get(key)
}

function* markRevoked(tx: Tx, key: Bytes): Program<boolean> {
  if ((yield* tx.get(key)) !== undefined) return false
  tx.put(key, Uint8Array.of(1))
  return true
}

/** Returns the revocations that were unknown. */
function* putEvents(tx: Tx, rows: Rows, events: readonly KeyEvent[]): Program<KeyEvent[]> {
  const revoked: KeyEvent[] = []
  for (const event of events) {
    const { kind, address, index, block, logIndex } = event
    const wallet = bytesOfHex(address.slice(2))
    if (kind === 'revoked') {
      if (yield* markRevoked(tx, rows.revoked(wallet, index))) revoked.push(event)
      continue
    }
    const commitment = bytesOfHex(event.commitment)
    const record = concatBytes(wallet, numbers(index), bytesOfHex(event.storedKey))
    tx.put(rows.candidate(commitment, block, logIndex), record)
    tx.put(rows.event(block, logIndex), commitment)
  }
  return revoked
}

/** Removes some records of blocks from `from` on; returns whether there may be more. */
function* takeBack(tx: Tx, rows: Rows, from: number): Program<boolean> {
  const found = yield* tx.scan(rows.events(from), logEventsAtOnce)
  for (const { key, value } of found) {
    const block = numberAt(key, key.length - 16)
    tx.remove(rows.candidate(value, block, numberAt(key, key.length - 8)))
    tx.remove(key)
  }
  return found.length === logEventsAtOnce
}

/** Keeps the hashes of the last blocks; removes those above the cursor. */
function* putCursor(tx: Tx, rows: Rows, cursor: Cursor | undefined): Program<void> {
  const number = cursor?.number ?? -1
  for (const { key } of yield* tx.scan(rows.blockHashes(), scanEntriesMax)) {
    const block = numberAt(key, key.length - 8)
    if (block > number || block <= number - blockHashesKept) tx.remove(key)
  }
  if (cursor === undefined) {
    tx.remove(rows.cursor())
    return
  }
  const hash = bytesOfHex(cursor.hash.slice(2))
  tx.put(rows.cursor(), concatBytes(numbers(cursor.number), hash))
  tx.put(rows.blockHash(cursor.number), hash)
}

function* readCursor(tx: ReadTx, rows: Rows): Program<Cursor | undefined> {
  const found = yield* tx.get(rows.cursor())
  if (found === undefined) return undefined
  return { number: numberAt(found, 0), hash: `0x${hexOfBytes(found.subarray(8))}` }
}

function* readHashes(tx: ReadTx, rows: Rows): Program<Cursor[]> {
  const found = yield* tx.scan(rows.blockHashes(), scanEntriesMax)
  return found.map(({ key, value }) => ({
    number: numberAt(key, key.length - 8),
    hash: `0x${hexOfBytes(value)}`,
  }))
}

function* readCandidates(tx: ReadTx, rows: Rows, commitment: Bytes): Program<Candidate[]> {
  const { start, end } = rows.candidates(commitment)
  const candidates: Candidate[] = []
  let from = start
  for (;;) {
    const page = yield* tx.scan({ start: from, end }, scanEntriesMax)
    for (const { key, value } of page) candidates.push(readCandidate(key, value))
    const last = page.at(-1)
    if (last === undefined || page.length < scanEntriesMax) return candidates
    from = concatBytes(last.key, Uint8Array.of(0))
  }
}

function readCandidate(key: Bytes, value: Bytes): Candidate {
  return {
    address: `0x${hexOfBytes(value.subarray(0, 20))}`,
    index: numberAt(value, 20),
    storedKey: value.slice(28),
    block: numberAt(key, key.length - 16),
    logIndex: numberAt(key, key.length - 8),
  }
}
