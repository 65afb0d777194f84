// A data folder as the source or the target of a copy. The source is locked like that of a running
// Sigil. The target appears when the copy is complete.

import { statSync } from 'node:fs'
import { type Bytes, keyAfter, textOf, utf8 } from '../../base/bytes/bytes.js'
import { systemClock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { silentLog } from '../../base/log.js'
import { isVersioned, keyClass } from '../layout.js'
import { openLmdbStore } from '../lmdb.js'
import { NewFolder } from '../new-folder.js'
import { PairReader } from '../pages/pair-reader.js'
import type { Program, ReadTx, Store } from '../store.js'
import { commitSync, type Environment, metaKey, writeApplied } from '../tables/lmdb-environment.js'
import {
  type CopySource,
  type CopyTarget,
  framed,
  type Pair,
  pairsAtOnce,
  unframed,
} from './ends.js'

/** Past all keys. */
const endOfKeys = Uint8Array.of(Math.max(...Object.values(keyClass)) + 1)
/** Where an unfinished copy comes from. */
const sourceKey = metaKey('copying')

export class FolderSource implements CopySource {
  highest = 0

  private constructor(
    private readonly store: Store,
    readonly pairs: number,
  ) {}

  /** Throws OperationFailed if the folder is in use, and BadValue if there is none. */
  static open(folder: string): FolderSource {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw fail('BadValue', `there is no data folder ${folder}`)
    }
    const options = { durability: 'interval', clock: systemClock, log: silentLog } as const
    const store = openLmdbStore({ path: folder, ...options })
    const reader = new PairReader(folder)
    const { pairs } = reader
    reader.close()
    return new FolderSource(store, pairs)
  }

  async page(after: Bytes): Promise<readonly Pair[]> {
    const page = await this.store.read((tx) => readPage(tx, after))
    for (const { version } of page) this.highest = Math.max(this.highest, version)
    return page
  }

  close(): Promise<void> {
    return this.store.close()
  }
}

function* readPage(tx: ReadTx, after: Bytes): Program<Pair[]> {
  const range = { start: keyAfter(after), end: endOfKeys }
  const entries = yield* tx.scan(range, pairsAtOnce)
  const versioned = entries.map(({ key }) => key).filter(isVersioned)
  const versions = yield* tx.getVersions(versioned)
  let next = 0
  return entries.map(({ key, value }) => {
    return { key, value, version: isVersioned(key) ? (versions[next++] ?? 0) : 0 }
  })
}

export class FolderTarget implements CopyTarget {
  private constructor(
    private readonly made: NewFolder,
    readonly last: Bytes | undefined,
  ) {}

  /** Continues an interrupted copy of the same source. Throws OperationFailed for anything else. */
  static async open(folder: string, source: string): Promise<FolderTarget> {
    const made = NewFolder.open(folder, 'copying', true)
    const { environment, place } = made
    try {
      const begun = environment.get(sourceKey)
      if (begun !== undefined && textOf(begun) !== source) {
        throw fail(
          'OperationFailed',
          `${place} holds an unfinished copy of ${textOf(begun)}: finish that, or remove it`,
        )
      }
      commitSync(environment, place, () => environment.putSync(sourceKey, utf8(source)))
      return new FolderTarget(made, lastKey(environment))
    } catch (error) {
      await made.close()
      throw error
    }
  }

  async put(pairs: readonly Pair[]): Promise<void> {
    const { environment, place } = this.made
    commitSync(environment, place, () => {
      for (const pair of pairs) environment.putSync(pair.key, framed(pair), { append: true })
    })
  }

  async page(after: Bytes): Promise<readonly Pair[]> {
    const start = keyAfter(after)
    return [...this.made.environment.getRange({ start, limit: pairsAtOnce })].map(unframed)
  }

  async finish(highest: number): Promise<void> {
    const { environment, place } = this.made
    commitSync(environment, place, () => {
      writeApplied(environment, { group: 0, version: highest })
      environment.removeSync(sourceKey)
    })
    await this.made.settle()
  }

  close(): Promise<void> {
    return this.made.close()
  }
}

function lastKey(environment: Environment): Bytes | undefined {
  const [last] = environment.getKeys({ reverse: true, limit: 1 })
  return last === undefined || last[0] === keyClass.meta ? undefined : last
}
