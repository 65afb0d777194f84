// The transaction that a command's handler gets: the store's, behind a guard. The handler can reach
// only resources that its row declared, and these were authorized in the same transaction.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { wasteBeside } from '../../engine/background/waste.js'
import { accessOfMissing, findNamespace } from '../../engine/collection/catalog/catalog.js'
import { payerOf } from '../../engine/collection/catalog/descriptors.js'
import { isUsageKey, usageKey } from '../../engine/collection/counters.js'
import { notCollection } from '../../engine/collection/kinds/view-options.js'
import { sourcesUnder } from '../../engine/collection/kinds/views.js'
import type { StagingNeeded } from '../../engine/collection/staging.js'
import type { Access, Guarded, Held, Namespace, Need, Touch } from '../../engine/types.js'
import type { Place } from '../../identity/rights/user-rights.js'
import { PassingReadTx } from '../../store/passing-tx.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Step, Tx } from '../../store/store.js'

/** What a transaction is allowed: the touches of the call, and who decides about each. */
export interface Fence {
  /** Wall time of the call, milliseconds. */
  readonly now: number
  readonly touches: readonly Touch[]
  /**
   * Checks revocation: throws if the key or session was revoked since the last program. Undefined
   * for the operator and the unknown, who cannot lose anything.
   */
  lookAgain(tx: ReadTx): Program<void> | undefined
  /** Throws Unauthorized unless the caller has every need of the touch. */
  authorize(touch: Touch, access: Access | undefined): void
  /** Whether the caller has the need of what is at that place, with that access. */
  may(need: Need, access: Access | undefined, place: Place): boolean
  /** Throws Unauthorized unless a view's owner or maker may read a source of it, by its name. */
  authorizeOwner(view: Namespace, source: Access | undefined, name: string): void
  /** Throws QuotaExceeded where an owner who has so many may have no more from the caller. */
  creating(held: Held, count: number): void
  /** Throws QuotaExceeded where the caller may not make another home. */
  makingHome(db: string, homes: number): void
  /**
   * Throws QuotaExceeded where an owner's data, which this program has made larger, is larger than
   * it may be. Undefined where the caller or the command has no such bound.
   */
  readonly requireSpace: ((bytes: number, waste: number) => void) | undefined
  /** Whose a collection is that the caller makes; undefined for the operator. */
  readonly payer: string | undefined
  /** As requireSpace, of what does not grow too. */
  readonly requireStaging: ((bytes: number, waste: number) => void) | undefined
  readonly bypassesValidation: boolean
  /** The caller may not read what it changes. */
  readonly isBlind: boolean
  /** A document was written that a validator only warns of. */
  noteInvalid(ns: Namespace): void
}

/** Which definition of which view. */
function versionOf({ id, version }: Namespace): string {
  return `${id}/${version}`
}

/** The touches of a call whose views have been looked behind. */
class Entered {
  touches: readonly Touch[]
  /** Views that lead to what the caller may not read, by their versions. */
  readonly closed = new Set<string>()

  constructor(touches: readonly Touch[]) {
    this.touches = touches
  }

  /** Lets a name be read by stages of views, if it is not declared itself. */
  add(touch: Touch): void {
    const { db, collection } = touch
    const isKnown = this.touches.some((each) => each.db === db && each.collection === collection)
    if (!isKnown) this.touches = [...this.touches, touch]
  }

  /** A name that was added is a view's. */
  pin(db: string, collection: string, viewVersion: string): void {
    this.touches = this.touches.map((touch) => {
      if (touch.db !== db || touch.collection !== collection) return touch
      return touch.views === undefined ? { ...touch, views: 'resolve', viewVersion } : touch
    })
  }

  replace(old: Touch, now: Touch): void {
    this.touches = this.touches.map((touch) => (touch === old ? now : touch))
  }
}

export class CommandReadTx extends PassingReadTx implements Guarded {
  private readonly found: (Namespace | undefined)[] = []
  private entered: Entered | undefined

  constructor(
    reading: ReadTx,
    private readonly fence: Fence,
  ) {
    super(reading)
  }

  get now(): number {
    return this.fence.now
  }

  /** Looks at who asks, then up and at every declared collection; runs before the handler. */
  *enter(): Program<void> {
    const { touches } = this.fence
    const looking = this.fence.lookAgain(this)
    if (looking !== undefined) yield* looking
    for (let i = 0; i < touches.length; i++) {
      const given = touches[i] as Touch
      const touch = given.instead === undefined ? given : yield* this.meant(given)
      const { db, collection } = touch
      const found =
        collection === undefined ? undefined : yield* findNamespace(this, db, collection, true)
      // A name may be reserved. That does not matter to callers with all rights or none.
      const access =
        found === undefined && looking !== undefined && collection !== undefined
          ? yield* accessOfMissing(this, db, collection)
          : found?.access
      this.fence.authorize(touch, access)
      this.found.push(found)
      if (found?.view !== undefined || touch.viewVersion !== undefined) {
        yield* this.enterView(touch, found)
      }
    }
  }

