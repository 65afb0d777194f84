// How a client sees a refusal: the fields of the error. Anything thrown that is not one of ours, or
// has no SQLSTATE, fails the test that meets it.

import { GatewayError } from '../../../src/base/errors.js'
import { type ErrorFields, errorFields } from '../../../src/protocol/pgwire/error-fields.js'

interface Asserts {
  match(found: unknown, wanted: unknown, name: string): unknown
}

/** The fields of what `work` throws; undefined where it throws nothing. */
function refusalOf(work: () => unknown): ErrorFields | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const fields = errorFields(error)
    if (!/^[0-9A-Z]{5}$/.test(fields.sqlState)) throw error
    return fields
  }
}

/** Asserts that `work` is refused, with these fields. */
export function refuses(
  t: Asserts,
  work: () => unknown,
  wanted: Partial<ErrorFields>,
  name = 'refused',
): void {
  t.match(refusalOf(work), wanted, name)
}

/** For properties: whatever `work` is given, it answers or refuses as clients expect, or throws. */
export function isAnswered(work: () => unknown): true {
  refusalOf(work)
  return true
}
