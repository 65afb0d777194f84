// The events of keys that clients write as documents, by the document commands or SQL. A document
// says what a key is and not which command made it, so the event is that of the plainest command
// for its type. (docs/key-value.md, "Keyspace events")

import type { Tx } from '../../../store/store.js'
import { sameBytes } from '../../../value/compare.js'
import type { Document } from '../../../value/value.js'
import type { Access, Guarded, Namespace } from '../../types.js'
import { nameOfDocument } from '../strings/scalar.js'
import type { EventClass } from '../work.js'
import { type KeyType, never, readKeyDocument } from './key.js'

/** What a committed program did to a key. */
export interface DocumentEvent {
  readonly db: string
  readonly collection: string
  readonly access: Access
  /** A copy of the key. */
  readonly key: Uint8Array
  readonly eventClass: EventClass
  readonly event: string
}

const writes: Readonly<Record<KeyType, readonly [eventClass: EventClass, event: string]>> = {
  string: ['$', 'set'],
  list: ['l', 'rpush'],
  set: ['s', 'sadd'],
  zset: ['z', 'zadd'],
  hash: ['h', 'hset'],
}

/** Announces the events of a change with the commit; undefined: there was or is no document. */
export function announceChange(
  tx: Tx & Guarded,
  { db, name: collection, access }: Namespace,
  before: Document | undefined,
  after: Document | undefined,
): void {
  const changed = after ?? before
  if (tx.announce === undefined || changed === undefined) return
  const key = nameOfDocument(changed).copy()
  for (const [eventClass, event] of eventsOf(before, after, tx.now)) {
    const told: DocumentEvent = { db, collection, access, key, eventClass, event }
    tx.announce(told)
  }
}

/** In the order of Redis: `new`, the value, the expiry. */
function* eventsOf(
  before: Document | undefined,
  after: Document | undefined,
  now = 0,
): Generator<readonly [EventClass, string]> {
  const old = before === undefined ? undefined : readKeyDocument(before)
  const isOver = old !== undefined && old.expiresAt !== never && old.expiresAt <= now
  if (after === undefined) {
    yield isOver ? ['x', 'expired'] : ['g', 'del']
    return
  }
  const { type, value, expiresAt } = readKeyDocument(after)
  if (old === undefined) yield ['n', 'new']
  const isSame = old?.type === type && sameBytes(old.value, value)
  if (!isSame) yield writes[type]
  const from = old?.expiresAt ?? never
  if (expiresAt !== never && expiresAt !== from) yield ['g', 'expire']
  else if (expiresAt === never && from !== never && isSame) yield ['g', 'persist']
}
