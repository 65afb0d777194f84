// What no backup holds, and no restore brings back: who is signed in or signing in, what is kept
// of the operator's key, and replies that were kept for repeated requests. A restored Sigil makes
// an operator's key of its own, and all users sign in again.

import type { Bytes } from '../base/bytes/bytes.js'
import { keyClass } from '../store/layout.js'
import { operatorRow } from './keys/operator.js'
import { expiringKind } from './sign-in/expiring-rows.js'
import { nonceKind } from './sign-in/nonces.js'
import { sessionKind } from './sign-in/sessions.js'

/** Answers by Idempotency-Key, and how many a caller has. */
export const answerKind = 0x41
export const callerKind = 0x42

/** Beginnings of keys. */
export const secretRows: readonly Bytes[] = [
  operatorRow,
  ...[sessionKind, nonceKind, expiringKind, answerKind, callerKind].map((kind) =>
    Uint8Array.of(keyClass.identity, kind),
  ),
]
