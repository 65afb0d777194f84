// The transaction as a command's handler sees it: the store's, with a fence. What the command's row
// did not declare cannot be reached through it, and what was declared has been authorized in this
// very transaction.

import type { Bytes } from '../base/bytes.js'
import { findNamespace, findReserved } from '../engine/catalog.js'
import type { Access, Guarded, Namespace, Touch } from '../engine/types.js'
import type {
  Count,
  Entry,
  Fetched,
  KeyRange,
  Program,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from '../store/store.js'

/** What a transaction is allowed: the touches of the call, and who decides about each. */
export interface Fence {
  /** Wall time of the call, milliseconds. */
  readonly now: number
  readonly touches: readonly Touch[]
  /**
   * Looks again at who asks; throws where he stands no longer. Undefined for the operator and the
   * unknown, who cannot lose anything.
   */
  lookAgain(tx: ReadTx): Program<void> | undefined
  /** Throws Unauthorized unless the caller has every need of the touch. */
  authorize(touch: Touch, access: Access | undefined): void
}

export class CommandReadTx implements ReadTx, Guarded {
  private readonly found: (Namespace | undefined)[] = []

  constructor(
    private readonly reading: ReadTx,
    private readonly fence: Fence,
  ) {}

  get now(): number {
    return this.fence.now
  }

  /** Looks at who asks, then up and at every declared collection; runs before the handler. */
  *enter(): Program<void> {
    const { touches } = this.fence
    const looking = this.fence.lookAgain(this)
    if (looking !== undefined) yield* looking
    for (let i = 0; i < touches.length; i++) {
      const touch = touches[i] as Touch
      const { db, collection } = touch
      const found =
        collection === undefined ? undefined : yield* findNamespace(this, db, collection)
      // A name may be kept for somebody: of no matter to who may do everything, or nothing.
      const access =
        found === undefined && looking !== undefined && collection !== undefined
          ? yield* findReserved(this, db, collection)
          : found?.access
      this.fence.authorize(touch, access)
      this.found.push(found)
    }
  }

  /** The descriptor of the touch at `index` as this transaction's start saw it. */
  namespace(index = 0): Namespace | undefined {
    return this.found[index]
  }

  /** Throws for a collection that no touch names; a mistake of ours, never of the client's. */
  permits(db: string, name: string): void {
    const { touches } = this.fence
    for (let i = 0; i < touches.length; i++) {
      const touch = touches[i] as Touch
      if (touch.db === db && (touch.collection ?? name) === name) return
    }
    throw new Error(`the command did not declare ${db}.${name}`)
  }

  get(key: Bytes): Step<Bytes | undefined> {
    return this.reading.get(key)
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    return this.reading.getVersioned(key)
  }

  getMany(keys: readonly Bytes[]): Step<(Bytes | undefined)[]> {
    return this.reading.getMany(keys)
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return this.reading.scan(range, limit)
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    return this.reading.scanFetch(range, limit)
  }

  count(key: Bytes): Step<Count> {
    return this.reading.count(key)
  }

  breathe(work: number): Step<void> {
    return this.reading.breathe(work)
  }
}

export class CommandTx extends CommandReadTx implements Tx {
  constructor(
    private readonly writing: Tx,
    fence: Fence,
  ) {
    super(writing, fence)
  }

  /** The transaction without the fence: for what the server itself adds to a command, its audit. */
  get unfenced(): Tx {
    return this.writing
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    return this.writing.scanOwn(range, limit)
  }

  put(key: Bytes, value: Bytes): void {
    this.writing.put(key, value)
  }

  remove(key: Bytes): void {
    this.writing.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.writing.add(key, documents, bytes)
  }
}
