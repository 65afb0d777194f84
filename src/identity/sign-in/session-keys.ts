// The keys that seal sessions come from the setting, or from a file of the data folder that is made
// once, so that a restart ends no session. Only its owner can read the file.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../base/clock.js'
import { writeDurably } from '../../base/durable-file.js'
import { fail } from '../../base/errors.js'
import { areSessionKeys, makeSessionKeys } from './session-cookie.js'

const fileName = 'session-keys'

interface SessionKeysOptions {
  /** Setting SESSION_KEYS. */
  readonly setting: string | undefined
  /** The store's folder; undefined for a store in memory, whose sessions end with it. */
  readonly folder: string | undefined
  readonly random: Random
}

/** The keys in the form of SESSION_KEYS. Throws InvalidOptions if the file is unusable. */
export function readSessionKeys({ setting, folder, random }: SessionKeysOptions): string {
  if (setting !== undefined) return setting
  if (folder === undefined) return makeSessionKeys(random)
  const path = join(folder, fileName)
  const found = readText(path)
  // A power cut may have left an empty file: earlier versions wrote it without a sync.
  if (found !== '') {
    if (areSessionKeys(found)) return found
    throw unusable(path, 'is damaged: remove it, which ends all sessions, or set SESSION_KEYS')
  }
  const made = makeSessionKeys(random)
  try {
    writeDurably(path, `${made}\n`)
  } catch (error) {
    throw unusable(path, error)
  }
  return made
}

/** Empty if the file does not exist. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): Error {
  return fail('InvalidOptions', `${path}: ${error instanceof Error ? error.message : error}`)
}
