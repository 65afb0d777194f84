// What a session is called where the peer has users: CLIENT
// LIST, ACL WHOAMI, CLIENT KILL USER.

import type { KeyValueCall } from '../../bus/keyvalue/call.js'
import type { KeyValueSession } from '../../bus/keyvalue/session.js'
import { operatorName } from '../../identity/operator.js'

/** Whom everybody is without a password. */
export const defaultUser = 'default'

export function userOf(session: KeyValueSession, { services }: KeyValueCall['bus']): string {
  const { kind } = session.identity
  return services.authOff || kind !== 'operator' ? defaultUser : operatorName
}
