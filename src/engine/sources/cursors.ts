// Open cursors: sources that continue in later commands, under an id that only their owner can use.
// They hold positions or bounded results, never a transaction. (docs/design/transactions.md, rule
// 10)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import type { ByteShare, ByteShares, Keeper } from '../../base/heap/byte-shares.js'
import { smallMessageBytesMax } from '../../base/limits/connections.js'
import { cursorIdleMs, cursorsPerOwnerMax } from '../../base/limits/documents.js'
import { firstPullBytes, pullDocumentsMax, pullWhenShortMax } from '../../base/limits/engine.js'
import { KiB } from '../../base/units.js'
import { numberedCursor } from '../../store/gateway-number.js'
import type { ClusterTime } from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { mayWait } from '../collection/records.js'
import type { Resource } from '../types.js'
import type { Source } from './holding-source.js'

/** A cursor that holds less memory than this is not closed to reclaim it, bytes. */
const cursorReclaimBytesMin = 64 * KiB
/** Overhead of a cursor besides its command and documents, bytes. */
const cursorOverheadBytes = 4 * KiB

export interface CursorMeta {
  readonly db: string
  /** The name that getMore must send: a collection, or `$cmd.listCollections` and similar. */
  readonly collection: string
  /** Key of the identity that opened it; for other identities the cursor does not exist. */
  readonly owner: string
  /** Key of the logical session. */
  readonly lsid?: string | undefined
  /** Number of the transaction that it belongs to. */
  readonly txnNumber?: number | undefined
  /** Time of the state that it reads: readConcern snapshot. */
  readonly snapshot?: ClusterTime | undefined
  readonly noCursorTimeout?: boolean
  /** Resources of the opening command: getMore needs the same rights. */
  readonly resources?: readonly Resource[]
  /** Set if the cursor stays open at the end of a capped collection. */
  readonly tail?: Tail
  /** Bytes of the opening command, which the source references while it is open. */
  readonly commandBytes?: number
  /** Bytes of a batch, if they are fewer than those of a reply. */
  readonly batchBytes?: number
}

export interface Tail {
  /** Whether a getMore without results waits for new documents. */
  readonly awaitsData: boolean
  /** At least one of these keys changes whenever there may be new documents. */
  readonly keys: readonly Bytes[]
}

/** The caller of a cursor, and the names it sent. */
type CursorCaller = Pick<CursorMeta, 'db' | 'collection' | 'owner' | 'lsid' | 'txnNumber'>

export interface Cursor {
  /** 1 to 2^53 - 1. */
  readonly id: number
  readonly source: Source
  readonly meta: CursorMeta
  /** Milliseconds since 1970. */
  readonly openedAt: number
  readonly lastUsedAt: number
  /** When it was last used, in the clock's elapsed milliseconds, independent of the wall clock. */
  readonly usedAtMs: number
  /** Whether a command is using it. */
  readonly isBusy: boolean
  readonly isKilled: boolean
  /** Called if it is killed while a command uses it. */
  whenKilled: (() => void) | undefined
}

type Entry = { -readonly [K in keyof Cursor]: Cursor[K] } & {
  readonly share: ByteShare | undefined
}

export class Cursors {
  /** Cursors that one wallet may have open, over all of its keys; 0 means no limit. */
  perOwnerMax = cursorsPerOwnerMax
  /** The owner that `perOwnerMax` does not bound. */
  unbounded: string | undefined
  /** Idle time after which a cursor is closed, milliseconds. */
  idleMs = cursorIdleMs
  /** Of a store that gateways share: ids then name this one. */
  gateway: { readonly number: number } | undefined
  private readonly cursors = new Map<number, Entry>()
  private readonly owned = new Map<string, number>()
  private readonly clock: Clock
  private readonly random: Random

  /** `shares` counts the memory of cursors; optional. */
  constructor(
    clock: Clock,
    random: Random,
    private readonly shares?: ByteShares,
  ) {
    this.clock = clock
    this.random = random
  }

  get size(): number {
    return this.cursors.size
  }

