// What a session is called where the peer has users: CLIENT
// LIST, ACL WHOAMI, CLIENT KILL USER.

import type { KeyValueCall } from '../../bus/keyvalue/call.js'
import type { KeyValueSession } from '../../bus/keyvalue/session.js'
import { userNameOf } from '../../identity/credentials.js'
import { operatorName } from '../../identity/operator.js'

/** Whom everybody is without a password. */
export const defaultUser = 'default'

/** As what one could sign in again: `operator`, or a wallet with the number of its key. */
export function userOf({ identity }: KeyValueSession, { services }: KeyValueCall['bus']): string {
  if (services.authOff) return defaultUser
  switch (identity.kind) {
    case 'operator':
      return operatorName
    case 'key':
      return userNameOf(identity)
    case 'session':
      return identity.address
    case 'anonymous':
      return defaultUser
  }
}
