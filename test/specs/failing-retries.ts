// Tests of retryable writes that would run and fail, with the reason: as failing.ts, for a server
// that says it is a router.

import type { FailingRow } from './failing.js'

export const failingRetries: readonly FailingRow[] = []