  /**
   * Registers a source; returns its id. Throws ExceededMemoryLimit above `perOwnerMax`, or if the
   * owner holds too much memory and has no other cursor to close.
   */
  open(source: Source, meta: CursorMeta): number {
    const holder = holderOf(meta.owner)
    const owned = this.owned.get(holder) ?? 0
    const isBounded = this.perOwnerMax > 0 && holder !== this.unbounded
    if (isBounded && owned >= this.perOwnerMax) {
      source.close()
      throw fail('ExceededMemoryLimit', `more than ${this.perOwnerMax} cursors are open`)
    }
    const share = this.shares?.open(holder)
    if (share?.take(bytesOf(source, meta)) === false) {
      share.close()
      source.close()
      throw fail('ExceededMemoryLimit', 'the cursors of this owner hold too much memory')
    }
    const id = this.freshId()
    const now = this.clock.now()
    this.cursors.set(id, {
      id,
      source,
      meta,
      share,
      openedAt: now,
      lastUsedAt: now,
      usedAtMs: this.clock.elapsed(),
      isBusy: false,
      isKilled: false,
      whenKilled: undefined,
    })
    this.owned.set(holder, owned + 1)
    return id
  }

  has(id: number): boolean {
    return this.cursors.has(id)
  }

  /** The cursor, if that owner has it; only for inspection. */
  find(id: number | bigint, owner: string): Cursor | undefined {
    const cursor = this.withId(id)
    return cursor?.meta.owner === owner ? cursor : undefined
  }

  /**
   * Takes the cursor for a command until `release`. Throws CursorNotFound (also for another
   * identity's), Unauthorized for another collection's, 50736 to 50741 for another session's or
   * transaction's, CursorInUse.
   */
  take(id: number | bigint, caller: CursorCaller): Cursor {
    const cursor = this.withId(id)
    if (cursor === undefined || cursor.meta.owner !== caller.owner) {
      throw fail('CursorNotFound', `cursor id ${id} not found`)
    }
    requireNamespace(cursor, caller)
    requireSession(cursor, caller.lsid)
    requireTransaction(cursor, caller.txnNumber)
    if (cursor.isBusy) throw fail('CursorInUse', `cursor id ${id} is already in use`)
    cursor.isBusy = true
    return cursor
  }

  /**
   * Ends a command's use of a cursor and closes a drained one. Throws CursorKilled if it was
   * killed.
   */
  release(cursor: Cursor): void {
    const entry = this.cursors.get(cursor.id)
    requireAlive(cursor)
    if (entry === undefined) return
    entry.isBusy = false
    entry.lastUsedAt = this.clock.now()
    entry.usedAtMs = this.clock.elapsed()
    if (entry.source.drained) this.remove(entry)
    else entry.share?.settle(bytesOf(entry.source, entry.meta))
  }

  /**
   * Closes the oldest idle cursor or portal of an owner that holds enough memory; without an owner,
   * of the one whose cursors hold most. False if there is none. Its next getMore gets
   * CursorNotFound, its next FETCH 34000.
   */
  reclaim(holder: string | undefined): boolean {
    const owner = holder ?? this.largestHolder()
    if (owner === undefined) return false
    let oldest: Entry | undefined
    for (const cursor of this.cursors.values()) {
      if (!isWorthClosing(cursor) || holderOf(cursor.meta.owner) !== owner) continue
      if (oldest === undefined || cursor.usedAtMs < oldest.usedAtMs) oldest = cursor
    }
    const keeper = this.oldestKeeper(owner)
    const keptMs = keeper?.oldestMs ?? Number.POSITIVE_INFINITY
    if (keeper !== undefined && keptMs < (oldest?.usedAtMs ?? Number.POSITIVE_INFINITY)) {
      keeper.closeOldest()
      return true
    }
    if (oldest === undefined) return false
    this.remove(oldest)
    return true
  }

  /** The connection whose portal of this owner was not used for longest. */
  private oldestKeeper(owner: string): Keeper | undefined {
    let oldest: Keeper | undefined
    for (const keeper of this.shares?.keepers ?? []) {
      if (keeper.owner !== owner || keeper.oldestMs === undefined) continue
      if (oldest?.oldestMs === undefined || keeper.oldestMs < oldest.oldestMs) oldest = keeper
    }
    return oldest
  }

