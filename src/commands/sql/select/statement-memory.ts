// Memory of one running SELECT: counted as for any query, but refused with PostgreSQL's error
// (53200). The owner is the caller's identity.

import { fail, type GatewayError } from '../../../base/errors.js'
import type { Engine } from '../../../engine/engine.js'
import { QueryMemory } from '../../../engine/sources/query-memory.js'
import { evaluationState } from '../expression/evaluation-error.js'

/** `owner` is the key of an identity. */
export function statementMemory({ memory, spills }: Engine, owner: string): QueryMemory {
  const { shares } = memory
  return new QueryMemory({ shares, spills, owner, allowsDisk: true, refusal: exhausted })
}

function exhausted(): GatewayError {
  const text = 'the statements at work hold too much memory for another one to be added'
  const hint = 'Narrow the statement, or repeat it when others have ended.'
  return fail('ExceededMemoryLimit', text, { sqlState: evaluationState.tooMuchMemory, hint })
}
