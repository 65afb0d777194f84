// What the audit tells of an act: the same for a command of either table and for a stream of
// HTTP that is no command.

import type { AuditDetails, AuditEntry } from '../../identity/audit.js'
import type { Identity } from '../../identity/identity.js'
import type { SessionProtocol } from '../session.js'

/** Who has sent it, and from where. */
interface Sender {
  readonly protocol: SessionProtocol
  readonly remoteAddress: string
}

/** `identity` as it stood when that was last looked at. */
export function auditEntry(
  act: string,
  identity: Identity,
  { protocol, remoteAddress }: Sender,
  on: { readonly ns?: string; readonly details?: AuditDetails } = {},
): AuditEntry {
  return { act, identity, protocol, remoteAddress, ...on }
}