  private largestHolder(): string | undefined {
    const held = new Map<string, number>()
    const add = (holder: string, bytes: number) => held.set(holder, (held.get(holder) ?? 0) + bytes)
    for (const cursor of this.cursors.values()) {
      if (isWorthClosing(cursor)) add(holderOf(cursor.meta.owner), heldBy(cursor))
    }
    for (const { owner, idleBytes } of this.shares?.keepers ?? []) add(owner, idleBytes)
    let largest: string | undefined
    for (const [holder, bytes] of held) {
      if (bytes > (held.get(largest ?? '') ?? 0)) largest = holder
    }
    return largest
  }

  /** Closes a cursor whose command has failed. */
  discard(cursor: Cursor): void {
    const entry = this.cursors.get(cursor.id)
    if (entry !== undefined) this.remove(entry)
  }

  /** Kills one cursor of this owner and collection; false if there is none. */
  kill(id: number | bigint, caller: Pick<CursorCaller, 'db' | 'collection' | 'owner'>): boolean {
    const cursor = this.withId(id)
    if (cursor === undefined || cursor.meta.owner !== caller.owner) return false
    if (cursor.meta.db !== caller.db || cursor.meta.collection !== caller.collection) return false
    this.remove(cursor)
    return true
  }

  /** An id above 2^53 comes as a bigint and is no cursor's. */
  private withId(id: number | bigint): Entry | undefined {
    return typeof id === 'number' ? this.cursors.get(id) : undefined
  }

  /** Kills every cursor for which `which` returns true; returns their number. */
  killWhere(which: (cursor: Cursor) => boolean): number {
    let killed = 0
    for (const cursor of [...this.cursors.values()]) {
      if (!which(cursor)) continue
      this.remove(cursor)
      killed++
    }
    return killed
  }

  /** Closes cursors idle for `idleMs`; `elapsedMs` is the clock's elapsed time. */
  expire(elapsedMs: number): number {
    return this.killWhere(
      ({ isBusy, meta, usedAtMs }) =>
        !isBusy && meta.noCursorTimeout !== true && elapsedMs - usedAtMs >= this.idleMs,
    )
  }

  /** Open cursors, oldest first. */
  list(): readonly Cursor[] {
    return [...this.cursors.values()]
  }

  private remove(cursor: Entry): void {
    this.cursors.delete(cursor.id)
    cursor.isKilled = cursor.isBusy
    if (cursor.isKilled) cursor.whenKilled?.()
    const holder = holderOf(cursor.meta.owner)
    const owned = (this.owned.get(holder) ?? 1) - 1
    if (owned > 0) this.owned.set(holder, owned)
    else this.owned.delete(holder)
    // A busy source is closed by its command, which learns of the kill in its next pause.
    if (!cursor.isBusy) cursor.source.close()
    cursor.share?.close()
  }

  private freshId(): number {
    for (;;) {
      const bytes = this.random.bytes(7)
      let id = (bytes[0] ?? 0) & 0x1f
      for (const byte of bytes.subarray(1)) id = id * 256 + byte
      if (this.gateway !== undefined) id = numberedCursor(id, this.gateway.number)
      if (id !== 0 && !this.cursors.has(id)) return id
    }
  }
}

function bytesOf({ bytesBuffered }: Source, { commandBytes = 0 }: CursorMeta): number {
  return cursorOverheadBytes + commandBytes + bytesBuffered
}

/** Memory including that of stages, which is counted separately. */
function heldBy({ share, source }: Entry): number {
  return (share?.bytesHeld ?? 0) + source.bytesWorking
}

function isWorthClosing(cursor: Entry): boolean {
  return !cursor.isBusy && heldBy(cursor) >= cursorReclaimBytesMin
}

/** The wallet of an owner's API key, since all its keys count together; otherwise the owner. */
export function holderOf(owner: string): string {
  const end = owner.indexOf(':')
  return end === -1 ? owner : owner.slice(0, end)
}

/** Called in the pauses of a command that uses a cursor. Throws CursorKilled. */
export function requireAlive(cursor: Cursor): void {
  if (cursor.isKilled) throw fail('CursorKilled', `cursor id ${cursor.id} was killed`)
}

