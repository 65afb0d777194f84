// The audit: sign-ins, and acts on keys, privacy, roles and the server, in a collection that only
// administrators read and no command can write. An act that is a program writes its entry in the
// same program. It has no secrets: a key appears as the start of its hash. (docs/rights.md, "The
// audit")

import { type Bytes, concatBytes } from '../base/bytes/bytes.js'
import type { Clock } from '../base/clock.js'
import { auditEntriesMax, auditTextMax } from '../base/limits/identity.js'
import { ensureAudit } from '../engine/collection/catalog/server-collections.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  removeDocument,
} from '../engine/collection/collections.js'
import type { Namespace } from '../engine/types.js'
import { keyClass } from '../store/layout.js'
import type { Program, Store, Tx } from '../store/store.js'
import { type Document, numberValue } from '../value/value.js'
import { writeDocument } from '../value/writer.js'
import type { Identity } from './identity.js'

/** Details of an act; texts are cut to auditTextMax. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

export interface AuditEntry {
  /** The act: the name of the command, `signIn` … */
  readonly act: string
  readonly identity: Identity
  readonly protocol: string
  /** Remote address of the client. */
  readonly remoteAddress: string
  /** `database.collection`, for an act on a collection. */
  readonly ns?: string
  readonly details?: AuditDetails
}

/** Row kinds: the number of the last entry, that of a ring, and an entry in a ring. */
const lastEntry = 0x00
const lastPlace = 0x01
const place = 0x02
/** Enough of a key's hash to distinguish the keys of one wallet. */
const hashDigitsShown = 8

interface AuditOptions {
  readonly store: Store
  /** The database of the HTTP routes, which contains `_audit`. */
  readonly database: string
  readonly clock: Clock
  /** Entries kept in each ring; auditEntriesMax outside tests. */
  readonly entriesMax?: number
}

export class Audit {
  private readonly entriesMax: number

  constructor(private readonly options: AuditOptions) {
    this.entriesMax = options.entriesMax ?? auditEntriesMax
  }

  /**
   * Adds an entry in the program of its act; `tx` has no guard, since commands may not write here.
   */
  *write(tx: Tx, entry: AuditEntry, now: number): Program<void> {
    const ns = yield* ensureAudit(tx, this.options.database, now)
    const number = yield* nextNumber(tx, keyOf(lastEntry))
    yield* insertDocument(tx, ns, documentOf(number, entry, now))
    const ring = ringOf(entry.identity)
    const last = yield* nextNumber(tx, keyOf(lastPlace, ring))
    tx.put(keyOf(place, ring, last), bytesOf(number))
    yield* this.forget(tx, ns, keyOf(place, ring, last - this.entriesMax))
  }

  /** Removes the oldest entry of a full ring. */
  private *forget(tx: Tx, ns: Namespace, oldest: Bytes): Program<void> {
    const number = yield* tx.get(oldest)
    if (number === undefined) return
    tx.remove(oldest)
    const record = recordKey(ns, numberValue(numberOf(number)))
    const document = yield* getDocument(tx, ns, record)
    if (document !== undefined) yield* removeDocument(tx, ns, record, document)
  }

  /** Writes an entry of an act that is not a program. */
  record(entry: AuditEntry): Promise<void> {
    const { store, clock } = this.options
    return store.write((tx) => this.write(tx, entry, clock.now()))
  }
}

/** Wallets cost nothing: entries of many wallets must not displace those of the operator. */
function ringOf({ kind }: Identity): number {
  return kind === 'operator' ? 0 : 1
}

function* nextNumber(tx: Tx, counter: Bytes): Program<number> {
  const stored = yield* tx.get(counter)
  const number = (stored === undefined ? 0 : numberOf(stored)) + 1
  tx.put(counter, bytesOf(number))
  return number
}

/** A row of the audit beside its entries; `number` may be negative, where there are no entries. */
function keyOf(kind: number, ring = 0, number?: number): Bytes {
  const head = Uint8Array.of(keyClass.identity, 0x32, kind, ring)
  return number === undefined ? head : concatBytes(head, bytesOf(number))
}

function bytesOf(number: number): Bytes {
  const bytes = new Uint8Array(8)
  viewOf(bytes).setBigInt64(0, BigInt(number))
  return bytes
}

function numberOf(bytes: Bytes): number {
  return Number(viewOf(bytes).getBigInt64(0))
}

function documentOf(number: number, entry: AuditEntry, now: number): Document {
  const { act, identity, protocol, remoteAddress, ns, details = {} } = entry
  return writeDocument((writer) => {
    writer.value('_id', numberValue(number)).date('at', now).string('act', act)
    writer.openDocument('by').string('kind', identity.kind)
    if (identity.kind === 'session' || identity.kind === 'key') {
      writer.string('address', identity.address)
    }
    if (identity.kind === 'key') writer.string('key', identity.hash.slice(0, hashDigitsShown))
    if (identity.kind === 'user') {
      writer.string('user', identity.name).string('db', identity.database)
    }
    writer.close().string('protocol', protocol).string('peer', remoteAddress)
    if (ns !== undefined) writer.string('ns', ns)
    writer.openDocument('details')
    for (const [name, value] of Object.entries(details)) {
      if (value === null) writer.null(name)
      else if (typeof value === 'string') writer.string(name, value.slice(0, auditTextMax))
      else if (typeof value === 'boolean') writer.bool(name, value)
      else writer.value(name, numberValue(value))
    }
    writer.close()
  })
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
