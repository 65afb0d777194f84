// Descriptors of collections and indexes. They are plain data, read from the catalog in the
// transaction that uses them. `version` is that of the catalog record, so a cached decoding is
// valid exactly while the record is unchanged.

import type { Filter } from '../query/filter.js'
import type { Collation } from '../value/collation/collation.js'
import type { Document, Value } from '../value/value.js'
import type { Capped } from './collection/kinds/capped-options.js'
import type { TimeSeries } from './collection/kinds/time-series-options.js'

export type NamespaceId = number & { readonly brand: 'NamespaceId' }
export type IndexId = number & { readonly brand: 'IndexId' }

/** Id of the members of one large container (keyspace/); never reused. */
export type MembersId = number & { readonly brand: 'MembersId' }

export type PrivacyMode = 'private' | 'public' | 'shared'

/** Owner and rights of a collection; `allow` of src/identity decides with it. */
export interface Access {
  /** EIP-55 address, or null if the operator created it. */
  readonly owner: string | null
  readonly mode: PrivacyMode
  /** Address to 1 (read) or 2 (write). */
  readonly roles: Readonly<Record<string, 1 | 2>>
  /** The mode was chosen, so the first wallet can no longer claim it. */
  readonly isSettled?: true
  /** Unowned and created by this service user, `name@database`, whose quota it counts towards. */
  readonly madeBy?: string
  /**
   * An internal collection such as `_audit`: no command writes it, and only this audience reads it.
   */
  readonly audience?: 'administrators'
  /** A part of a graph: only graph commands write it. */
  readonly isGraph?: true
}

export interface IndexField {
  readonly path: string
  readonly direction: 1 | -1
  /** Its keys are hashes of its values (hashed-fields.ts). */
  readonly hashed?: true
}

/** Definition of a wildcard index: its keys contain a path and a value for `$**`. */
export interface Wildcard {
  /** The fields of its keys: those of the pattern, `$_path` and a value for `$**`. */
  readonly fields: readonly IndexField[]
  /** Position of `$_path` among them. */
  readonly at: number
  /** The fields of the pattern beside `$**`. */
  readonly regular: readonly IndexField[]
  readonly holds: PathChoice
  /** In a plan: the only path it reads. */
  readonly scan?: WildcardScan
}

/** Paths with all subpaths: either the only ones included, or those excluded. */
export interface PathChoice {
  readonly isInclusion: boolean
  readonly paths: readonly string[]
}

export interface WildcardScan {
  /** Undefined for entries of every path, in a compound index bounded by its first fields. */
  readonly path: string | undefined
  /** Whether a document may have several entries in bounds, even without arrays. */
  readonly repeats: boolean
  /** Paths of arrays on the way to the value. */
  readonly arrays: readonly string[]
}

export interface IndexDescriptor {
  readonly id: IndexId
  readonly name: string
  readonly fields: readonly IndexField[]
  readonly unique: boolean
  /** Refuses new duplicates; existing ones stay. Set before the index becomes unique. */
  readonly prepared?: true
  /** Converted to unique: its entries still have the format of a non-unique index. */
  readonly suffixed?: true
  /**
   * `building` is maintained by every writer and used by no plan
   * (docs/design/transactions.md, rule 12).
   */
  readonly state: 'building' | 'ready'
  /** During a build: writers have put entries, so the build checks before each put. */
  readonly hasWrites?: true
  /** For each field: whether a document had an array on its path. */
  readonly multikey: readonly boolean[]
  /**
   * Whether an entry was shortened to a prefix and a hash, or is of a symbol, whose key equals a
   * string's. Bounds become inclusive, and hits are verified.
   */
  readonly inexact: boolean
  /** The key pattern and options as the client gave them, for listIndexes. */
  readonly spec: Document
  /** Documents without any of the fields have no entry. */
  readonly sparse?: true
  /** Maintained and unique, but used by no plan. */
  readonly hidden?: true
  /** Documents that do not match have no entry. */
  readonly partial?: Filter
  /** Collation of its keys; absent means by bytes. */
  readonly collation?: Collation
  /** ICU version of its keys, if it differs from this process's. */
  readonly keyedBy?: string
  /** Age at which documents expire, by the dates of the only field; seconds. */
  readonly expireAfterSeconds?: number
  /** Set if a field is `$**`: entries contain paths and their values. */
  readonly wildcard?: Wildcard
  /** For a wildcard index: paths at which documents had arrays (wildcard-paths.ts). */
  readonly arrayPaths?: readonly string[]
}

/** Validation rules of a collection. */
export interface Validation {
  /** Whether documents that failed before may still fail. */
  readonly isModerate: boolean
  /** Whether failing documents are written anyway, and logged. */
  readonly onlyWarns: boolean
  readonly validator: Validator
}

