// What key-value commands add to a transaction that other protocols share: rights and databases
// that its commit checks again, and the key events that follow the commit. Service users cannot
// name transactions, so key patterns are no part of it.
// (docs/design/transactions.md, rule 18)

import { fail } from '../../../base/errors.js'
import { transactionStatementsMax } from '../../../base/limits/store.js'
import { ReplyError } from '../../../base/reply-error.js'
import { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import { tidy } from '../../../engine/keyspace/tidy.js'
import { Work } from '../../../engine/keyspace/work.js'
import type { Privilege } from '../../../engine/types.js'
import { isRevocable } from '../../../identity/rights/revocation-check.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import {
  type CommitCheck,
  type Participant,
  tooMany,
} from '../../document/transactions/commit-check.js'
import type { Session } from '../../session.js'
import type { Command } from '../command.js'
import type { RunningCall } from '../running-call.js'
import { OpenPlaces } from './open-places.js'
import type { ProgramRights, ProgramRightsOptions } from './program-rights.js'

/** Privileges that a command had in one database. */
interface Required {
  readonly place: Place
  readonly command: Command
  readonly privileges: readonly Privilege[]
}

interface PartOptions {
  readonly check: CommitCheck
  readonly rights: ProgramRights
  readonly figures: ProgramRightsOptions
  /** Called after the commit, with the databases that were written. */
  readonly committed: (written: Iterable<Place>) => void
}

export class TransactionPart implements Participant {
  private readonly required = new Map<string, Required>()
  private readonly written = new Set<Place>()

  constructor(private readonly options: PartOptions) {
    options.check.join(this)
  }

  /** What a call needs, in its own database and in others. Throws TransactionTooLarge. */
  note(call: RunningCall): void {
    const { command } = call
    const privileges = [...command.privileges, ...(command.row.alsoRequires?.(call) ?? [])]
    for (const place of placesOf(call)) {
      const name = `${command.row.name} ${place.ns} ${privileges.join()}`
      if (this.required.has(name)) continue
      if (this.required.size >= transactionStatementsMax) throw tooMany()
      this.required.set(name, { place, command, privileges })
    }
  }

  /** The definitions of databases before a writing call, in the transaction's state. */
  *noteDefinitions(tx: ReadTx, calls: readonly RunningCall[]): Program<void> {
    for (const call of calls) {
      if (!call.command.isWrite) continue
      for (const place of placesOf(call)) {
        this.options.check.noteDefinition(namedBy(place), yield* place.find(tx))
        this.written.add(place)
      }
    }
  }

  *before(tx: Tx, { identity }: Session, now: number): Program<void> {
    const { rights, figures, check } = this.options
    const current = isRevocable(identity)
      ? yield* figures.revocation.check(tx, identity, now)
      : identity
    const places = new OpenPlaces(tx, now, new Work(figures.bounds, false))
    for (const { place, command, privileges } of this.required.values()) {
      const { ns } = places.known(place) ?? (yield* places.open(place))
      requireRights(() => rights.requireOf(current, ns, privileges, command), place)
    }
    for (const place of this.written) {
      check.requireDefinition(namedBy(place), yield* place.find(tx))
    }
  }

  committed(): void {
    this.options.committed(this.written)
  }
}

/** Removes the records of databases that have no keys any more; after the commit. */
export function* tidyPlaces(tx: Tx, places: Iterable<Place>, work: Work): Program<void> {
  for (const place of places) {
    const ns = yield* place.find(tx)
    if (ns !== undefined) yield* tidy(tx, new Keyspace(tx, ns, place, 0, work))
  }
}

/** The commit is a command of documents, whose error tells of the collection. */
function requireRights(require: () => void, { ns }: Place): void {
  try {
    require()
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error
    throw fail('Unauthorized', `not authorized on ${ns} to commit`, { reason: 'role' })
  }
}

function namedBy({ space, name }: Place): { readonly db: string; readonly collection: string } {
  return { db: space.database, collection: name }
}

function placesOf(call: RunningCall): Place[] {
  const { place, command } = call
  const further = command.row.databases?.(call) ?? []
  return [place, ...further.map((index) => place.space.place(index))]
}
