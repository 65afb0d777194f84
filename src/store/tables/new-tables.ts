// Creates new tables atomically. LMDB creates its file in place, and after a power cut it would map
// a half-written one.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../base/errors.js'
import { nodeFiles } from '../files.js'
import { type Environment, openEnvironment } from './lmdb-environment.js'

/** Space for the lock file and the first pages. */
const newStoreBytes = 256 * 1_024

/**
 * Creates new tables in a side folder and moves them into place when complete, so an interrupted
 * start leaves no partial store. Does nothing if tables exist. Throws OutOfDiskSpace.
 */
export function makeTables(folder: string, prepare: (environment: Environment) => void): void {
  const making = join(folder, 'making')
  rmSync(making, { recursive: true, force: true })
  const data = join(folder, 'data.mdb')
  if (existsSync(data)) return
  // The library maps its files as it creates them: on a full disk the process would be killed.
  if (nodeFiles.room(folder).freeBytes < newStoreBytes) {
    throw fail('OutOfDiskSpace', `no space left on the disk of ${folder} to make a store`)
  }
  mkdirSync(making, { mode: 0o700 })
  const environment = openEnvironment(making)
  try {
    prepare(environment)
    const made = join(making, 'data.mdb')
    syncFile(made)
    nodeFiles.syncFolderSync(making)
    renameSync(made, data)
  } finally {
    void environment.close()
  }
  rmSync(making, { recursive: true, force: true })
  nodeFiles.syncFolderSync(folder)
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
