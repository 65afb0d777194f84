// Allows one process for each store folder. LMDB's reader table is the lock: a process with an open
// store always has a reader in it. The kernel tells which of those processes are alive, and an
// unused table starts empty. So the lock ends with its process, and a reused process id or a
// container's process 1 is never mistaken for the owner.

import { fail } from '../base/errors.js'
import type { Environment } from './tables/lmdb-environment.js'

/** Folders open in this process. LMDB would return the same environment twice. */
const openFolders = new Set<string>()

/** Claims a folder within this process, before LMDB opens it. Throws if it is already claimed. */
export function claimFolder(folder: string): void {
  if (openFolders.has(folder)) throw inUse(folder)
  openFolders.add(folder)
}

export function dropFolder(folder: string): void {
  openFolders.delete(folder)
}

/**
 * Makes this process the environment's first reader. Throws if another process is one; the write
 * lock serializes two concurrent starts. `verify` is called when the lock is held, before any page
 * of the tables is read; it may throw. If it returns false, no page may be read, and the lock holds
 * until the environment is closed.
 */
export function lockEnvironment(
  environment: Environment,
  folder: string,
  verify: () => boolean = () => true,
): void {
  const lease = environment.transactionSync(() => {
    environment.readerCheck()
    if (/^\s*\d/m.test(environment.readerList())) throw inUse(folder)
    return environment.useReadTransaction()
  })
  try {
    if (!verify()) return
  } catch (error) {
    lease.done()
    throw error
  }
  // From here on, the reader that each tick renews holds the lock.
  environment.doesExist(Uint8Array.of(0))
  lease.done()
}

function inUse(folder: string): Error {
  return fail('OperationFailed', `the store in ${folder} is in use by another process`)
}
