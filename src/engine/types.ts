// What the engine keeps about collections and indexes. Descriptors are plain data, read from the
// catalog in the transaction that uses them; `version` is the catalog record's, so that a cached
// decoding is good exactly while the record is unchanged.

import type { Filter } from '../query/filter.js'
import type { Document } from '../value/value.js'

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
  /** Somebody has chosen the mode: who comes first cannot claim it any more. */
  readonly isSettled?: true
  /** The server's own, such as `_audit`: no command writes it, and only these read it. */
  readonly audience?: 'administrators'
}

export interface IndexField {
  readonly path: string
  readonly direction: 1 | -1
}

export interface IndexDescriptor {
  readonly id: IndexId
  readonly name: string
  readonly fields: readonly IndexField[]
  readonly unique: boolean
  /** `building` is maintained by every writer and used by no plan (rule 12). */
  readonly state: 'building' | 'ready'
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
  /** Kept and unique as ever, but used by no plan. */
  readonly hidden?: true
  /** Documents that do not match have no entry. */
  readonly partial?: Filter
  /** The age at which documents go, by the dates of the only field; seconds. */
  readonly expireAfterSeconds?: number
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
  /** Without `_id_`, which is the record itself. */
  readonly indexes: readonly IndexDescriptor[]
  /** Options of `create` to echo in listCollections. */
  readonly options: Document
  /** Its documents are the keys of a key-value database: keyspace/ says what that means. */
  readonly keyspace?: true
  /** Its ownership record stands for more than its documents: it is neither renamed nor removed. */
  readonly isPermanent?: true
}

/**
 * A transaction that may refuse collections: the bus hands its handlers one that throws for what
 * the command did not declare. The engine's own jobs use bare transactions, which refuse nothing.
 */
export interface Guarded {
  permits?(db: string, name: string): void
  /** The time of the command, milliseconds since 1970: what is expired by then does not exist. */
  readonly now?: number
}

/**
 * What a command needs of a collection: `index` is plain indexes, `own` what shapes or expires
 * others' documents (TTL, unique, validators, collMod), `admin` drop, flush, rename, roles, `claim`
 * to set the mode, which may make the first who does it the owner of what nobody owns.
 */
export type Need = 'read' | 'write' | 'index' | 'own' | 'admin' | 'claim'

/** What a command declared: collections and what it needs of each. */

export interface Touch {
  readonly db: string
  /** Undefined: the database as a whole (listCollections, dropDatabase). */
  readonly collection?: string
  readonly needs: readonly Need[]
}
