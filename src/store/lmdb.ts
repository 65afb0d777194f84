// Opens the durable embedded store: a folder with tables and log that belongs to one process at a
// time. Recovery only reads: what the log holds beyond the tables is loaded as frozen memtables,
// and the checkpointer applies those as usual.

import { realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '../base/clock.js'
import { fail, GatewayError } from '../base/errors.js'
import { makeFolders } from '../base/folders.js'
import { memtableBytesMax } from '../base/limits/store.js'
import type { Log } from '../base/log.js'
import { Backups } from './backup/backup.js'
import { folderBackups } from './backup/folder-backups.js'
import { Checkpointer } from './checkpoint/checkpointer.js'
import { EmbeddedStore } from './embedded.js'
import { type Files, nodeFiles } from './files.js'
import { claimFolder, dropFolder, lockEnvironment } from './folder-lock.js'
import { LayeredTables } from './layered-tables.js'
import { SegmentLog } from './log/log.js'
import { cutLog } from './log/log-reader.js'
import type { Durability } from './log/log-sync.js'
import { SyncMark } from './log/sync-mark.js'
import { DamagedPages, type PageDamage } from './pages/page-damage.js'
import { firstPagesDamage, Pages, verifyPages } from './pages/pages.js'
import { type LoadedLog, loadLog, logFolder } from './recovery.js'
import type { Store } from './store.js'
import { DiskSpace } from './tables/disk-space.js'
import {
  type Environment,
  metaKey,
  openEnvironment,
  readApplied,
} from './tables/lmdb-environment.js'
import { prepareFormat } from './tables/lmdb-format.js'
import { makeTables } from './tables/new-tables.js'
import { StoredView } from './tables/stored-view.js'
import { firstKey } from './tables/tables-walk.js'

/** Each start skips this many versions, so versions of a lost log tail are never reused. */
const versionsPerStart = 2 ** 24

interface LmdbOptions {
  /** The folder; created if missing. */
  readonly path: string
  readonly durability: Durability
  readonly clock: Clock
  readonly log: Log
  /** File access of the log; default: the real file system. */
  readonly files?: Files
  /** Memory of a memtable before it is frozen; default memtableBytesMax. */
  readonly freezeBytes?: number
}

/** If a start verifies pages for longer than this, it logs it; milliseconds. */
const verifyTellMs = 1_000

/**
 * Opens or creates the store in a folder. Throws OperationFailed, with a one-line message, if the
 * folder cannot be used, is in use or has an unknown format. It also throws if acknowledged data in
 * its log is damaged.
 */
export function openLmdbStore(options: LmdbOptions): Store {
  const folder = makeFolder(options.path)
  claimFolder(folder)
  try {
    makeTables(folder, (environment) => prepareFormat(environment, folder))
    const firstPages = firstPagesDamage(folder)
    if (firstPages !== undefined) throw fail('OperationFailed', firstPages.text)
    const environment = openEnvironment(folder)
    try {
      const damages: PageDamage[] = []
      lockEnvironment(environment, folder, () => {
        damages.push(...verifyTables(folder, options))
        return true
      })
      if (damages.length === 0) prepare(environment, folder)
      nodeFiles.syncFolderSync(folder)
      const tables = openTables(environment, folder, damages, options)
      return new EmbeddedStore(tables, options.clock)
    } catch (error) {
      void environment.close()
      throw error
    }
  } catch (error) {
    dropFolder(folder)
    throw error instanceof GatewayError ? error : cannotOpen(folder, error)
  }
}

/**
 * Verifies all pages of the tables and returns the damaged ones. Throws OperationFailed if the
 * store's own metadata is on a damaged page, since nothing can be read then.
 */
function verifyTables(folder: string, { clock, log }: LmdbOptions): PageDamage[] {
  const startedAt = clock.elapsed()
  const damages = verifyPages(folder)
  const ms = Math.round(clock.elapsed() - startedAt)
  if (ms >= verifyTellMs) log.info({ folder, ms }, 'the pages of the tables were verified')
  try {
    new DamagedPages(damages).requireRange({ start: metaKey(''), end: firstKey })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    throw fail('OperationFailed', `${text}: the store in ${folder} cannot be opened`)
  }
  return damages
}

/** A commit made here is recorded like those of checkpoints. */
function prepare(environment: Environment, folder: string): void {
  prepareFormat(environment, folder)
  const pages = new Pages(folder)
  try {
    pages.verifyIfBehind()
  } finally {
    pages.close()
  }
}

function openTables(
  environment: Environment,
  folder: string,
  damages: readonly PageDamage[],
  options: LmdbOptions,
): LayeredTables {
  const { clock, log: messages, durability, files = nodeFiles } = options
  const applied = readApplied(environment)
  const { state, frozen } = recover(files, folder, applied.group, options)
  const log = SegmentLog.open({
    folder: logFolder(folder),
    files,
    clock,
    log: messages,
    durability,
    after: { group: state.lastGroup, highestGroup: state.highestGroup },
    segments: state.segments,
    mark: SyncMark.open(files, folder),
  })
  const written = () => log.writtenBytes
  const checkpointer = new Checkpointer({
    folder,
    clock,
    log: messages,
    onDamaged: (found) => tables.refuseDamaged(found),
  })
  const stored = new StoredView(environment, (failed) => {
    if (!checkpointer.hasDropped()) throw fail('OperationFailed', `${folder} cannot be read now`)
    void failed.close()
    const opened = openEnvironment(folder)
    lockEnvironment(opened, folder)
    messages.warn({ folder }, 'the tables were opened again after a failed write')
    return opened
  })
  const tables = new LayeredTables({
    log,
    clock,
    messages,
    frozen,
    stored,
    checkpointer,
    freezeBytes: options.freezeBytes ?? memtableBytesMax,
    backups: new Backups({ worker: folderBackups(folder), clock, log: messages }),
    disk: new DiskSpace({
      folder,
      files,
      clock,
      written,
      reusable: () => stored.reusableBytes(folder),
    }),
    lastVersion: Math.max(applied.version, state.lastVersion) + versionsPerStart,
    tablesBytes: () => statSync(join(folder, 'data.mdb')).size,
    closed: async () => {
      await stored.close()
      dropFolder(folder)
    },
    damages,
  })
  return tables
}

/** Loads what the log holds beyond the tables, newest first, and truncates the log to it. */
function recover(
  files: Files,
  folder: string,
  applied: number,
  { clock, log }: LmdbOptions,
): LoadedLog {
  const loaded = loadLog(files, folder, applied, clock)
  const { state } = loaded
  cutLog(files, logFolder(folder), state)
  if (state.torn !== undefined) log.warn(state.torn, 'the end of the log was torn; it is cut')
  return loaded
}

/** Creates the folder and its parents. Their names are synced too, to survive a power cut. */
function makeFolder(path: string): string {
  try {
    const whole = resolve(path)
    const first = makeFolders(whole)
    for (let made = whole; first !== undefined && made.length >= first.length; ) {
      made = dirname(made)
      nodeFiles.syncFolderSync(made)
    }
    return realpathSync(whole)
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

function cannotOpen(folder: string, cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new GatewayError(
    'OperationFailed',
    `cannot open the store in ${folder}: ${reason}`,
    {},
    cause,
  )
}