export interface Validator {
  /** Whether a document passes at that time, milliseconds since 1970. */
  takes(document: Document, now: number): boolean
  /** Explains why a document fails. */
  explain(document: Document, now: number): Document
}

/** The definition of a view. */
export interface View {
  /** Name of a collection or view of the same database, which may be missing. */
  readonly on: string
  /** Array of stages. */
  readonly pipeline: Value
}

export interface Namespace {
  readonly id: NamespaceId
  readonly db: string
  readonly name: string
  /**
   * Counts the changes of this descriptor, from 1. With `id`, which is never reused, it identifies
   * the state that a plan or cursor was made for.
   */
  readonly version: number
  /** Seconds since 1970. */
  readonly createdAt: number
  /** 16 bytes. */
  readonly uuid: Uint8Array
  readonly access: Access
  /**
   * Without `_id_`, which is the record itself, except for a capped collection. A time series has
   * an index on the time.
   */
  readonly indexes: readonly IndexDescriptor[]
  /** Options of `create` to echo in listCollections. */
  readonly options: Document
  /** Validation rules; absent if it accepts all documents. */
  readonly validation?: Validation
  /**
   * Set for a view: it has no documents, and shows those of another namespace through a pipeline.
   */
  readonly view?: View
  /** Collation of `_id` and the default for others; absent means by bytes. */
  readonly collation?: Collation
  /** ICU version of its record keys, like an index's. */
  readonly keyedBy?: string
  /** Set if it keeps its newest documents in insertion order (capped-order.ts). */
  readonly capped?: Capped
  /** Set if its documents are measurements (time-series.ts). */
  readonly timeSeries?: TimeSeries
  /** Set if its documents are the keys of a key-value database (keyspace/). */
  readonly keyspace?: true
  /** Set if its rights cover more than its documents: it is never renamed or removed. */
  readonly isPermanent?: true
  /** Set if the change log also keeps its documents before and after each change. */
  readonly hasImages?: true
  /** Set if the change log has its changes (docs/design/changes.md). */
  readonly recorded?: true
}

/** Items that a quota counts. */
export type Held = 'collections' | 'graphs'

/**
 * A transaction that may refuse collections: the bus passes handlers one that throws for undeclared
 * resources. The engine's own jobs use bare transactions, which refuse nothing.
 */
export interface Guarded {
  /** `throughView`: for a stage of a view's definition. */
  permits?(db: string, name: string, throughView: boolean): void
  /** Time of the command, milliseconds since 1970: documents expired by then do not exist. */
  readonly now?: number
  /** The transaction of the command, for the change log. */
  readonly transaction?: SessionTransaction | undefined
  /** The command asked for bypassDocumentValidation. */
  readonly bypassesValidation?: boolean
  /** Set if the caller may not read what it changes, so errors must not quote it. */
  readonly isBlind?: boolean
  /** Records a write of a document that a warn-only validator rejects. */
  noteInvalid?(ns: Namespace): void
  /** Called before an owner with `count` of them gets one more; throws QuotaExceeded. */
  creating?(held: Held, count: number): void
  /** Whether the caller may not read all that a view reads. */
  isClosed?(view: Namespace): boolean
  /** Whether the caller may read the collection of that name and access. */
  maySee?(db: string, name: string, access: Access | undefined): boolean
  /** Called before a home is created beside `homes` others; throws QuotaExceeded. */
  makingHome?(db: string, homes: number): void
}

/** Names a transaction of a client's session. */
export interface SessionTransaction {
  /** `{id, uid}`, as change events show it. */
  readonly lsid: Document
  readonly txnNumber: number
}

/**
 * The privileges that a command may need:
 * - `index`: plain indexes;
 * - `own`: what shapes or expires others' documents (TTL, unique, validators, collMod);
 * - `admin`: drop, flush, rename and roles;
 * - `claim`: setting the mode, which may make the first wallet the owner of an unowned collection.
 */
export type Privilege = 'read' | 'write' | 'index' | 'own' | 'admin' | 'claim'

/** A resource declared by a command, with the privileges it needs. */
export interface Resource {
  readonly db: string
  /** Undefined for the whole database (listCollections, dropDatabase). */
  readonly collection?: string
  readonly privileges: readonly Privilege[]
  /**
   * For a view: `resolve` lets the command read through it, `allow` is for commands on the view
   * itself. Otherwise a view is refused (166).
   */
  readonly views?: 'resolve' | 'allow'
  /** For a cursor: the version of its view; when the view changes, the cursor ends. */
  readonly viewVersion?: string
  /** Set for what a view reads: only stages of views may use it, no stage sent by a client. */
  readonly throughView?: true
  /** Set if the command knows the parts of a graph and may change them. */
  readonly knowsGraphs?: true
  /** Another collection name to use instead, if its collection is accepted. */
  readonly instead?: { readonly name: string; readonly accepts: (ns: Namespace) => boolean }
}
