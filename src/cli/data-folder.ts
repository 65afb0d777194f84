// Programs that open a data folder need an existing one: a misspelt path is an error, and creates
// no store.

import { statSync } from 'node:fs'
import { fail } from '../base/errors.js'
import type { Settings } from '../base/settings.js'

/**
 * The folder of STORE; undefined for another kind of store. Throws BadValue if it does not exist.
 */
export function requireFolder({ STORE }: Settings): string | undefined {
  const folder = /^lmdb:(.+)$/.exec(STORE)?.[1]
  if (folder === undefined) return undefined
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw fail('BadValue', `there is no data folder ${folder} (setting STORE)`)
  }
  return folder
}
