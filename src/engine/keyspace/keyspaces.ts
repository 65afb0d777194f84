// The key-value databases of a store: collections kv0 to kv15 of one document database, there from
// the first start, so that their owner and mode are settled before anybody writes. A program finds
// them by number; flushing and swapping gives them other ids and moves nothing.

import { type Bytes, equalBytes } from '../../base/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { keyspacesMax } from '../../base/limits.js'
import { Done } from '../../store/steps.js'
import type { Program, ReadTx, Step, Tx } from '../../store/store.js'
import {
  type CreateOptions,
  createNamespace,
  findNamespace,
  namespaceKey,
  saveNamespace,
} from '../collection/catalog.js'
import { countOf, moveSpace } from '../collection/counters.js'
import { decodeNamespace } from '../collection/descriptors.js'
import { uuidOfName } from '../collection/server-collections.js'
import type { Namespace } from '../types.js'
import { lookUp } from './look-up.js'

/** How the databases are made at the first start. */
export type KeyspaceOptions = Omit<CreateOptions, 'uuid'>

interface Known {
  readonly bytes: Bytes
  readonly namespace: Namespace
}

export class Keyspaces {
  private readonly keys: readonly Bytes[]
  private readonly known: (Known | undefined)[] = []

  /** `database` is the document database that they are collections of. */
  constructor(readonly database: string) {
    this.keys = Array.from({ length: keyspacesMax }, (_, index) =>
      namespaceKey(database, nameOf(index)),
    )
  }

  get count(): number {
    return this.keys.length
  }

  /** The descriptor of a database, as the transaction has it. */
  find(tx: ReadTx, index: number): Step<Namespace> {
    const step = lookUp(tx, this.keyOf(index))
    return step instanceof Done
      ? new Done(this.decode(index, step.value as Bytes | undefined))
      : this.findLater(step, index)
  }

  /** The catalog key of a database's descriptor: it changes with a flush or a swap. */
  keyOf(index: number): Bytes {
    return this.keys[index] as Bytes
  }

  /** Makes those that are missing. Throws InvalidOptions where another collection has the name. */
  *ensure(tx: Tx, options: KeyspaceOptions): Program<void> {
    for (let index = 0; index < keyspacesMax; index++) {
      const name = nameOf(index)
      const found = yield* findNamespace(tx, this.database, name)
      if (found?.keyspace === true && found.access.isSettled === true) continue
      if (
        found !== undefined &&
        found.keyspace !== true &&
        ((yield* countOf(tx, found)).documents > 0 || hasParts(found))
      ) {
        const text = `collection ${this.database}.${name} is in the way of the key-value database`
        throw fail('InvalidOptions', `${text} of that name: rename it, or set DATABASE`)
      }
      const made =
        found ??
        (yield* createNamespace(tx, this.database, name, {
          ...options,
          uuid: uuidOfName(this.database, name),
        }))
      const access = { ...made.access, isSettled: true as const }
      saveNamespace(tx, { ...made, access, keyspace: true })
    }
  }

  private *findLater(step: Step<Bytes | undefined>, index: number): Program<Namespace> {
    return this.decode(index, yield* step)
  }

  private decode(index: number, bytes: Bytes | undefined): Namespace {
    assert(bytes !== undefined, 'key-value databases are there from the start')
    const known = this.known[index]
    if (known !== undefined && equalBytes(known.bytes, bytes)) return known.namespace
    const namespace = decodeNamespace(this.database, nameOf(index), bytes)
    this.known[index] = { bytes: bytes.slice(), namespace }
    return namespace
  }
}

/** The collection of a database: `kv0`. */
export function nameOf(index: number): string {
  return `kv${index}`
}

/** Whether a collection of that name is a key-value database. */
export function isKeyspaceName(name: string): boolean {
  return /^kv(?:0|[1-9]\d?)$/.test(name) && Number(name.slice(2)) < keyspacesMax
}

/** Exchanges what two databases hold; owners and modes stay where they are. */
export function* swapKeyspaces(
  tx: Tx,
  a: Namespace,
  b: Namespace,
): Program<[Namespace, Namespace]> {
  yield* moveSpace(tx, a, b.access)
  yield* moveSpace(tx, b, a.access)
  return [
    saveNamespace(tx, { ...a, id: b.id, indexes: b.indexes }),
    saveNamespace(tx, { ...b, id: a.id, indexes: a.indexes }),
  ]
}

function hasParts(ns: Namespace): boolean {
  return ns.indexes.length > 0
}
