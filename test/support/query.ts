// What the tests of filters, projections, sorts and updates share: a context without surprises,
// documents from literals, and errors by their number.

import type t from 'tap'
import { utf8 } from '../../src/base/bytes/bytes.js'
import { GatewayError } from '../../src/base/errors.js'
import type { QueryContext } from '../../src/query/context.js'
import { documentToJson } from '../../src/value/json/json.js'
import { documentFrom } from '../../src/value/literal.js'
import type { Document } from '../../src/value/value.js'

/** 2026-11-21T10:00:00Z; the first ObjectId is `idididididi0` in ASCII. */
export const testContext: QueryContext = {
  now: 1_795_255_200_000,
  variables: new Map(),
  objectId: (index) => utf8(`idididididi${index}`),
}

export type Literal = Readonly<Record<string, unknown>>

/** Canonical JSON, in which every type and the order of fields show. */
export function show(document: Document | Literal): string {
  const bytes = document instanceof Uint8Array ? document : documentFrom(document)
  return documentToJson(bytes, 'canonical')
}

/** Runs `act`, which must fail with that number; the text must hold `text`. */
export function refuses(
  test: Pick<typeof t, 'equal' | 'match' | 'fail'>,
  act: () => unknown,
  code: number,
  text: string,
): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    test.equal(error.code, code, error.message)
    test.match(error.message, text)
    return
  }
  test.fail(`nothing was thrown: ${code} ${text}`)
}
