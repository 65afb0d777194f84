// Looks at a data folder below the store: the log, record by record, and the tables, pair by pair.
// It needs no store that opens, so it can tell why one does not; nothing is changed by it but what
// every start changes too.

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../base/errors.js'
import { damagesNamedMax } from '../base/limits.js'
import { nodeFiles } from './files.js'
import { claimFolder, dropFolder, lockEnvironment } from './folder-lock.js'
import { logFolder } from './lmdb.js'
import { type LogState, readLog } from './log/log-reader.js'
import { readMark } from './log/sync-mark.js'
import { type Environment, openEnvironment } from './tables/lmdb-environment.js'
import { prepareFormat } from './tables/lmdb-format.js'
import type { Damage } from './tables/stored-pairs.js'
import { readState, type TablesState, TablesWalk } from './tables/tables-walk.js'

export interface FolderReport {
  readonly tables: TablesReport
  /** Groups above those that the tables hold. */
  readonly log: LogState
}

export interface TablesReport extends TablesState {
  /** The first of them; `found` in all. */
  readonly damages: readonly Damage[]
  readonly found: number
}

/**
 * Throws OperationFailed where there is no store, where another process has it, or where it cannot
 * even be opened. `progress` is told how many pairs were looked at, of how many.
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
    const environment = openTables(folder)
    try {
      lockEnvironment(environment, folder)
      prepareFormat(environment, folder)
      const state = readState(environment)
      const { group } = state.applied
      const mark = readMark(nodeFiles, folder)
      const log = readLog(nodeFiles, logFolder(folder), group, undefined, mark)
      return { log, tables: checkTables(environment, state, highestOf(state, log), progress) }
    } finally {
      await environment.close()
    }
  } finally {
    dropFolder(folder)
  }
}

function openTables(folder: string): Environment {
  try {
    return openEnvironment(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw fail('OperationFailed', `the tables in ${folder} cannot be opened: ${reason}`)
  }
}

/**
 * The highest version that the tables may hold: a checkpoint that was cut short has left some of
 * what the log still has. What a damaged log had is not known.
 */
function highestOf({ applied }: TablesState, { damage, lastVersion }: LogState): number {
  return damage === undefined ? Math.max(applied.version, lastVersion) : Number.MAX_SAFE_INTEGER
}

/** Between two tellings of progress. */
const pairsPerTelling = 10_000

function checkTables(
  environment: Environment,
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
  let pairs = 0
  const transaction = environment.useReadTransaction()
  try {
    new TablesWalk(environment, transaction, highest).step(() => {
      pairs++
      if (pairs % pairsPerTelling === 0) progress(pairs, state.pairs)
      return true
    }, note)
  } finally {
    transaction.done()
  }
  if (pairs !== state.pairs) {
    const text = `${pairs} entries are stored, where the tables count ${state.pairs}`
    note({ kind: 0, id: 0, text })
  }
  return { ...state, damages, found }
}
