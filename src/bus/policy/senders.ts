// Who may send a command at all, or a request over HTTP: the one decision of both executors and of
// the routes. Each of them words the refusal as its protocol does.

import type { Identity } from '../../identity/identity.js'
import { isAdministrator, type Rules, strictRules } from '../../identity/rights/allow.js'
import type { RowAccess } from './facts.js'

/** Why it is refused: the caller has not signed in, or is another than it takes. */
export type SenderRefusal = 'unauthenticated' | 'forbidden'

/** Undefined: it may be sent. Nothing is asked of the operator. */
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
