// Reads outside of transactions that share one state of the data: readConcern snapshot. The first
// read holds a state and tells its time; later ones name the time (atClusterTime). A held state is
// a transaction without changes, so it has the age and the bounds of one.
// (specification of the drivers, "Snapshot Reads")

import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import { snapshotReadsMax, snapshotReadsOfOwnerMax } from '../../../base/limits/documents.js'
import type { Cursors } from '../../../engine/sources/cursors.js'
import type { ClusterTime } from '../../../store/layout.js'
import type { Awaitable, Program, ReadTx } from '../../../store/store.js'
import type { OpenTransactions } from '../../../store/transactions/open-transactions.js'
import type { Transaction } from '../../../store/transactions/transaction.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Document, documentOf, timestampValue } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import type { Generic } from '../generic.js'
import type { DocumentFacts } from '../row-facts.js'

/** A state that reads share. */
export interface Snapshot {
  readonly time: ClusterTime
  readonly transaction: Transaction
}

type Perform = () => Awaitable<Document>

/** What is needed of a row. */
type SnapshotRow = Pick<DocumentFacts, 'name' | 'snapshots'>

/** What is needed of a call. */
interface SnapshotCall {
  readonly owner: string
  readonly target: unknown
  readonly generic: Pick<Generic, 'readLevel' | 'atClusterTime'>
  readonly engine: { readonly cursors: Pick<Cursors, 'find'> }
  snapshot: Snapshot | undefined
  read<R>(program: (tx: ReadTx) => Program<R>): Awaitable<R>
}

interface Held extends Snapshot {
  readonly owner: string
}

export class SnapshotReads {
  /** Oldest first. */
  private readonly held = new Set<Held>()
  private last: ClusterTime = { seconds: 0, increment: 0 }

  constructor(
    private readonly open: OpenTransactions,
    private readonly clock: Clock,
  ) {}

  /** `perform` on the state that the command asks for, or that its cursor reads. */
  around(row: SnapshotRow, call: SnapshotCall, perform: Perform): Perform {
    if (row.snapshots === 'continues') {
      const time = snapshotOfCursor(call)
      return time === undefined ? perform : () => this.run(call, time, perform)
    }
    const { readLevel, atClusterTime } = call.generic
    if (readLevel !== 'snapshot') return perform
    if (row.snapshots === undefined) throw notSupported(row.name)
    return () => this.run(call, atClusterTime, perform)
  }

  /** Runs a command on the state of that time, or on the newest one; its reply tells the time. */
  private async run(
    call: SnapshotCall,
    time: ClusterTime | undefined,
    perform: Perform,
  ): Promise<Document> {
    const snapshot = time === undefined ? await this.hold(call.owner) : this.find(call.owner, time)
    // The rights of an old state may have been revoked.
    await call.read(nothing)
    call.snapshot = snapshot
    try {
      return withTime(await perform(), snapshot.time)
    } catch (thrown) {
      if (snapshot.transaction.hasEnded) throw unavailable(snapshot.time)
      throw thrown
    }
  }

  private find(owner: string, time: ClusterTime): Snapshot {
    for (const held of this.held) {
      if (held.owner !== owner || !isSame(held.time, time)) continue
      if (held.transaction.hasEnded) break
      return held
    }
    throw unavailable(time)
  }

  private async hold(owner: string): Promise<Snapshot> {
    this.makeRoom(owner)
    const transaction = await this.open.hold(owner)
    const held = { owner, transaction, time: this.next() }
    this.held.add(held)
    return held
  }

  private makeRoom(owner: string): void {
    const counts = new Map<string, number>()
    for (const held of this.held) {
      if (held.transaction.hasEnded) this.held.delete(held)
      else counts.set(held.owner, (counts.get(held.owner) ?? 0) + 1)
    }
    if ((counts.get(owner) ?? 0) >= snapshotReadsOfOwnerMax) this.endOldestOf(owner)
    else if (this.held.size >= snapshotReadsMax) {
      const [busiest = owner] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))
      this.endOldestOf(busiest)
    }
  }

  private endOldestOf(owner: string): void {
    for (const held of this.held) {
      if (held.owner !== owner) continue
      this.held.delete(held)
      held.transaction.abort()
      return
    }
  }

  /** No two states have one time. */
  private next(): ClusterTime {
    const seconds = Math.floor(this.clock.now() / 1_000)
    const { last } = this
    this.last =
      seconds > last.seconds
        ? { seconds, increment: 1 }
        : { seconds: last.seconds, increment: last.increment + 1 }
    return this.last
  }
}

function snapshotOfCursor({ engine, target, owner }: SnapshotCall): ClusterTime | undefined {
  if (typeof target !== 'number') return undefined
  return engine.cursors.find(target, owner)?.meta.snapshot
}

function notSupported(command: string): Error {
  const concern = '{ readConcern: { level: "snapshot", provenance: "clientSupplied" } }'
  const text = `Command ${command} does not support ${concern} :: caused by :: read concern`
  return fail('InvalidOptions', `${text} not supported`)
}

/** With it the guard checks rights and nothing else runs. */
function* nothing(): Program<void> {}

function isSame(one: ClusterTime, other: ClusterTime): boolean {
  return one.seconds === other.seconds && one.increment === other.increment
}

function unavailable({ seconds, increment }: ClusterTime): Error {
  const text = `Read timestamp Timestamp(${seconds}, ${increment}) is older than the oldest `
  return fail('SnapshotTooOld', `${text}available timestamp.`)
}

/** The reply with `atClusterTime`, which stands in `cursor` if there is one. */
function withTime(reply: Document, { seconds, increment }: ClusterTime): Document {
  const time = timestampValue(seconds, increment)
  const addTo = (writer: DocumentWriter) => writer.value('atClusterTime', time)
  return writeDocument((writer) => {
    let isAdded = false
    const elements = new Elements(reply)
    while (elements.next()) {
      const name = elements.name()
      const value = elements.value()
      if (name === 'ok' && !isAdded) addTo(writer)
      if (name !== 'cursor' || value.type !== bsonType.object) {
        writer.value(name, value)
        continue
      }
      isAdded = true
      writer.openDocument(name)
      const fields = new Elements(documentOf(value))
      while (fields.next()) writer.value(fields.name(), fields.value())
      addTo(writer)
      writer.close()
    }
  })
}
