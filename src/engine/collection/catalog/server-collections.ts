// Collections that the server itself makes: those whose ownership record is there from the first
// start because it stands for more than documents, and those that it alone writes to.

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

/** How a shared space is made at the first start: without an owner, and not claimable. */
export type SpaceOptions = Omit<CreateOptions, 'uuid'>

/**
 * The collection that stands for the channels, made if it is missing. Documents may be kept in it
 * as in any other.
 */
export function* ensureChannels(tx: Tx, db: string, options: SpaceOptions): Program<Namespace> {
  const found = yield* findNamespace(tx, db, channelsName)
  if (found?.isPermanent === true) return found
  const uuid = uuidOfName(db, channelsName)
  const made = found ?? (yield* createNamespace(tx, db, channelsName, { ...options, uuid }))
  const access = { ...made.access, isSettled: true as const }
  return saveNamespace(tx, { ...made, access, isPermanent: true })
}

/** The collection of what was done by whom, made with the first entry. */
export function* ensureAudit(tx: Tx, db: string, now: number): Program<Namespace> {
  const found = yield* findNamespace(tx, db, auditName)
  if (found !== undefined) return found
  const mode: PrivacyMode = 'private'
  const uuid = uuidOfName(db, auditName)
  const options = { owner: null, mode, now, uuid, options: emptyDocument }
  const made = yield* createAnyNamespace(tx, db, auditName, options)
  return { ...made, access: { ...made.access, audience: 'administrators' } }
}

/** By name, version 8: a start must not use up randomness that what comes after it is given. */
export function uuidOfName(database: string, name: string): Bytes {
  const digest = createHash('sha256').update(`${database}.${name}`).digest()
  const uuid = new Uint8Array(16)
  uuid.set(digest.subarray(0, 16))
  uuid[6] = ((uuid[6] as number) & 0x0f) | 0x80
  uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80
  return uuid
}
