// Where the keys that seal sessions come from: the setting, or a file of the data folder that is
// made once, so that a restart ends nobody's session. The file is the owner's alone.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { makeSessionKeys } from './session-cookie.js'

const fileName = 'session-keys'

export interface SessionKeysOptions {
  /** Setting SESSION_KEYS. */
  readonly setting: string | undefined
  /** Of the store; undefined for one in memory, whose sessions end with it. */
  readonly folder: string | undefined
  readonly random: Random
}

/** The keys as SESSION_KEYS writes them. Throws InvalidOptions where the file cannot be used. */
export function readSessionKeys({ setting, folder, random }: SessionKeysOptions): string {
  if (setting !== undefined) return setting
  if (folder === undefined) return makeSessionKeys(random)
  const path = join(folder, fileName)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(path, error)
  }
  const made = makeSessionKeys(random)
  try {
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw unusable(path, error)
  }
  return made
}

function unusable(path: string, error: unknown): Error {
  return fail('InvalidOptions', `${path}: ${error instanceof Error ? error.message : error}`)
}
