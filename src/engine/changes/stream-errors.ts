// Errors after which a change stream cannot go on, with the label that tells drivers so.
// (specification of the drivers, "Change Streams"; MongoDB manual, error codes 280 and 286)

import { fail, type GatewayError } from '../../base/errors.js'

const labels = { errorLabels: ['NonResumableChangeStreamError'] }

export function fatalError(text: string): GatewayError {
  return fail('ChangeStreamFatalError', text, labels)
}

/** The error of a token whose following records are gone. */
export function historyLost(): GatewayError {
  const text =
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.'
  return fail('ChangeStreamHistoryLost', text, labels)
}
