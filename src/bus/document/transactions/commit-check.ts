// What the statements of a transaction rested on, to be read again by its commit: the rights of the
// caller and the definitions of the collections that it writes. An index that is being built, a
// drop or a revocation since then would be missed otherwise.
// (docs/design/transactions.md, rule 18)

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { transactionStatementsMax } from '../../../base/limits/store.js'
import { wasteBeside } from '../../../engine/background/waste.js'
import { payerOf } from '../../../engine/collection/catalog/descriptors.js'
import { isUsageKey } from '../../../engine/collection/counters.js'
import type { Namespace, Resource } from '../../../engine/types.js'
import { idKey, keyClass } from '../../../store/layout.js'
import type { Program, Tx } from '../../../store/store.js'
import type { Declared, Session } from '../../session.js'
import { type CommandReadTx, CommandTx, type Guard } from '../command-tx.js'

/** Class and id of a key. */
const headBytes = 5

/** What commands of another protocol add to a transaction. */
export interface Participant {
  /** In the program of the commit, on the current state; `session` commits, at `now`. */
  readonly before: (tx: Tx, session: Session, now: number) => Program<void>
  /** After the commit. */
  readonly committed: () => void
}

export class CommitCheck {
  private readonly declared = new Map<string, Declared>()
  /** Definitions of the collections that it writes, by name, as they were at the first write. */
  private readonly definitions = new Map<string, string>()
  /** Heads of the keys in written collections that the caller owns. */
  private readonly owned = new Set<string>()
  private participants: readonly Participant[] = []

  join(participant: Participant): void {
    this.participants = [...this.participants, participant]
  }

  /** Each different statement once. Throws TransactionTooLarge. */
  noteStatement(statement: Declared): void {
    const { command, db, resources } = statement
    const name = JSON.stringify([command, db, resources])
    if (this.declared.has(name)) return
    if (this.declared.size >= transactionStatementsMax) throw tooMany()
    this.declared.set(name, statement)
  }

  /**
   * `payer` is the wallet or service user of the statement; undefined for the operator. Throws
   * OperationNotSupportedInTransaction for collections that it may not write.
   */
  noteDefinitions(tx: CommandReadTx, resources: readonly Resource[], payer?: string): void {
    for (const [index, resource] of resources.entries()) {
      if (!isWritten(resource)) continue
      const ns = tx.namespace(index)
      if (ns !== undefined) requireWritable(ns)
      this.noteDefinition(resource, ns)
      if (ns !== undefined && payerOf(ns.access) === (payer ?? null)) this.noteOwned(ns)
    }
  }

  /**
   * Whether the transaction may make other writers of the key wait: it has written to the
   * collection of the key, and its caller owns the collection.
   */
  mayHold(key: Bytes): boolean {
    return this.owned.has(mapKey(key.subarray(0, headBytes)))
  }

  private noteOwned({ id, indexes }: Namespace): void {
    const { owned } = this
    owned.add(mapKey(idKey(keyClass.record, id)))
    for (const index of indexes) owned.add(mapKey(idKey(keyClass.entry, index.id)))
  }

  /** Before the transaction writes to the collection; the first definition counts. */
  noteDefinition(resource: Named, ns: Namespace | undefined): void {
    const name = nameOf(resource)
    if (!this.definitions.has(name)) this.definitions.set(name, definitionOf(ns))
  }

  /** Throws WriteConflict if the definition is another one now. */
  requireDefinition(resource: Named, ns: Namespace | undefined): void {
    const before = this.definitions.get(nameOf(resource))
    if (before === undefined || before === definitionOf(ns)) return
    throw fail('WriteConflict', `the collection ${nameOf(resource)} has changed meanwhile`)
  }

  /** Whether the transaction has created the collection. */
  hasMade(db: string, collection: string): boolean {
    return this.definitions.get(nameOf({ db, collection })) === ''
  }

  /** A guard for each statement; made before the commit, because a guard takes the time. */
  guards(guardOf: (statement: Declared) => Guard): Guard[] {
    return [...this.declared.values()].map(guardOf)
  }

  /** Throws Unauthorized, or WriteConflict if a definition has changed. */
  *require(tx: Tx, guards: readonly Guard[], session: Session, now: number): Program<void> {
    for (const guard of guards) {
      const guarded = new CommandTx(tx, guard)
      yield* guarded.enter()
      for (const [index, resource] of guard.resources.entries()) {
        if (isWritten(resource)) this.requireDefinition(resource, guarded.namespace(index))
      }
    }
    for (const participant of this.participants) yield* participant.before(tx, session, now)
  }

  /** Runs what the participants do after the commit. */
  committed(): void {
    for (const participant of this.participants) participant.committed()
  }
}

function isWritten({ privileges, collection }: Resource): boolean {
  return collection !== undefined && privileges.some((privilege) => privilege !== 'read')
}

type Named = Pick<Resource, 'db' | 'collection'>

export function tooMany(): Error {
  return fail('TransactionTooLarge', 'the transaction has too many different statements')
}

function nameOf({ db, collection }: Named): string {
  return `${db}.${collection}`
}

/** What writers depend on. Marks that writers set themselves (multikey) are left out. */
function definitionOf(ns: Namespace | undefined): string {
  if (ns === undefined) return ''
  const indexes = ns.indexes.map(({ id, state, unique, prepared }) => [id, state, unique, prepared])
  const { id, recorded = false, options } = ns
  return JSON.stringify([id, indexes, recorded, Buffer.from(options).toString('base64')])
}

function requireWritable({ db, name, capped, timeSeries }: Namespace): void {
  if (capped !== undefined) {
    const text = `Collection '${db}.${name}' is a capped collection. `
    throw refusal(`${text}Writes in transactions are not allowed on capped collections.`)
  }
  if (timeSeries === undefined) return
  throw refusal(`Cannot write to a time-series collection in a multi-document transaction: ${name}`)
}

function refusal(text: string): Error {
  return fail('OperationNotSupportedInTransaction', text)
}

/** Throws QuotaExceeded if the data of an owner has grown beyond its quota. */
export function* requireQuotas(
  tx: Tx,
  counters: readonly Bytes[],
  requireSpace: Guard['requireSpace'],
): Program<void> {
  if (requireSpace === undefined) return
  for (const key of counters) {
    if (!isUsageKey(key) || tx.added(key).bytes <= 0) continue
    const used = yield* tx.count(key)
    requireSpace(used.bytes, yield* wasteBeside(tx, key))
  }
}

/** One program behind another. */
export function* both(first: Program<void>, second: Program<void>): Program<void> {
  yield* first
  yield* second
}
