// The key-value databases of one program, each opened once. What is not made yet is empty to
// readers; a program that writes to it does so under a foreseen id, and puts its record
// only if something is in there at the end, so that asking an empty home leaves nothing behind.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { findReserved, putForeseen } from '../../../engine/collection/catalog/catalog.js'
import { nextId } from '../../../engine/collection/catalog/catalog-ids.js'
import { payerOf } from '../../../engine/collection/catalog/descriptors.js'
import { usageKey } from '../../../engine/collection/counters.js'
import { isWriting, Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import { tidy } from '../../../engine/keyspace/tidy.js'
import type { Work } from '../../../engine/keyspace/work.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'

/** Throws QuotaExceeded where a home may not be made beside so many others. */
export type MakingHome = (home: string, homes: number) => void

const none: Keyspace[] = []

export class OpenPlaces {
  private opened: Keyspace[] = none
  /** Those without a record: their ids follow each other from the next one on. */
  private missing: Keyspace[] = none
  private changed: Set<Keyspace> | undefined
  private hasOthers = false

  constructor(
    readonly tx: ReadTx,
    readonly now: number,
    private readonly work: Work,
    private readonly makingHome?: MakingHome,
  ) {
    work.beforeIds = () => this.makeAll()
  }

  /** The program is prepared: what it answers is looked at again before its changes are made. */
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

  /** The sums of their owners. */
  usages(): readonly Bytes[] {
    const payers = new Set<string>()
    for (const { ns } of this.opened) {
      const payer = payerOf(ns.access)
      if (payer !== null) payers.add(payer)
    }
    return [...payers].map(usageKey)
  }

  /** Writes what commands have left open. */
  settle(): void {
    for (const ks of this.opened) ks.settle()
  }

  /** Whether something of another space than the server's own is open: then `finish` is needed. */
  get isUnfinished(): boolean {
    return this.hasOthers
  }

  *open(place: Place): Program<Keyspace> {
    const { tx, work, now } = this
    if (!place.space.isMain) this.hasOthers = true
    const found = yield* place.find(tx)
    const ns = found ?? (yield* this.foresee(place))
    const ks = new Keyspace(tx, ns, place, now, work)
    // Most programs open one, and the first push to an empty array makes room for seventeen.
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
    // What is prepared beside others cannot foresee an id: its place is made before.
    if (work.prepares) throw fail('WriteConflict', `${place.ns} was removed meanwhile`)
    return place.missing((yield* nextId(tx)) + this.missing.length, access, now)
  }

  /** A command has changed something of these. */
  noteChange(ks: Keyspace, further: readonly (Keyspace | undefined)[]): void {
    const changed = this.changed ?? new Set()
    this.changed = changed.add(ks)
    for (const each of further) if (each !== undefined) changed.add(each)
  }

  /** Behind the last command: makes what holds something now, removes what holds nothing. */
  *finish(): Program<void> {
    this.settle()
    const { tx, work } = this
    if (!isWriting(tx) || work.changes === 0) return
    const { missing, changed } = this
    if (missing.some((ks) => changed?.has(ks))) yield* this.makeAll()
    if (work.prepares) return
    for (const ks of this.opened) if (!this.missing.includes(ks)) yield* tidy(tx, ks)
  }

  /** Puts the records of all that are open, so that other ids can be given behind theirs. */
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
