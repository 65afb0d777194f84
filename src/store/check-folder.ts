// Checks a data folder without opening the store: the log record by record, the tables pair by
// pair. So it can explain why a store does not open. It changes only what every start changes. LMDB
// is used only for the lock; damaged pages are read without it.

import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../base/errors.js'
import { nodeFiles } from './files.js'
import { claimFolder, dropFolder, lockEnvironment } from './folder-lock.js'
import { type LogState, readLog } from './log/log-reader.js'
import { readMark } from './log/sync-mark.js'
import { damageAt, type PageDamage } from './pages/page-damage.js'
import { firstPagesDamage, verifyPages } from './pages/pages.js'
import { PairReader } from './pages/pair-reader.js'
import { logFolder } from './recovery.js'
import { type Environment, openEnvironment } from './tables/lmdb-environment.js'
import { prepareFormat } from './tables/lmdb-format.js'
import type { Damage } from './tables/stored-pairs.js'
import { readState, type TablesState, TablesWalk } from './tables/tables-walk.js'

/** Damaged pairs that `sigil check` names one by one; further ones are only counted. */
export const damagesNamedMax = 100

export interface FolderReport {
  readonly tables: TablesReport
  /** The log's groups that are not in the tables yet. */
  readonly log: LogState
  /** The folder is not writable, so it can only be opened for reading. */
  readonly isReadOnly: boolean
}

interface TablesReport extends TablesState {
  /** The first damages; `found` is the total. */
  readonly damages: readonly Damage[]
  readonly found: number
}

/**
 * Throws OperationFailed if there is no store, another process has it, or it cannot be opened at
 * all. `progress` receives the pairs checked and their total.
 */
export async function checkFolder(
  path: string,
  progress: (pairs: number, of: number) => void,
): Promise<FolderReport> {
  if (!existsSync(join(path, 'data.mdb'))) {
    throw fail('OperationFailed', `there is no store in ${path}`)
  }
  const folder = realpathSync(path)
  claimFolder(folder)
  try {
    const isOurs = isWritable(folder)
    const environment = isOurs ? openTables(folder) : undefined
    try {
      return lookAt(folder, environment, progress)
    } finally {
      await environment?.close()
    }
  } finally {
    dropFolder(folder)
  }
}

/** A folder that is not writable cannot be locked; it is checked without a lock. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    accessSync(join(folder, 'data.mdb'), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Without an environment, nothing is written. */
function lookAt(
  folder: string,
  environment: Environment | undefined,
  progress: (pairs: number, of: number) => void,
): FolderReport {
  let pages: readonly PageDamage[] = []
  const verify = () => {
    pages = verifyPages(folder, { isReadOnly: environment === undefined })
    return pages.length === 0
  }
  if (environment === undefined) verify()
  else lockEnvironment(environment, folder, verify)
  if (environment !== undefined && pages.length === 0) prepareFormat(environment, folder)
  const reader = new PairReader(folder)
  try {
    const state = stateOf(reader, pages)
    const mark = readMark(nodeFiles, folder)
    const log = readLog(nodeFiles, logFolder(folder), state.applied.group, undefined, mark)
    const tables = checkTables(reader, pages, state, highestOf(state, log), progress)
    return { log, tables, isReadOnly: environment === undefined }
  } finally {
    reader.close()
  }
}

/** Reads the tables' own metadata as far as possible. */
function stateOf(reader: PairReader, pages: readonly PageDamage[]): TablesState {
  try {
    return readState(reader)
  } catch (error) {
    if (pages.length === 0) throw error
    const none = Number.MAX_SAFE_INTEGER
    return { format: 0, applied: { group: none, version: none }, pairs: reader.pairs }
  }
}

function openTables(folder: string): Environment {
  const damage = firstPagesDamage(folder)
  if (damage !== undefined) throw fail('OperationFailed', damage.text)
  try {
    return openEnvironment(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw fail('OperationFailed', `the tables in ${folder} cannot be opened: ${reason}`)
  }
}

/**
 * The highest version that the tables may hold. An interrupted checkpoint may have applied part of
 * what is still in the log. If the log is damaged, its versions are unknown.
 */
function highestOf({ applied }: TablesState, { damage, lastVersion }: LogState): number {
  return damage === undefined ? Math.max(applied.version, lastVersion) : Number.MAX_SAFE_INTEGER
}

/** Pairs between two progress reports. */
const pairsPerTelling = 10_000

function checkTables(
  reader: PairReader,
  pages: readonly PageDamage[],
  state: TablesState,
  highest: number,
  progress: (pairs: number, of: number) => void,
): TablesReport {
  const damages: Damage[] = []
  let found = 0
  const note = (damage: Damage) => {
    found++
    if (damages.length < damagesNamedMax) damages.push(damage)
  }
  // Pages of the pair tree are reported by the walk itself.
  for (const damage of pages) if (!damage.isInPairs) note(damageAt(damage))
  let pairs = 0
  new TablesWalk(reader, highest).step(() => {
    pairs++
    if (pairs % pairsPerTelling === 0) progress(pairs, state.pairs)
    return true
  }, note)
  if (pairs !== state.pairs && pages.length === 0) {
    const text = `${pairs} entries are stored, where the tables count ${state.pairs}`
    note({ kind: 0, id: 0, text })
  }
  return { ...state, damages, found }
}
