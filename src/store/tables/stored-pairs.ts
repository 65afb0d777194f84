// Validates a pair of the tables by itself: its class is known, and its checksum, if it has one,
// matches. Backup, restore and check validate each pair.

import { type Bytes, bufferOf } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { isVersioned, keyClass } from '../layout.js'
import { frameVersion, requireFrame } from './record-frame.js'

/** A damaged pair; plain data, since it may come from another thread. */
export interface Damage {
  /** A value of `keyClass`. */
  readonly kind: number
  /** The id in the key: the collection for records and chunks; 0 if the class has no id. */
  readonly id: number
  /** A sentence that names class and key. */
  readonly text: string
}

/** Key bytes shown in a message. */
const shownKeyBytes = 64
const countBytes = 16
/** A part of a large document has a checksum before its bytes. (engine/collection/records.ts) */
const chunkHeadBytes = 4

const names = new Map<number, string>(Object.entries(keyClass).map(([name, kind]) => [kind, name]))
const kindsWithoutId: readonly number[] = [keyClass.meta, keyClass.catalog]

/** Undefined for a valid pair. `highest` is the highest version that the tables may hold. */
export function damageOf(key: Bytes, value: Bytes, highest: number): Damage | undefined {
  const what = wrongWith(key, value, highest)
  if (what === undefined) return undefined
  const kind = key[0] ?? 0
  const hasId = key.length >= 5 && !kindsWithoutId.includes(kind)
  const id = hasId ? bufferOf(key).readUInt32BE(1) : 0
  return { kind, id, text: `a stored ${names.get(kind) ?? 'pair'} ${what} (key ${shown(key)})` }
}

/** The damage of a pair whose key is not above the previous one. */
export function orderDamage(key: Bytes): Damage {
  return { kind: key[0] ?? 0, id: 0, text: `keys are out of order at key ${shown(key)}` }
}

function wrongWith(key: Bytes, value: Bytes, highest: number): string | undefined {
  const kind = key[0] ?? 0
  if (!names.has(kind)) return 'is of no known class'
  if (isVersioned(key)) {
    if (!isFrame(key, value)) return mismatch
    const version = frameVersion(value)
    if (version <= highest) return undefined
    return `has version ${version}, above the highest, ${highest}`
  }
  if (kind === keyClass.chunk && !isChunk(value)) return mismatch
  if (kind === keyClass.count && value.length !== countBytes) return 'has an impossible length'
  return undefined
}

const mismatch = 'is damaged: its checksum does not match'

function isFrame(key: Bytes, value: Bytes): boolean {
  try {
    requireFrame(key, value, value.length)
    return true
  } catch {
    return false
  }
}

function isChunk(value: Bytes): boolean {
  if (value.length < chunkHeadBytes) return false
  return bufferOf(value).readUInt32BE(0) === crc32c(value, chunkHeadBytes)
}

function shown(key: Bytes): string {
  const hex = bufferOf(key.subarray(0, shownKeyBytes)).toString('hex')
  return key.length > shownKeyBytes ? `${hex}…` : hex
}
