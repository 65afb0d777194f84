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
import type { Access, Guarded, Held, Namespace, Privilege, Resource } from '../../engine/types.js'
import type { Place } from '../../identity/rights/user-rights.js'
import { PassingReadTx } from '../../store/passing-tx.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Step, Tx } from '../../store/store.js'

/** What a transaction is allowed: the resources of the call, and who decides about each. */
export interface Guard {
  /** Wall time of the call, milliseconds. */
  readonly now: number
  readonly resources: readonly Resource[]
  /**
   * Checks revocation: throws if the key or session was revoked since the last program. Undefined
   * for the operator and the unknown, who cannot lose anything.
   */
  checkRevocation(tx: ReadTx): Program<void> | undefined
  /** Throws Unauthorized unless the caller has every privilege of the resource. */
  authorize(resource: Resource, access: Access | undefined): void
  /** Whether the caller has the privilege of what is at that place, with that access. */
  may(privilege: Privilege, access: Access | undefined, place: Place): boolean
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

/** The resources of a call whose views have been looked behind. */
class Entered {
  resources: readonly Resource[]
  /** Views that lead to what the caller may not read, by their versions. */
  readonly closed = new Set<string>()

  constructor(resources: readonly Resource[]) {
    this.resources = resources
  }

  /** Lets a name be read by stages of views, if it is not declared itself. */
  add(resource: Resource): void {
    const { db, collection } = resource
    const isKnown = this.resources.some((each) => each.db === db && each.collection === collection)
    if (!isKnown) this.resources = [...this.resources, resource]
  }

  /** A name that was added is a view's. */
  pin(db: string, collection: string, viewVersion: string): void {
    this.resources = this.resources.map((resource) => {
      if (resource.db !== db || resource.collection !== collection) return resource
      return resource.views === undefined
        ? { ...resource, views: 'resolve', viewVersion }
        : resource
    })
  }

  replace(old: Resource, now: Resource): void {
    this.resources = this.resources.map((resource) => (resource === old ? now : resource))
  }
}

export class CommandReadTx extends PassingReadTx implements Guarded {
  private readonly found: (Namespace | undefined)[] = []
  private entered: Entered | undefined

  constructor(
    reading: ReadTx,
    private readonly guard: Guard,
  ) {
    super(reading)
  }

  get now(): number {
    return this.guard.now
  }

  /** Looks at who asks, then up and at every declared collection; runs before the handler. */
  *enter(): Program<void> {
    const { resources } = this.guard
    const check = this.guard.checkRevocation(this)
    if (check !== undefined) yield* check
    for (let i = 0; i < resources.length; i++) {
      const given = resources[i] as Resource
      const resource = given.instead === undefined ? given : yield* this.meant(given)
      const { db, collection } = resource
      const found =
        collection === undefined ? undefined : yield* findNamespace(this, db, collection, true)
      // A name may be reserved. That does not matter to callers with all rights or none.
      const access =
        found === undefined && check !== undefined && collection !== undefined
          ? yield* accessOfMissing(this, db, collection)
          : found?.access
      this.guard.authorize(resource, access)
      this.found.push(found)
      if (found?.view !== undefined || resource.viewVersion !== undefined) {
        yield* this.enterView(resource, found)
      }
    }
  }

  /**
   * The resource under the name that it means: the one instead, where that is there and accepted.
   */
  private *meant(resource: Resource): Program<Resource> {
    const { instead, ...own } = resource
    if (instead === undefined) return resource
    const other: Resource = { ...own, collection: instead.name }
    this.entered ??= new Entered(this.guard.resources)
    const { entered } = this
    entered.replace(resource, other)
    const found = yield* findNamespace(this, own.db, instead.name, true)
    if (found !== undefined && instead.accepts(found)) return other
    entered.replace(other, own)
    return own
  }

  /** Lets a command read what a view shows, as long as the view's owner may read it. */
  private *enterView(resource: Resource, view: Namespace | undefined): Program<void> {
    if (resource.views === 'allow') return
    if (resource.views === undefined && view !== undefined) throw notCollection(view)
    const version = view?.view === undefined ? undefined : versionOf(view)
    if (resource.viewVersion !== undefined && resource.viewVersion !== version) {
      const text = `the view ${resource.db}.${resource.collection} has changed under the cursor`
      throw fail('QueryPlanKilled', text)
    }
    if (view === undefined || version === undefined) return
    const { db } = view
    this.entered ??= new Entered(this.guard.resources)
    const { entered } = this
    entered.replace(resource, { ...resource, viewVersion: version })
    const find = (name: string): Program<Namespace | undefined> => {
      entered.add({ db, collection: name, privileges: [], throughView: true })
      return findNamespace(this, db, name, true)
    }
    for (const { ns, of, name } of yield* sourcesUnder(view, find)) {
      const access = ns?.access ?? (yield* accessOfMissing(this, db, name))
      this.guard.authorizeOwner(of, access, name)
      if (!this.guard.may('read', access, { db, collection: name })) entered.closed.add(version)
      if (ns?.view !== undefined) entered.pin(db, name, versionOf(ns))
    }
  }

  /** The declared resources, with what views have led to: what a cursor goes on with. */
  get resources(): readonly Resource[] {
    return this.entered?.resources ?? this.guard.resources
  }

  isClosed(view: Namespace): boolean {
    return this.entered?.closed.has(versionOf(view)) === true
  }

  get bypassesValidation(): boolean {
    return this.guard.bypassesValidation
  }

  get isBlind(): boolean {
    return this.guard.isBlind
  }

  noteInvalid(ns: Namespace): void {
    this.guard.noteInvalid(ns)
  }

  creating(held: Held, count: number): void {
    this.guard.creating(held, count)
  }

  makingHome(db: string, homes: number): void {
    this.guard.makingHome(db, homes)
  }

  /** The descriptor of the resource at `index` as this transaction's start saw it. */
  namespace(index = 0): Namespace | undefined {
    return this.found[index]
  }

  /**
   * Throws for a collection that no resource names; a mistake of ours, never of the client's. What
   * a view reads is there for stages of views alone.
   */
  permits(db: string, name: string, throughView: boolean): void {
    const { resources } = this
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as Resource
      if (resource.db !== db || (resource.collection ?? name) !== name) continue
      if (throughView || resource.throughView !== true) return
    }
    throw new Error(`the command did not declare ${db}.${name}`)
  }
}

export class CommandTx extends CommandReadTx implements Tx {
  /** The sums of owners that it has added to. */
  private readonly usages: Bytes[] = []

  constructor(
    private readonly writing: Tx,
    private readonly writer: Guard,
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
  *requireStaging(resources: StagingNeeded): Program<void> {
    const { requireStaging, payer: maker } = this.writer
    if (requireStaging === undefined || resources.bytes === 0) return
    // A collection that is made with its first document is the caller's.
    const payers = new Set<string>()
    for (let i = 0; this.namespace(i) !== undefined; i++) {
      const payer = payerOf((this.namespace(i) as Namespace).access)
      if (payer !== null) payers.add(payer)
    }
    if (payers.size === 0 && maker !== undefined) payers.add(maker)
    for (const payer of payers) {
      resources.owner = payer
      const key = usageKey(payer)
      const waste = yield* wasteBeside(this.writing, key)
      requireStaging((yield* this.count(key)).bytes, waste + resources.bytes)
    }
  }

  private noteUsage(key: Bytes): void {
    if (!this.usages.includes(key)) this.usages.push(key)
  }

  /**
   * The transaction without the guard: for what the server itself adds to a command, its audit, and
   * for changes that were prepared behind a guard.
   */
  get unguarded(): Tx {
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
