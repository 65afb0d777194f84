// Which callers may send a command or an HTTP request at all. Both executors and the routes use
// this decision; each writes the refusal in the form of its protocol.

import { fail } from '../../base/errors.js'
import { type Identity, isLocked } from '../../identity/identity.js'
import { isAdministrator, type Rules, strictRules } from '../../identity/rights/allow.js'
import type { CommandFacts, RowAccess } from './facts.js'

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

interface Sent extends Pick<CommandFacts, 'access' | 'name'> {
  readonly grain: string
  readonly audit?: unknown
}

/**
 * Throws Unauthorized if the operator's page has to be unlocked for the command. Changes of
 * collections are refused by their privileges; this is about the server and its accounts.
 */
export function requireUnlocked({ access, name, grain, audit }: Sent, identity: Identity): void {
  if (!isLocked(identity)) return
  const isReserved = access === 'operator' || access === 'admin'
  const isChange =
    audit !== undefined || (isReserved && grain !== 'read') || name.startsWith('kill')
  if (!isChange) return
  const text = `this session only reads: unlock it to execute command ${name}`
  throw fail('Unauthorized', text, { reason: 'LOCKED' })
}
