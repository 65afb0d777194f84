// The local chain's storage: a separate LMDB environment, or memory. One commit has everything of a
// block and returns after the sync, so a block is never stored in part.

import { type Bytes, concatBytes, mapKey, utf8 } from '../../base/bytes/bytes.js'
import { makeFolders } from '../../base/folders.js'
import { commitSync, openEnvironment } from '../../store/tables/lmdb-environment.js'
import { makeTables } from '../../store/tables/new-tables.js'

export interface Put {
  readonly key: Bytes
  readonly value: Bytes
}

export interface ChainStorage {
  get(key: Bytes): Bytes | undefined
  /** All or nothing; throws if the disk fails. */
  commit(puts: readonly Put[]): void
  close(): Promise<void>
}

/** First byte of a key. */
const kinds = {
  meta: 0x01,
  block: 0x02,
  /** Receipts of a block, and its logs, by number. */
  receipts: 0x03,
  logs: 0x04,
  numberOfBlock: 0x05,
  placeOfTransaction: 0x06,
  /** Nodes of the state's trie, and code. */
  state: 0x07,
} as const

function numbered(kind: number, number: number): Bytes {
  const key = Buffer.alloc(9)
  key[0] = kind
  key.writeBigUInt64BE(BigInt(number), 1)
  return key
}

function named(kind: number, hex: string): Bytes {
  return concatBytes(Uint8Array.of(kind), Buffer.from(hex, 'hex'))
}

/** Keys of the records; hashes are `0x` and 64 hex digits. */
export const storageKeys = {
  head: concatBytes(Uint8Array.of(kinds.meta), utf8('head')),
  identity: concatBytes(Uint8Array.of(kinds.meta), utf8('identity')),
  block: (number: number) => numbered(kinds.block, number),
  receipts: (number: number) => numbered(kinds.receipts, number),
  logs: (number: number) => numbered(kinds.logs, number),
  numberOfBlock: (hash: string) => named(kinds.numberOfBlock, hash.slice(2)),
  placeOfTransaction: (hash: string) => named(kinds.placeOfTransaction, hash.slice(2)),
  /** The trie's form of a name: hex without 0x. */
  state: (name: string) => named(kinds.state, name),
}

export function openLmdbStorage(folder: string): ChainStorage {
  makeFolders(folder)
  makeTables(folder, () => {})
  const environment = openEnvironment(folder)
  return {
    get: (key) => environment.get(key),
    commit: (puts) =>
      commitSync(environment, folder, () => {
        for (const { key, value } of puts) environment.putSync(key, value)
      }),
    close: () => environment.close(),
  }
}

export class MemoryStorage implements ChainStorage {
  private readonly values = new Map<string, Bytes>()

  get(key: Bytes): Bytes | undefined {
    return this.values.get(mapKey(key))
  }

  commit(puts: readonly Put[]): void {
    for (const { key, value } of puts) this.values.set(mapKey(key), value)
  }

  async close(): Promise<void> {}
}