  /** The touch under the name that it means: the one instead, where that is there and accepted. */
  private *meant(touch: Touch): Program<Touch> {
    const { instead, ...own } = touch
    if (instead === undefined) return touch
    const other: Touch = { ...own, collection: instead.name }
    this.entered ??= new Entered(this.fence.touches)
    const { entered } = this
    entered.replace(touch, other)
    const found = yield* findNamespace(this, own.db, instead.name, true)
    if (found !== undefined && instead.accepts(found)) return other
    entered.replace(other, own)
    return own
  }

  /** Lets a command read what a view shows, as long as the view's owner may read it. */
  private *enterView(touch: Touch, view: Namespace | undefined): Program<void> {
    if (touch.views === 'allow') return
    if (touch.views === undefined && view !== undefined) throw notCollection(view)
    const version = view?.view === undefined ? undefined : versionOf(view)
    if (touch.viewVersion !== undefined && touch.viewVersion !== version) {
      const text = `the view ${touch.db}.${touch.collection} has changed under the cursor`
      throw fail('QueryPlanKilled', text)
    }
    if (view === undefined || version === undefined) return
    const { db } = view
    this.entered ??= new Entered(this.fence.touches)
    const { entered } = this
    entered.replace(touch, { ...touch, viewVersion: version })
    const find = (name: string): Program<Namespace | undefined> => {
      entered.add({ db, collection: name, needs: [], throughView: true })
      return findNamespace(this, db, name, true)
    }
    for (const { ns, of, name } of yield* sourcesUnder(view, find)) {
      const access = ns?.access ?? (yield* accessOfMissing(this, db, name))
      this.fence.authorizeOwner(of, access, name)
      if (!this.fence.may('read', access, { db, collection: name })) entered.closed.add(version)
      if (ns?.view !== undefined) entered.pin(db, name, versionOf(ns))
    }
  }

  /** The declared touches, with what views have led to: what a cursor goes on with. */
  get touches(): readonly Touch[] {
    return this.entered?.touches ?? this.fence.touches
  }

  isClosed(view: Namespace): boolean {
    return this.entered?.closed.has(versionOf(view)) === true
  }

  get bypassesValidation(): boolean {
    return this.fence.bypassesValidation
  }

  get isBlind(): boolean {
    return this.fence.isBlind
  }

  noteInvalid(ns: Namespace): void {
    this.fence.noteInvalid(ns)
  }

  creating(held: Held, count: number): void {
    this.fence.creating(held, count)
  }

  makingHome(db: string, homes: number): void {
    this.fence.makingHome(db, homes)
  }

  /** The descriptor of the touch at `index` as this transaction's start saw it. */
  namespace(index = 0): Namespace | undefined {
    return this.found[index]
  }

  /**
   * Throws for a collection that no touch names; a mistake of ours, never of the client's. What a
   * view reads is there for stages of views alone.
   */
  permits(db: string, name: string, throughView: boolean): void {
    const { touches } = this
    for (let i = 0; i < touches.length; i++) {
      const touch = touches[i] as Touch
      if (touch.db !== db || (touch.collection ?? name) !== name) continue
      if (throughView || touch.throughView !== true) return
    }
    throw new Error(`the command did not declare ${db}.${name}`)
  }
}

export class CommandTx extends CommandReadTx implements Tx {
  /** The sums of owners that it has added to. */
  private readonly usages: Bytes[] = []

  constructor(
    private readonly writing: Tx,
    private readonly writer: Fence,
  ) {
    super(writing, writer)
  }

  /** Looks at what the program has made larger; runs behind the handler. */
  *leave(): Program<void> {
    const { requireSpace } = this.writer
    if (requireSpace === undefined) return
    for (let i = 0; this.namespace(i) !== undefined; i++) {
      const payer = payerOf((this.namespace(i) as Namespace).access)
      if (payer !== null) this.noteUsage(usageKey(payer))
    }
    for (const key of this.usages) {
      if (this.writing.added(key).bytes <= 0) continue
      requireSpace((yield* this.count(key)).bytes, yield* wasteBeside(this.writing, key))
    }
  }

  /** Looks at what is about to be staged: it takes room on the disk, used or not. */
  *requireStaging(needed: StagingNeeded): Program<void> {
    const { requireStaging, payer: maker } = this.writer
    if (requireStaging === undefined || needed.bytes === 0) return
    // A collection that is made with its first document is the caller's.
    const payers = new Set<string>()
    for (let i = 0; this.namespace(i) !== undefined; i++) {
      const payer = payerOf((this.namespace(i) as Namespace).access)
      if (payer !== null) payers.add(payer)
    }
    if (payers.size === 0 && maker !== undefined) payers.add(maker)
    for (const payer of payers) {
      needed.owner = payer
      const key = usageKey(payer)
      const waste = yield* wasteBeside(this.writing, key)
      requireStaging((yield* this.count(key)).bytes, waste + needed.bytes)
    }
  }

  private noteUsage(key: Bytes): void {
    if (!this.usages.includes(key)) this.usages.push(key)
  }

  /**
   * The transaction without the fence: for what the server itself adds to a command, its audit, and
   * for changes that were prepared behind a fence.
   */
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
    if (this.writer.requireSpace !== undefined && isUsageKey(key)) this.noteUsage(key)
    this.writing.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.writing.added(key)
  }
}
