// Builds the audit entry of an act. Both executors and the HTTP streams share it, because a stream
// is no command of either table.

import type { AuditDetails, AuditEntry } from '../../identity/audit.js'
import type { Identity } from '../../identity/identity.js'
import type { SessionProtocol } from '../session.js'

/** The sender and its address. */
interface Sender {
  readonly protocol: SessionProtocol
  readonly remoteAddress: string
}

/** `identity` as of its last check. */
export function auditEntry(
  act: string,
  identity: Identity,
  { protocol, remoteAddress }: Sender,
  on: { readonly ns?: string; readonly details?: AuditDetails } = {},
): AuditEntry {
  return { act, identity, protocol, remoteAddress, ...on }
}
