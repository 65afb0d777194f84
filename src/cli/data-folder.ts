// Programs that open a data folder themselves work on one that is there: a misspelt path is an
// error, and no new store.

import { statSync } from 'node:fs'
import { fail } from '../base/errors.js'
import type { Settings } from '../base/settings.js'

/** The folder of STORE; undefined for another kind of store. Throws BadValue where it is absent. */
export function requireFolder({ STORE }: Settings): string | undefined {
  const folder = /^lmdb:(.+)$/.exec(STORE)?.[1]
  if (folder === undefined) return undefined
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw fail('BadValue', `there is no data folder ${folder} (setting STORE)`)
  }
  return folder
}