function requireNamespace(cursor: Cursor, caller: CursorCaller): void {
  const { db, collection } = cursor.meta
  if (db === caller.db && collection === caller.collection) return
  const asked = `${caller.db}.${caller.collection}`
  const text = `but cursor belongs to a different namespace ${db}.${collection}`
  throw fail('Unauthorized', `Requested getMore on namespace '${asked}', ${text}`)
}

function requireSession(cursor: Cursor, lsid: string | undefined): void {
  const opened = cursor.meta.lsid
  if (opened === lsid) return
  const what = `Cannot run getMore on cursor ${cursor.id}, which was`
  if (opened === undefined) {
    throw fail('Location50736', `${what} not created in a session, in session ${lsid}`)
  }
  if (lsid === undefined) {
    throw fail('Location50737', `${what} created in session ${opened}, without an lsid`)
  }
  throw fail('Location50738', `${what} created in session ${opened}, in session ${lsid}`)
}

function requireTransaction({ id, meta }: Cursor, number: number | undefined): void {
  const { txnNumber: opened } = meta
  if (opened === number) return
  const what = `Cannot run getMore on cursor ${id}, which was`
  if (opened === undefined) {
    throw fail('Location50739', `${what} not created in a transaction, in transaction ${number}`)
  }
  if (number === undefined) {
    throw fail('Location50740', `${what} created in transaction ${opened}, without a txnNumber`)
  }
  throw fail('Location50741', `${what} created in transaction ${opened}, in transaction ${number}`)
}

export interface Batch {
  readonly documents: Document[]
  /** Whether the cursor is drained: then the reply's cursor id is 0. */
  readonly drained: boolean
}

interface BatchLimits {
  readonly documentsMax: number
  /** Documents that the source has at most, if that is known. */
  readonly documentsLeft?: number | undefined
  /** Maximum bytes of documents as array elements; a single document always fits. */
  readonly bytesMax: number
}

/** Overhead of an array element: type byte, position as text, its end. */
function elementBytes(position: number): number {
  let bytes = 3
  for (let rest = position; rest >= 10; rest /= 10) bytes++
  return bytes
}

/** From this size on, a batch counts for its reply, bytes. */
const countedBatchBytes = smallMessageBytesMax
/** What a batch becomes if further documents are as large as those so far. */
function expectedBytes(bytes: number, documents: number, limits: BatchLimits): number {
  const { bytesMax, documentsMax, documentsLeft = documentsMax } = limits
  const all = Math.ceil((bytes / documents) * Math.min(documentsMax, documentsLeft))
  return Math.max(bytes, Math.min(bytesMax, all))
}

/** The next batch of a source; an extra document is put back for the next one. */
export function* fillBatch(tx: ReadTx, source: Source, limits: BatchLimits): Program<Batch> {
  const documents: Document[] = []
  let bytes = 0
  let isFull = false
  while (!isFull && documents.length < limits.documentsMax && !source.drained) {
    const isFirst = documents.length === 0
    const most = isFirst && tx.isMemoryShort === true ? pullWhenShortMax : pullDocumentsMax
    const want = Math.min(limits.documentsMax - documents.length, most)
    const pulled = yield* source.pull(tx, want, isFirst ? firstPullBytes : undefined)
    if (pulled.length === 0) break
    for (let i = 0; i < pulled.length; i++) {
      const document = pulled[i] as Document
      const more = document.length + elementBytes(documents.length)
      isFull = bytes + more > limits.bytesMax && documents.length > 0
      if (isFull) {
        source.putBack(pulled.slice(i))
        break
      }
      bytes += more
      documents.push(document)
    }
    // All that the batch may become: once it counts, it cannot wait again.
    const isLast = isFull || source.drained
    const expected = isLast ? bytes : expectedBytes(bytes, documents.length, limits)
    if (expected <= countedBatchBytes) continue
    const wait = tx.reply?.expects(expected, mayWait(tx))
    if (wait === undefined) continue
    const counted = tx.reply?.waits(bytes)
    try {
      yield* tx.elsewhere(wait)
    } finally {
      counted?.()
    }
  }
  if (bytes > countedBatchBytes) tx.reply?.holds(bytes)
  return { documents, drained: !isFull && source.drained }
}
