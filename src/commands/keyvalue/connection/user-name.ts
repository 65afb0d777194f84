// The name of a session where Redis has users. CLIENT LIST and ACL WHOAMI print it, CLIENT KILL
// USER matches it.

import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import type { HandlerServices } from '../../../bus/keyvalue/services.js'
import { accountNameOf } from '../../../identity/sign-in/credentials.js'

/** The user of connections without a password. */
export const defaultUser = 'default'

/** A name that could sign in again: `operator`, or a wallet with the number of its key. */
export function userOf({ identity }: KeyValueSession, services: HandlerServices): string {
  return (services.authOff ? undefined : accountNameOf(identity)) ?? defaultUser
}
