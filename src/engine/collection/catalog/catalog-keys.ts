// Catalog keys that contain names: descriptors, reservations of dropped collections, and the
// spelling of databases. (docs/design/storage.md, "Key space")

import { type Bytes, concatBytes, textOf, utf8 } from '../../../base/bytes/bytes.js'
import { keyClass } from '../../../store/layout.js'
import type { KeyRange } from '../../../store/store.js'

/** Second byte of a catalog key. */
export const kind = { counter: 0x00, namespace: 0x01, database: 0x02, reserved: 0x03 } as const

export function databaseKey(db: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.database), utf8(db.toLowerCase()))
}

/** The catalog key of a collection. */
export function namespaceKey(db: string, name: string): Bytes {
  return nameKey(kind.namespace, db, name)
}

export function reservedKey(db: string, name: string): Bytes {
  return nameKey(kind.reserved, db, name)
}

function nameKey(ofKind: number, db: string, name: string): Bytes {
  const text = `${db}\0${name}`
  const key = new Uint8Array(2 + text.length)
  key[0] = keyClass.catalog
  key[1] = ofKind
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Names are short and nearly always ASCII: the loop is faster than a native call.
    if (code > 0x7f) return concatBytes(key.subarray(0, 2), utf8(text))
    key[i + 2] = code
  }
  return key
}

export function nameOfKey(key: Bytes): [db: string, name: string] {
  const middle = key.indexOf(0, 2)
  return [textOf(key, 2, middle), textOf(key, middle + 1)]
}

export function listRange(db: string | undefined): KeyRange {
  const prefix = Uint8Array.of(keyClass.catalog, kind.namespace)
  if (db === undefined) return { start: prefix, end: Uint8Array.of(keyClass.catalog, 0x02) }
  const name = utf8(db)
  return {
    start: concatBytes(prefix, name, Uint8Array.of(0)),
    end: concatBytes(prefix, name, Uint8Array.of(1)),
  }
}
