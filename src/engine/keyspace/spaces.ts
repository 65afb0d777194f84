// Spaces: a database with its sixteen key-value databases, channels and graphs. A place is one
// key-value database of one space, with one object each. Blocked, watching and scanning clients
// refer to this object, since a number denotes different places for different callers.
// (docs/rights.md, "Spaces")

import { type Bytes, equalBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { keyspacesMax } from '../../base/limits/key-value.js'
import { Done } from '../../store/steps.js'
import type { Program, ReadTx, Step, Tx } from '../../store/store.js'
import { recordSwap } from '../changes/record-changes.js'
import {
  type CreateOptions,
  createNamespace,
  findNamespace,
  saveNamespace,
} from '../collection/catalog/catalog.js'
import { namespaceKey } from '../collection/catalog/catalog-keys.js'
import { decodeNamespace, emptyDocument } from '../collection/catalog/descriptors.js'
import { keyspaceName, ownerOfHome } from '../collection/catalog/homes.js'
import { uuidOfName } from '../collection/catalog/server-collections.js'
import { countOf, moveSpace } from '../collection/counters.js'
import type { Access, Namespace, NamespaceId } from '../types.js'
import { lookUp } from './look-up.js'

/** How the first start creates the databases of the server's own space. */
type KeyspaceOptions = Omit<CreateOptions, 'uuid'>

interface Known {
  readonly bytes: Bytes
  readonly namespace: Namespace
}

/** One key-value database of a space. */
export class Place {
  /** Catalog key of its descriptor, which changes with a flush or a swap. */
  readonly key: Bytes
  readonly name: string
  private known: Known | undefined

  constructor(
    readonly space: Space,
    /** Its number. */
    readonly index: number,
  ) {
    this.name = keyspaceName(index)
    this.key = namespaceKey(space.database, this.name)
  }

  /** `main.kv0`. */
  get ns(): string {
    return `${this.space.database}.${this.name}`
  }

  /** Its descriptor in this transaction; undefined if nothing was ever written. */
  find(tx: ReadTx): Step<Namespace | undefined> {
    const step = lookUp(tx, this.key)
    return step instanceof Done
      ? new Done(this.decode(step.value as Bytes | undefined))
      : this.findLater(step)
  }

  /** Its state before the first write: empty, and owned by its space's owner. */
  missing(id: number, access: Access, now: number): Namespace {
    const { database } = this.space
    return {
      id: id as NamespaceId,
      db: database,
      name: this.name,
      version: 1,
      createdAt: Math.floor(now / 1000),
      uuid: uuidOfName(database, this.name),
      access,
      indexes: [],
      options: emptyDocument,
      keyspace: true,
    }
  }

  private *findLater(step: Step<Bytes | undefined>): Program<Namespace | undefined> {
    return this.decode(yield* step)
  }

  private decode(bytes: Bytes | undefined): Namespace | undefined {
    if (bytes === undefined) return undefined
    const { known } = this
    if (known !== undefined && equalBytes(known.bytes, bytes)) return known.namespace
    const namespace = decodeNamespace(this.space.database, this.name, bytes)
    if (namespace.keyspace !== true) {
      const text = `collection ${this.ns} is in the way of the key-value database of that name`
      throw fail('InvalidOptions', `${text}: rename it`)
    }
    this.known = { bytes: bytes.slice(), namespace }
    return namespace
  }
}

export class Space {
  private readonly places: Place[] = []
  /** EIP-55 address of the wallet whose home it is; null for the operator. */
  readonly owner: string | null
  /** Access of collections not created yet: the owner's alone, not claimable. */
  readonly access: Access

  constructor(
    readonly database: string,
    /** Whether it exists from the first start; then nothing of it is removed. */
    readonly isMain: boolean,
  ) {
    this.owner = ownerOfHome(database) ?? null
    this.access = { owner: this.owner, mode: 'private', roles: {}, isSettled: true }
  }

  /** Its key-value database with that number, 0 to 15. */
  place(index: number): Place {
    const known = this.places[index]
    if (known !== undefined) return known
    const made = new Place(this, index)
    this.places[index] = made
    return made
  }
}

/** The spaces of a store: one object for each, while it is referenced. */
export class SpaceTable {
  /** The server's own space, which the setting DATABASE names. */
  readonly main: Space
  private readonly others = new Map<string, WeakRef<Space>>()
  private readonly gone = new FinalizationRegistry<string>((database) => {
    if (this.others.get(database)?.deref() === undefined) this.others.delete(database)
  })

  constructor(database: string) {
    this.main = new Space(database, true)
  }

  /** The space, while something refers to it. */
  known(database: string): Space | undefined {
    if (database === this.main.database) return this.main
    return this.others.get(database)?.deref()
  }

  of(database: string): Space {
    const known = this.known(database)
    if (known !== undefined) return known
    const space = new Space(database, false)
    this.others.set(database, new WeakRef(space))
    this.gone.register(space, database)
    return space
  }

  /** Creates missing parts of the server's own space. Throws InvalidOptions if a name is taken. */
  *ensure(tx: Tx, options: KeyspaceOptions): Program<void> {
    const { database } = this.main
    for (let index = 0; index < keyspacesMax; index++) {
      const name = keyspaceName(index)
      const found = yield* findNamespace(tx, database, name)
      const isWhole = found?.keyspace === true && found.isPermanent === true
      if (isWhole && found.access.isSettled === true) continue
      if (
        found !== undefined &&
        found.keyspace !== true &&
        ((yield* countOf(tx, found)).documents > 0 || found.indexes.length > 0)
      ) {
        const text = `collection ${database}.${name} is in the way of the key-value database`
        throw fail('InvalidOptions', `${text} of that name: rename it, or set DATABASE`)
      }
      const made =
        found ??
        (yield* createNamespace(tx, database, name, {
          ...options,
          uuid: uuidOfName(database, name),
        }))
      const mode = found?.access.mode ?? options.mode
      const access = { ...made.access, mode, isSettled: true as const }
      saveNamespace(tx, { ...made, access, keyspace: true, isPermanent: true })
    }
  }
}

/** Swaps the contents of two databases; owners and modes stay. */
export function* swapKeyspaces(
  tx: Tx,
  a: Namespace,
  b: Namespace,
): Program<[Namespace, Namespace]> {
  yield* moveSpace(tx, a, b.access)
  yield* moveSpace(tx, b, a.access)
  recordSwap(tx, a, b)
  return [
    saveNamespace(tx, { ...a, id: b.id, indexes: b.indexes }),
    saveNamespace(tx, { ...b, id: a.id, indexes: a.indexes }),
  ]
}
