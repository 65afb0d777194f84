// The transaction that a command's handler gets: the store's, behind a guard. The handler can reach
// only resources that its row declared, and these were authorized in the same transaction.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { MemoryAccount } from '../../base/heap/memory-account.js'
import type { ReplyRoom } from '../../base/heap/reply-room.js'
import { wasteBeside } from '../../engine/background/waste.js'
import { findNamespace } from '../../engine/collection/catalog/catalog.js'
import { payerOf } from '../../engine/collection/catalog/descriptors.js'
import { accessOfMissing } from '../../engine/collection/catalog/reservations.js'
import { isUsageKey, usageKey } from '../../engine/collection/counters.js'
import { notCollection } from '../../engine/collection/kinds/view-options.js'
import { sourcesUnder } from '../../engine/collection/kinds/views.js'
import type { StagingNeeded } from '../../engine/collection/staging.js'
import type {
  Access,
  Guarded,
  Held,
  Namespace,
  Privilege,
  Resource,
  SessionTransaction,
} from '../../engine/types.js'
import type { Place } from '../../identity/rights/user-rights.js'
import { PassingReadTx } from '../../store/passing-tx.js'
import type {
  Count,
  Entry,
  KeyRange,
  Numbers,
  Program,
  ReadTx,
  Step,
  Tx,
} from '../../store/store.js'
import type { Session } from '../session.js'

/** What a transaction may do: the call's resources, and the decision about each. */
export interface Guard {
  /** Wall time of the call, milliseconds. */
  readonly now: number
  /** Whose reply counts; the server's own calls make none. */
  readonly session?: Pick<Session, 'protocol' | 'replyRoom'>
  readonly engine?: { readonly memory: MemoryAccount }
  /** The transaction in which the call runs. */
  readonly statement?: { readonly shown?: SessionTransaction } | undefined
  readonly resources: readonly Resource[]
  /**
   * Checks revocation: throws if the key or session was revoked since the last program. Undefined
   * for the operator and for anonymous callers, who have nothing to revoke.
   */
  checkRevocation(tx: ReadTx): Program<void> | undefined
  /** Throws Unauthorized unless the caller has every privilege of the resource. */
  authorize(resource: Resource, access: Access | undefined): void
  /** Whether the caller has the privilege on the resource at that place. */
  may(privilege: Privilege, access: Access | undefined, place: Place): boolean
  /** Throws Unauthorized unless the view's owner or maker may read the source of that name. */
  authorizeOwner(view: Namespace, source: Access | undefined, name: string): void
  /** Throws QuotaExceeded if the owner already has the maximum `count` of such objects. */
  creating(held: Held, count: number): void
  /** Throws QuotaExceeded if the caller may not create another home. */
  makingHome(db: string, homes: number): void
  /**
   * Throws QuotaExceeded if this program made an owner's data larger than its quota. Undefined if
   * no quota applies to the caller or the command.
   */
  readonly requireSpace: ((bytes: number, waste: number) => void) | undefined
  /** Owner of collections that the caller makes; undefined for the operator. */
  readonly payer: string | undefined
  /** As requireSpace, also for data that has not grown. */
  readonly requireStaging: ((bytes: number, waste: number) => void) | undefined
  readonly bypassesValidation: boolean
  /** The caller may not read what it changes. */
  readonly isBlind: boolean
  /** Notes a written document that only raises a validator warning. */
  noteInvalid(ns: Namespace): void
}

/** Identifies one definition of a view. */
function versionOf({ id, version }: Namespace): string {
  return `${id}/${version}`
}

/** The call's resources, with the sources of the views that it has entered. */
class Entered {
  resources: readonly Resource[]
  /** Views that lead to data the caller may not read, by version. */
  readonly closed = new Set<string>()

  constructor(resources: readonly Resource[]) {
    this.resources = resources
  }

  /** Lets stages of views read a name that the command did not declare. */
  add(resource: Resource): void {
    const { db, collection } = resource
    const isKnown = this.resources.some((each) => each.db === db && each.collection === collection)
    if (!isKnown) this.resources = [...this.resources, resource]
  }

  /** Marks an added name as a view of that version. */
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

  get transaction(): SessionTransaction | undefined {
    return this.guard.statement?.shown
  }

  override get reply(): ReplyRoom | undefined {
    const { session, engine } = this.guard
    if (session === undefined || engine === undefined) return undefined
    return session.protocol === 'internal' ? undefined : session.replyRoom(engine.memory)
  }

  override get isMemoryShort(): boolean {
    return this.guard.engine?.memory.isQuiet === false
  }

  /** Checks revocation, then authorizes every declared collection. Runs before the handler. */
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
      // A missing name may be reserved. Only callers with some but not all rights are affected.
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
   * Resolves a resource with an `instead` name: the other collection, if it exists and is accepted.
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

  /** Lets a command read what a view shows, if the view's owner may read it. */
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

  /** The declared resources and those that views added; a cursor continues with them. */
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

  maySee(db: string, collection: string, access: Access | undefined): boolean {
    return this.guard.may('read', access, { db, collection })
  }

  creating(held: Held, count: number): void {
    this.guard.creating(held, count)
  }

  makingHome(db: string, homes: number): void {
    this.guard.makingHome(db, homes)
  }

  /** The descriptor of the resource at `index`, read at the start of this transaction. */
  namespace(index = 0): Namespace | undefined {
    return this.found[index]
  }

  /**
   * Throws for an undeclared collection: a programmer error, never the client's. Only stages of
   * views may read what a view added.
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
  /** Usage sums of the owners that this program added to. */
  private readonly usages: Bytes[] = []

  constructor(
    private readonly writing: Tx,
    private readonly writer: Guard,
  ) {
    super(writing, writer)
  }

  /** Checks the quota of every owner whose data grew. Runs after the handler. */
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

  /** Checks the quota before staging: staged data takes disk space, used or not. */
  *requireStaging(resources: StagingNeeded): Program<void> {
    const { requireStaging, payer: maker } = this.writer
    if (requireStaging === undefined || resources.bytes === 0) return
    // A collection that its first document creates belongs to the caller.
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

  get numbers(): Numbers | undefined {
    return this.writing.numbers
  }

  get gateway(): string | undefined {
    return this.writing.gateway
  }

  private noteUsage(key: Bytes): void {
    if (!this.usages.includes(key)) this.usages.push(key)
  }

  /**
   * The transaction without the guard, for the server's audit entry and for optimistic changes that
   * the guard already checked.
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

  append(value: Bytes): void {
    this.writing.append(value)
  }

  get announce(): ((event: object) => void) | undefined {
    return this.writing.announce
  }
}
