// One process a store folder. LMDB's table of readers is the lock: a process that has the store
// open always has a reader in it, the kernel tells which of those processes are alive, and a table
// that no process holds starts empty. So the lock dies with its process, however that dies, and
// neither a reused process id nor a container's process 1 can be taken for its owner.

import { fail } from '../base/errors.js'
import type { Environment } from './tables/lmdb-environment.js'

/** Folders open in this process: LMDB would hand out the same environment twice. */
const openFolders = new Set<string>()

/** Claims a folder within this process, before LMDB sees it. Throws where it is claimed already. */
export function claimFolder(folder: string): void {
  if (openFolders.has(folder)) throw inUse(folder)
  openFolders.add(folder)
}

export function dropFolder(folder: string): void {
  openFolders.delete(folder)
}

/**
 * Makes this process the environment's first reader. Throws where another process is one. The
 * write lock makes two that start together take turns. `verify` is called once the folder is this
 * process's own and before a page of the tables is read; it may throw. Where it answers false no
 * page may be read at all, and the lock holds until the environment is closed.
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
  // From here on the reader that each tick renews holds the place.
  environment.doesExist(Uint8Array.of(0))
  lease.done()
}

function inUse(folder: string): Error {
  return fail('OperationFailed', `the store in ${folder} is in use by another process`)
}
