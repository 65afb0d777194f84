// Collections that the server creates: those that exist from the first start because their rights
// cover more than documents, and those that only the server writes.

import { createHash } from 'node:crypto'
import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Program, Tx } from '../../../store/store.js'
import type { Namespace, PrivacyMode } from '../../types.js'
import {
  type CreateOptions,
  createAnyNamespace,
  createNamespace,
  findNamespace,
  saveNamespace,
} from './catalog.js'
import { auditName, emptyDocument } from './descriptors.js'
import { channelsName } from './homes.js'

/** How the first start creates a shared space: without an owner, and not claimable. */
export type SpaceOptions = Omit<CreateOptions, 'uuid'>

/**
 * The collection whose rights apply to the channels, created if missing. It can hold documents like
 * any other.
 */
export function* ensureChannels(tx: Tx, db: string, options: SpaceOptions): Program<Namespace> {
  const found = yield* findNamespace(tx, db, channelsName)
  if (found?.isPermanent === true) return found
  const uuid = uuidOfName(db, channelsName)
  const made = found ?? (yield* createNamespace(tx, db, channelsName, { ...options, uuid }))
  const access = { ...made.access, isSettled: true as const }
  return saveNamespace(tx, { ...made, access, isPermanent: true })
}

/** The audit collection, created with the first entry. */
export function* ensureAudit(tx: Tx, db: string, now: number): Program<Namespace> {
  const found = yield* findNamespace(tx, db, auditName)
  if (found !== undefined) return found
  const mode: PrivacyMode = 'private'
  const uuid = uuidOfName(db, auditName)
  const options = { owner: null, mode, now, uuid, options: emptyDocument }
  const made = yield* createAnyNamespace(tx, db, auditName, options)
  return { ...made, access: { ...made.access, audience: 'administrators' } }
}

/**
 * A UUID from the name, version 8. It uses no randomness, so a start does not change the random
 * values of later code.
 */
export function uuidOfName(database: string, name: string): Bytes {
  const digest = createHash('sha256').update(`${database}.${name}`).digest()
  const uuid = new Uint8Array(16)
  uuid.set(digest.subarray(0, 16))
  uuid[6] = ((uuid[6] as number) & 0x0f) | 0x80
  uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80
  return uuid
}
