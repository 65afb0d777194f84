// The key-value databases of one program, each opened once. A missing database reads as empty. A
// program that writes to it uses a foreseen id, and creates its record only if data remains at the
// end. Reading a missing home therefore creates nothing.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { isCovered } from '../../../engine/changes/recording.js'
import { putForeseen } from '../../../engine/collection/catalog/catalog.js'
import { foreseeId } from '../../../engine/collection/catalog/catalog-ids.js'
import { payerOf } from '../../../engine/collection/catalog/descriptors.js'
import { findReserved } from '../../../engine/collection/catalog/reservations.js'
import { usageKey } from '../../../engine/collection/counters.js'
import { namespaceOfRecord } from '../../../engine/keyspace/keys/expiry.js'
import { isWriting, Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import { tidy } from '../../../engine/keyspace/tidy.js'
import type { Work } from '../../../engine/keyspace/work.js'
import type { Namespace } from '../../../engine/types.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'

/** Throws QuotaExceeded if the limits of homes do not allow another one. */
export type MakingHome = (home: string, homes: number) => void

const none: Keyspace[] = []

export class OpenPlaces {
  private opened: Keyspace[] = none
  /** Open databases without a record; their ids continue from the next free one. */
  private missing: Keyspace[] = none
  private changed: Set<Keyspace> | undefined
  private hasOthers = false
  /** Databases without keys stay: other clients may have added some since the program's state. */
  keepsEmpty = false

  constructor(
    readonly tx: ReadTx,
    readonly now: number,
    private readonly work: Work,
    private readonly makingHome?: MakingHome,
  ) {
    work.beforeIds = () => this.makeAll()
  }

  /** Whether the program is optimistic: its reads are verified before its changes are applied. */
  get areOptimistic(): boolean {
    return this.work.prepares
  }

  known(place: Place): Keyspace | undefined {
    const { opened } = this
    for (let i = 0; i < opened.length; i++) {
      const ks = opened[i] as Keyspace
      if (ks.place === place) return ks
    }
    return undefined
  }

  /** Keys of the usage sums of their owners. */
  usages(): readonly Bytes[] {
    const payers = new Set<string>()
    for (const { ns } of this.opened) {
      const payer = payerOf(ns.access)
      if (payer !== null) payers.add(payer)
    }
    return [...payers].map(usageKey)
  }

  /** Whether this is the key of a record in a database that counts towards this account. */
  isOf(key: Bytes, account: string | null): boolean {
    if (key[0] !== keyClass.record) return false
    const namespace = namespaceOfRecord(key)
    return this.opened.some(({ ns: { id, access } }) => {
      return id === namespace && payerOf(access) === account
    })
  }

  /** Writes the heads of open containers. */
  settle(): void {
    for (const ks of this.opened) ks.settle()
  }

  /** Whether a database outside the server's own space is open; `finish` must then run. */
  get isUnfinished(): boolean {
    return this.hasOthers
  }

  *open(place: Place): Program<Keyspace> {
    const { tx, work, now } = this
    if (!place.space.isMain) this.hasOthers = true
    const found = yield* place.find(tx)
    const ns = found ?? (yield* this.foresee(place))
    const ks = new Keyspace(tx, ns, place, now, work)
    // Most programs open one database, and the first push to an empty array allocates 17 places.
    if (this.opened === none) this.opened = [ks]
    else this.opened.push(ks)
    if (found === undefined) this.missing = [...this.missing, ks]
    return ks
  }

  private *foresee(place: Place): Program<Namespace> {
    const { tx, work, now } = this
    const { space, name } = place
    const access = (yield* findReserved(tx, space.database, name)) ?? space.access
    if (!isWriting(tx)) return place.missing(0, access, now)
    // An optimistic program cannot foresee an id: `requireMade` ends it.
    if (work.prepares) return place.missing(0, access, now)
    const missing = place.missing(yield* foreseeId(tx, this.missing.length), access, now)
    return (yield* isCovered(tx, space.database, name)) ? { ...missing, recorded: true } : missing
  }

  /**
   * Throws WriteConflict if an optimistic program uses a missing database. If the caller may use
   * it, it was created before the program began.
   */
  requireMade(ks: Keyspace): void {
    if (!this.work.prepares || !this.missing.includes(ks)) return
    throw fail('WriteConflict', `${ks.place.ns} was removed meanwhile`)
  }

  /** Notes that a command changed these databases. */
  noteChange(ks: Keyspace, further: readonly (Keyspace | undefined)[]): void {
    const changed = this.changed ?? new Set()
    this.changed = changed.add(ks)
    for (const each of further) if (each !== undefined) changed.add(each)
  }

  /** Runs after the last command: creates databases that now hold data and removes empty ones. */
  *finish(): Program<void> {
    this.settle()
    const { tx, work } = this
    if (!isWriting(tx) || work.changes === 0) return
    const { missing, changed } = this
    if (missing.some((ks) => changed?.has(ks))) yield* this.makeAll()
    if (work.prepares || this.keepsEmpty) return
    for (const ks of this.opened) if (!this.missing.includes(ks)) yield* tidy(tx, ks)
  }

  /** Creates the records of all open databases, so that further ids can follow theirs. */
  *makeAll(): Program<void> {
    const { missing } = this
    const last = missing.at(-1)
    if (last === undefined) return
    this.missing = none
    for (const { ns } of missing) {
      yield* putForeseen(this.tx as Tx, ns, last.ns.id, this.makingHome)
    }
  }
}
