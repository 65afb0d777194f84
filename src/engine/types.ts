// What the engine keeps about collections and indexes. Descriptors are plain data, read from the
// catalog in the transaction that uses them; `version` is the catalog record's, so that a cached
// decoding is good exactly while the record is unchanged.

import type { Filter } from '../query/filter.js'
import type { Collation } from '../value/collation/collation.js'
import type { Document, Value } from '../value/value.js'
import type { Capped } from './collection/kinds/capped-options.js'
import type { TimeSeries } from './collection/kinds/time-series-options.js'

export type NamespaceId = number & { readonly brand: 'NamespaceId' }
export type IndexId = number & { readonly brand: 'IndexId' }

/** Of the members of one large container (keyspace/); never used again. */
export type MembersId = number & { readonly brand: 'MembersId' }

export type PrivacyMode = 'private' | 'public' | 'shared'

/** Who a collection belongs to; `allow` of the identity room decides with it. */
export interface Access {
  /** EIP-55 address, or null where an operator made it. */
  readonly owner: string | null
  readonly mode: PrivacyMode
  /** Address to 1 (read) or 2 (write). */
  readonly roles: Readonly<Record<string, 1 | 2>>
  /** The mode was chosen: the first wallet can no longer claim it. */
  readonly isSettled?: true
  /** Unowned and made by a service user, `name@database`: it counts for its quota. */
  readonly madeBy?: string
  /** The server's own, such as `_audit`: no command writes it, and only these read it. */
  readonly audience?: 'administrators'
  /** A part of a graph of memories: their commands alone write it. */
  readonly isGraph?: true
}

export interface IndexField {
  readonly path: string
  readonly direction: 1 | -1
  /** Its keys are hashes of its values (hashed-fields.ts). */
  readonly hashed?: true
}

/** What a wildcard index is made of: a path and a value stand in its keys for `$**`. */
export interface Wildcard {
  /** The fields of its keys: those of the pattern, `$_path` and a value for `$**`. */
  readonly fields: readonly IndexField[]
  /** Where `$_path` is among them. */
  readonly at: number
  /** The fields of the pattern beside `$**`. */
  readonly regular: readonly IndexField[]
  readonly holds: PathChoice
  /** In a plan: the only path that is read, and what it says. */
  readonly scan?: WildcardScan
}

/** Paths with all below them: the only ones, or the ones that are left out. */
export interface PathChoice {
  readonly isInclusion: boolean
  readonly paths: readonly string[]
}

export interface WildcardScan {
  /** Undefined: entries of every path, of a compound index by the fields in front. */
  readonly path: string | undefined
  /** A document may have several entries in bounds, arrays or not. */
  readonly repeats: boolean
  /** Arrays on the way to the value. */
  readonly arrays: readonly string[]
}

export interface IndexDescriptor {
  readonly id: IndexId
  readonly name: string
  readonly fields: readonly IndexField[]
  readonly unique: boolean
  /** Lets no duplicates in from now on, those that are there stay: it is to become unique. */
  readonly prepared?: true
  /** Has become unique: its entries are still those of an index that is not. */
  readonly suffixed?: true
  /**
   * `building` is maintained by every writer and used by no plan
   * (docs/design/transactions.md, rule 12).
   */
  readonly state: 'building' | 'ready'
  /** Of one that is being built: writers have put entries, so a build looks before it puts one. */
  readonly hasWrites?: true
  /** For each field: some document had an array on its path. */
  readonly multikey: readonly boolean[]
  /**
   * Some entry was cut to a prefix and a hash: bounds become inclusive, hits are re-checked. Or it
   * is of a symbol, which keys take for a string.
   */
  readonly inexact: boolean
  /** The key pattern and options as the client gave them, for listIndexes. */
  readonly spec: Document
  /** Documents that have none of the fields have no entry. */
  readonly sparse?: true
  /** Maintained and unique, but used by no plan. */
  readonly hidden?: true
  /** Documents that do not match have no entry. */
  readonly partial?: Filter
  /** How the strings of its keys compare; absent: by their bytes. */
  readonly collation?: Collation
  /** The version of collations that its keys are of, if that is another one than this process's. */
  readonly keyedBy?: string
  /** The age at which documents go, by the dates of the only field; seconds. */
  readonly expireAfterSeconds?: number
  /** One of its fields is `$**`: entries are of paths and their values. */
  readonly wildcard?: Wildcard
  /** Of a wildcard index: paths at which documents had arrays (wildcard-paths.ts). */
  readonly arrayPaths?: readonly string[]
}

