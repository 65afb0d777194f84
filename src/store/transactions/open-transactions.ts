// The open transactions of a process, within their bounds: number, age, memory of their changes and
// memory that their states keep. Beyond a bound a transaction ends, never the server. Its next use
// fails with NoSuchTransaction, and clients begin again. (docs/design/transactions.md, rule 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { fail, hasKind } from '../../base/errors.js'
import type { ByteShare, ByteShares } from '../../base/heap/byte-shares.js'
import {
  snapshotKeptBytesMax,
  snapshotMsMax,
  transactionMsMax,
  transactionsMax,
} from '../../base/limits/store.js'
import type { TransactionStore } from './changed-keys.js'
import { HeldKeys, type Tries } from './held-keys.js'
import { beginTransaction, type Isolation, type Transaction } from './transaction.js'

interface OpenTransactionsParts {
  readonly store: TransactionStore
  readonly clock: Clock
  /** Counts the memory of changes by owner; optional. */
  readonly shares?: ByteShares
}

/** Why a transaction ended without a commit. */
export const abortReasons = [
  ...(['client', 'conflict', 'refused', 'time', 'memory', 'number', 'shutdown'] as const),
]
type AbortReason = (typeof abortReasons)[number]

/** Since the start of the process. */
export interface TransactionCounts {
  begun: number
  committed: number
  readonly aborted: Map<AbortReason, number>
}

/** What a transaction is begun with, beside its owner. */
interface BeginOptions {
  readonly isolation?: Isolation
  /** Called when it ends, whatever the reason. */
  readonly told?: () => void
  /** The tries of its session; without them no keys are held for it. */
  readonly tries?: Tries | undefined
  /** Whether its owner may make other writers of a key wait. */
  readonly mayHold?: (key: Bytes) => boolean
}

interface Open {
  /** Why the server ends it. */
  why: AbortReason | undefined
  readonly owner: string
  /** A client's transaction; a held state of other reads appears in no count. */
  readonly isCounted: boolean
  /** In the clock's elapsed milliseconds. */
  readonly beganMs: number
  readonly transaction: Transaction
}

/** Memory of a transaction without changes, bytes. */
const overheadBytes = 4_096

export class OpenTransactions {
  /** Oldest first. */
  private readonly open = new Set<Open>()
  readonly counts: TransactionCounts = { begun: 0, committed: 0, aborted: new Map() }
  readonly held: HeldKeys
  /** Parameter transactionLifetimeLimitSeconds, milliseconds. */
  lifetimeMs = transactionMsMax

  constructor(private readonly parts: OpenTransactionsParts) {
    this.held = new HeldKeys(parts.clock)
  }

  /** Whether no other process can have a transaction of the store. */
  get ownsData(): boolean {
    return this.parts.store.ownsData === true
  }

  get size(): number {
    return this.open.size
  }

  /**
   * Begins a transaction. If too many are open, the oldest one of the owner who has most of them
   * ends. Throws ExceededMemoryLimit if the owner holds too much memory.
   */
  begin(owner: string, options: BeginOptions = {}): Promise<Transaction> {
    return this.enter(owner, options, true)
  }

  /** As `begin`, for reads of a state that is no transaction of a client. */
  hold(owner: string): Promise<Transaction> {
    return this.enter(owner, {}, false)
  }

  private async enter(
    owner: string,
    options: BeginOptions,
    isCounted: boolean,
  ): Promise<Transaction> {
    const { store, clock, shares } = this.parts
    const { isolation = 'snapshot', told, tries } = options
    if (this.open.size >= transactionsMax) this.endOldestOf(this.busiestOwner())
    const share = shares?.open(owner)
    if (share?.take(overheadBytes) === false) {
      share.close()
      throw fail('ExceededMemoryLimit', 'the transactions of this owner hold too much memory')
    }
    // Before its state is taken: what is committed meanwhile is in it.
    const hold = tries && this.held.hold(owner, tries.wanted(clock.elapsed()))
    let entry: Open | undefined
    const onEnd = () => {
      hold?.end()
      share?.close()
      if (entry !== undefined) {
        this.open.delete(entry)
        this.noteEnd(entry)
        noteTry(entry.transaction, options, clock.elapsed())
      }
      told?.()
    }
    const onGrown = () => {
      if (entry !== undefined) requireMemory(entry, share)
    }
    try {
      const transaction = await beginTransaction(store, { isolation, onEnd, onGrown, hold })
      entry = { owner, isCounted, beganMs: clock.elapsed(), transaction, why: undefined }
      this.open.add(entry)
      if (isCounted) this.counts.begun++
      return transaction
    } catch (error) {
      hold?.end()
      share?.close()
      throw error
    }
  }

  /** Ends transactions that are too old, or whose states keep too much memory. */
  expire(): void {
    const nowMs = this.parts.clock.elapsed()
    for (const entry of this.open) {
      const ageMs = nowMs - entry.beganMs
      if (ageMs >= this.lifetimeMs) endFor('time', entry, ended('was open for too long'))
      else if (ageMs > snapshotMsMax && entry.transaction.heldBytes > snapshotKeptBytesMax) {
        endFor('memory', entry, ended('kept too much memory from being freed'))
      }
    }
  }

  /** Ends all transactions, before the store closes. */
  close(): void {
    for (const entry of this.open) {
      endFor('shutdown', entry, fail('ShutdownInProgress', 'the server is shutting down'))
    }
  }

  private noteEnd({ transaction, isCounted, why }: Open): void {
    if (!isCounted) return
    const { counts } = this
    if (transaction.hasCommitted) counts.committed++
    else {
      const reason = why ?? reasonOf(transaction.failure)
      counts.aborted.set(reason, (counts.aborted.get(reason) ?? 0) + 1)
    }
  }

  private busiestOwner(): string {
    const counts = new Map<string, number>()
    let busiest = ''
    for (const { owner } of this.open) {
      const count = (counts.get(owner) ?? 0) + 1
      counts.set(owner, count)
      if (count > (counts.get(busiest) ?? 0)) busiest = owner
    }
    return busiest
  }

  private endOldestOf(owner: string): void {
    for (const entry of this.open) {
      if (entry.owner !== owner) continue
      endFor('number', entry, ended('was the oldest of too many'))
      return
    }
  }
}

function noteTry(
  { hasCommitted, failure, lost }: Transaction,
  { tries, mayHold }: BeginOptions,
  nowMs: number,
): void {
  if (hasCommitted) tries?.noteCommit()
  else if (hasKind(failure, 'WriteConflict')) {
    const held = mayHold === undefined ? [] : lost.filter(mayHold)
    tries?.noteLoss(
      held.map((key) => mapKey(key)),
      nowMs,
    )
  }
}

function endFor(why: AbortReason, entry: Open, reason: Error): void {
  entry.why = why
  entry.transaction.abort(reason)
}

/** Why its client, or the check of its commit, has ended it. */
function reasonOf(failure: unknown): AbortReason {
  if (failure === undefined) return 'client'
  return hasKind(failure, 'WriteConflict') ? 'conflict' : 'refused'
}

function requireMemory(entry: Open, share: ByteShare | undefined): void {
  const { transaction } = entry
  if (share === undefined) return
  const more = overheadBytes + transaction.bytes - share.bytesHeld
  if (more <= 0 || share.take(more)) return
  const reason = fail('ExceededMemoryLimit', 'the changes of this owner hold too much memory')
  endFor('memory', entry, reason)
  throw reason
}

function ended(how: string): Error {
  return fail('NoSuchTransaction', `the transaction ${how}`)
}
