// Operators that run scripts of the client on the server. There is no script engine here, nor will
// be: they are known, and refused as the reference server refuses them where its engine is switched
// off.

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
    compile: () => {
      throw refusal()
    },
  },
]

export const scriptAccumulators: readonly AccumulatorRow[] = [
  {
    name: '$accumulator',
    compile: () => {
      throw refusal()
    },
  },
]
