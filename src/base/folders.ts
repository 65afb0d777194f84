// Makes a folder and those above it. Node's own way with `recursive` never returns where a folder
// above takes none, as below /proc, and no signal reaches the process meanwhile.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes `path` and what is missing above it, for their owner alone (mode 0700). Answers the topmost
 * folder that was made, undefined where it was there. Throws the system's own errors.
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
