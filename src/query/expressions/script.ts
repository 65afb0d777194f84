// Operators that run client scripts on the server. Sigil has no script engine by design, so they
// are refused as by MongoDB with its engine switched off.

import type { GatewayError } from '../../base/errors.js'
import type { AccumulatorRow } from './accumulator.js'
import { location, type OperatorRow } from './operator.js'

function refusal(): GatewayError {
  const text = 'Cannot run server-side javascript without the javascript engine enabled'
  return location(31264, text)
}

export const scriptOperators: readonly OperatorRow[] = [
  {
    name: '$function',
    readsRoot: false,
    compile: () => {
      throw refusal()
    },
  },
]

export const scriptAccumulators: readonly AccumulatorRow[] = [
  {
    name: '$accumulator',
    readsRoot: false,
    inWindows: false,
    compile: () => {
      throw refusal()
    },
  },
]
