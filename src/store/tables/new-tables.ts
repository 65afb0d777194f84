// New tables, whole or not there: LMDB makes its file in place, and what a power cut leaves of one
// that is half made it would map all the same.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../base/errors.js'
import { nodeFiles } from '../files.js'
import { type Environment, openEnvironment } from './lmdb-environment.js'

/** Room for the lock file and the first pages. */
const newStoreBytes = 256 * 1_024

/**
 * Makes new tables aside and moves them in when they are whole: a start that is cut off while it
 * makes them leaves nothing that a later one would take for a store. Does nothing where there are
 * tables. Throws OutOfDiskSpace.
 */
export function makeTables(folder: string, prepare: (environment: Environment) => void): void {
  const making = join(folder, 'making')
  rmSync(making, { recursive: true, force: true })
  const data = join(folder, 'data.mdb')
  if (existsSync(data)) return
  // The library maps its files as it makes them: without room the process would be killed.
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
