// A store over a folder that is not writable, for `sigil check`. It opens the tables for reading,
// loads what the log holds beyond them, and refuses all writes. There is no lock, since LMDB keeps
// its reader table in the folder.

import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { EmbeddedStore } from './embedded.js'
import { nodeFiles } from './files.js'
import type { Generation } from './generation.js'
import { LayeredSnapshot, LayeredView } from './layered-view.js'
import { DamagedPages } from './pages/page-damage.js'
import { firstPagesDamage, verifyPages } from './pages/pages.js'
import { loadLog } from './recovery.js'
import type { Store } from './store.js'
import { openEnvironment, readApplied } from './tables/lmdb-environment.js'
import { requireFormat } from './tables/lmdb-format.js'
import { StoredView } from './tables/stored-view.js'
import type { LargeCommit, Snapshot, Tables, TablesStats } from './tables/tables.js'

/**
 * No other process may write to the folder meanwhile. Throws OperationFailed if a writable store
 * could not open there either. Reads of damaged pages fail.
 */
export function openReadOnlyStore(path: string, clock: Clock): Store {
  const folder = realpathSync(path)
  const damage = firstPagesDamage(folder)
  if (damage !== undefined) throw fail('OperationFailed', damage.text)
  const damages = verifyPages(folder, { isReadOnly: true })
  const environment = openEnvironment(folder, { readOnly: true })
  try {
    const stored = new StoredView(environment)
    if (damages.length > 0) stored.refuse(new DamagedPages(damages))
    requireFormat(environment, folder)
    const applied = readApplied(environment)
    const { state, frozen } = loadLog(nodeFiles, folder, applied.group, clock)
    const lastVersion = Math.max(applied.version, state.lastVersion)
    return new ReadOnlyStore(new ReadOnlyTables(folder, stored, frozen, lastVersion), clock)
  } catch (error) {
    void environment.close()
    throw error
  }
}

class ReadOnlyStore extends EmbeddedStore {
  override write(): Promise<never> {
    return Promise.reject(refusal())
  }

  override writeLarge(): Promise<never> {
    return Promise.reject(refusal())
  }
}

class ReadOnlyTables implements Tables {
  readonly type = 'LMDB'
  readonly current: LayeredView
  readonly onlyDeletes = undefined

  constructor(
    private readonly folder: string,
    private readonly stored: StoredView,
    private readonly frozen: readonly Generation[],
    readonly lastVersion: number,
  ) {
    this.current = new LayeredView(
      frozen.map(({ memtable }) => ({ memtable })),
      stored,
    )
  }

  snapshot(): Snapshot {
    return new LayeredSnapshot(this.frozen, this.stored.pin())
  }

  room(): undefined {
    return undefined
  }

  commit(): never {
    throw refusal()
  }

  beginLarge(): LargeCommit {
    throw refusal()
  }

  stats(): TablesStats {
    return { sizeBytes: statSync(join(this.folder, 'data.mdb')).size }
  }

  async close(): Promise<void> {
    for (const generation of this.frozen) generation.release()
    await this.stored.close()
  }
}

function refusal(): Error {
  return fail('OperationFailed', 'the store is open for reading only')
}