/** Rules that documents are held to. */
export interface Validation {
  /** Documents that failed before may go on to fail. */
  readonly isModerate: boolean
  /** What fails is written all the same, and logged. */
  readonly onlyWarns: boolean
  readonly validator: Validator
}

export interface Validator {
  /** Whether a document passes at that time, milliseconds since 1970. */
  takes(document: Document, now: number): boolean
  /** What is wrong with one that does not. */
  explain(document: Document, now: number): Document
}

/** What a view shows. */
export interface View {
  /** Name of a collection or view of the same database; it need not be there. */
  readonly on: string
  /** Array of stages. */
  readonly pipeline: Value
}

export interface Namespace {
  readonly id: NamespaceId
  readonly db: string
  readonly name: string
  /**
   * Counts the changes of this descriptor, from 1: with `id`, which is never reused, it tells
   * whether a plan or a cursor was made for this state.
   */
  readonly version: number
  /** Seconds since 1970. */
  readonly createdAt: number
  /** 16 bytes. */
  readonly uuid: Uint8Array
  readonly access: Access
  /** Without `_id_`, which is the record itself; of a capped collection with it. Of a time series
   *  with an index on the time. */
  readonly indexes: readonly IndexDescriptor[]
  /** Options of `create` to echo in listCollections. */
  readonly options: Document
  /** Which documents it takes; absent where it takes all. */
  readonly validation?: Validation
  /** It holds no documents: readers see those of another namespace through a pipeline. */
  readonly view?: View
  /** How the strings of `_id` compare, and others where nothing else is said; absent: by bytes. */
  readonly collation?: Collation
  /** As of an index: of the keys of its records. */
  readonly keyedBy?: string
  /** It keeps its newest documents in the order of insertion: capped-order.ts says how. */
  readonly capped?: Capped
  /** Its documents are measurements: time-series.ts says what that means. */
  readonly timeSeries?: TimeSeries
  /** Its documents are the keys of a key-value database: keyspace/ says what that means. */
  readonly keyspace?: true
  /** Its ownership record stands for more than its documents: it is neither renamed nor removed. */
  readonly isPermanent?: true
}

/** What a quota counts of an owner. */
export type Held = 'collections' | 'graphs'

/**
 * A transaction that may refuse collections: the bus hands its handlers one that throws for what
 * the command did not declare. The engine's own jobs use bare transactions, which refuse nothing.
 */
export interface Guarded {
  /** `throughView`: for a stage of a view's definition. */
  permits?(db: string, name: string, throughView: boolean): void
  /** The time of the command, milliseconds since 1970: what is expired by then does not exist. */
  readonly now?: number
  /** The command asked for bypassDocumentValidation. */
  readonly bypassesValidation?: boolean
  /** The caller may not read what it changes: errors hold nothing of it. */
  readonly isBlind?: boolean
  /** A document was written that fails a validator which only warns. */
  noteInvalid?(ns: Namespace): void
  /** One more is made for an owner who has so many; throws QuotaExceeded. */
  creating?(held: Held, count: number): void
  /** Whether the caller may not read all that a view reads. */
  isClosed?(view: Namespace): boolean
  /** A wallet's home is made beside so many others; throws QuotaExceeded. */
  makingHome?(db: string, homes: number): void
}

/**
 * What a command needs of a collection: `index` is plain indexes, `own` what shapes or expires
 * others' documents (TTL, unique, validators, collMod), `admin` drop, flush, rename, roles, `claim`
 * to set the mode, which may make the first wallet that does it the owner of an unowned collection.
 */
export type Privilege = 'read' | 'write' | 'index' | 'own' | 'admin' | 'claim'

/** What a command declared: collections and what it needs of each. */

export interface Resource {
  readonly db: string
  /** Undefined: the database as a whole (listCollections, dropDatabase). */
  readonly collection?: string
  readonly privileges: readonly Privilege[]
  /**
   * Where the name is a view's: `resolve` lets the command read what it shows, `allow` is for
   * commands that are about the view itself. Else a view is refused (166).
   */
  readonly views?: 'resolve' | 'allow'
  /** Of a cursor: the very view that it reads; once that is another, the cursor ends. */
  readonly viewVersion?: string
  /** It is what a view reads: there for the stages of views alone, and none that were sent. */
  readonly throughView?: true
  /** The command knows what a graph of memories is made of, and may change it. */
  readonly knowsGraphs?: true
  /** Another name of the database, which is meant instead where a collection of it is accepted. */
  readonly instead?: { readonly name: string; readonly accepts: (ns: Namespace) => boolean }
}
