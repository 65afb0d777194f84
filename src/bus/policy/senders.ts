// Which callers may send a command or an HTTP request at all. Both executors and the routes use
// this decision; each writes the refusal in the form of its protocol.

import type { Identity } from '../../identity/identity.js'
import { isAdministrator, type Rules, strictRules } from '../../identity/rights/allow.js'
import type { RowAccess } from './facts.js'

/**
 * Why it is refused: the caller has not signed in, or is not one of the callers that may send it.
 */
export type SenderRefusal = 'unauthenticated' | 'forbidden'

/** Undefined: the command may be sent. The operator may send every command. */
export function senderRefusal(
  access: RowAccess,
  identity: Identity,
  rules: Rules = strictRules,
): SenderRefusal | undefined {
  const { kind } = identity
  if (kind === 'operator' || access === 'anonymous') return undefined
  if (kind === 'anonymous') {
    return access === 'reader' && rules.anonymousReads ? undefined : 'unauthenticated'
  }
  switch (access) {
    case 'reader':
    case 'identity':
      return undefined
    case 'session':
      return kind === 'session' ? undefined : 'forbidden'
    case 'admin':
      return isAdministrator(identity, rules, 'admin') ? undefined : 'forbidden'
    case 'operator':
      return 'forbidden'
  }
}
