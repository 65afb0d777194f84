// What a session is called where the reference server has users: CLIENT LIST, ACL WHOAMI and CLIENT
// KILL USER, each of which prints or takes the name.

import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import type { HandlerServices } from '../../../bus/keyvalue/services.js'
import { accountNameOf } from '../../../identity/sign-in/credentials.js'

/** The user of connections without a password. */
export const defaultUser = 'default'

/** As what one could sign in again: `operator`, or a wallet with the number of its key. */
export function userOf({ identity }: KeyValueSession, services: HandlerServices): string {
  return (services.authOff ? undefined : accountNameOf(identity)) ?? defaultUser
}
