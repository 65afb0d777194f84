// The facts of the session and its transaction for SQL functions, taken from the call, so that
// compiling a statement does not depend on the call itself.

import type { Call } from '../../../bus/document/call.js'
import { accountNameOf } from '../../../identity/sign-in/credentials.js'
import type { SessionFacts } from './session-functions.js'

export function sessionOf({
  db,
  identity,
  services,
  session,
}: Pick<Call<unknown, unknown>, 'db' | 'identity' | 'services' | 'session'>): SessionFacts {
  return {
    user: accountNameOf(identity) ?? 'anonymous',
    database: db,
    version: services.version,
    connection: session.id,
    channels: session.channels,
    settingOf: session.settingOf,
  }
}

/** What now() tells: the begin of the transaction, else of the statement. */
export function transactionTime({
  now,
  request,
  statement,
}: Pick<Call<unknown, unknown>, 'now' | 'request' | 'statement'>): number {
  return statement?.begunAt ?? request.begunAt ?? now
}
