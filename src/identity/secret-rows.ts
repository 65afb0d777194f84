// Rows that no backup contains and no restore brings back: sessions, their keys and nonces, the
// verifier of the operator's key, responses kept for repeated requests and retried writes, and the
// commits of sessions. A restored Sigil makes a new operator key, and all users sign in again.

import type { Bytes } from '../base/bytes/bytes.js'
import { keyClass } from '../store/layout.js'
import { operatorRow } from './keys/operator.js'
import { expiringKind } from './sign-in/expiring-rows.js'
import { nonceKind } from './sign-in/nonces.js'
import { operatorSessionsKind } from './sign-in/operator-sessions.js'
import { sharedKeysKind } from './sign-in/session-keys.js'
import { sessionKind } from './sign-in/sessions.js'

/** Responses by Idempotency-Key, and how many a caller has. */
export const answerKind = 0x41
export const callerKind = 0x42
/** The last transaction that a logical session has committed. */
export const commitKind = 0x43

/** What the retryable writes of a logical session have done. */
export const retryKind = 0x44

/** Prefixes of keys. */
export const secretRows: readonly Bytes[] = [
  operatorRow,
  ...[
    sessionKind,
    sharedKeysKind,
    operatorSessionsKind,
    nonceKind,
    expiringKind,
    answerKind,
    callerKind,
    commitKind,
    retryKind,
  ].map((kind) => Uint8Array.of(keyClass.identity, kind)),
]
