// The keys that seal sessions come from the setting, or from a file of the data folder that is made
// once, so that a restart ends no session. Only its owner can read the file. Gateways that share a
// store keep them there, so that a cookie is good on each of them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf, utf8 } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { writeDurably } from '../../base/durable-file.js'
import { fail } from '../../base/errors.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Store, Tx } from '../../store/store.js'
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

export const sharedKeysKind = 0x25
const sharedKey = Uint8Array.of(keyClass.identity, sharedKeysKind)

/** The keys of all gateways of the store; the first of them makes them. */
export function readSharedKeys(store: Store, random: Random): Promise<string> {
  const made = makeSessionKeys(random)
  return store.write((tx) => keepFirst(tx, made))
}

function* keepFirst(tx: Tx, made: string): Program<string> {
  const found = yield* tx.get(sharedKey)
  if (found !== undefined) return textOf(found)
  tx.put(sharedKey, utf8(made))
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
