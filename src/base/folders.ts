// Makes a folder and its missing parents. Node's own `recursive` never returns if a parent accepts
// no folders, as below /proc, and no signal reaches the process meanwhile.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes `path` and its missing parents with mode 0700. Returns the topmost new folder, or undefined
 * if `path` existed. Throws the system's own errors.
 */
export function makeFolders(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined
  const above = dirname(path)
  const first = above === path ? undefined : makeFolders(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may make it at the same moment.
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (!isThere) throw error
    return first
  }
  return first ?? path
}
