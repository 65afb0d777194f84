// configureFailPoint: makes commands fail for the tests of drivers. The table has this row only
// with TEST_COMMANDS=1; without it the name is unknown, as in MongoDB.

import { fail } from '../../../base/errors.js'
import type { FailPointMode } from '../../../bus/document/fail-point.js'
import { anyValue, object, optional, string } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { Elements } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, documentOf, stringOf, type Value } from '../../../value/value.js'

const countMax = 2 ** 31 - 1

export const failPointRow = documentRow({
  name: 'configureFailPoint',
  ...plain,
  neverFails: true,
  grain: 'local',
  access: 'operator',
  adminOnly: true,
  target: string,
  params: { mode: anyValue, data: optional(object) },
  help: 'Makes commands fail, for tests of drivers; exists with TEST_COMMANDS=1 alone.',
  run: (call) => {
    const { target: name, args, services } = call
    const mode = modeOf(args.mode)
    const { failPoint } = services
    const point = name === 'failGetMoreAfterCursorCheckout' ? failPoint?.inGetMore : failPoint
    const isKnown = name === 'failCommand' || point !== failPoint
    if (!isKnown || point === undefined) throw fail('FailPointSetFailed', `${name} not found`)
    const count = point.configure(mode, args.data)
    return reply((writer) => writer.int64('count', count))
  },
})

/** Parses a mode: a name, or a document of one field. */
function modeOf(value: Value): FailPointMode {
  if (value.type === bsonType.string) {
    const name = stringOf(value)
    if (name === 'off' || name === 'alwaysOn') return { kind: name }
    throw fail('BadValue', `unknown mode: ${name}`)
  }
  if (value.type !== bsonType.object) {
    throw fail('TypeMismatch', "'mode' must be a string or JSON object")
  }
  const elements = new Elements(documentOf(value))
  const name = elements.next() ? elements.name() : ''
  if (name === 'times' || name === 'skip') {
    return { kind: name, count: countOf(name, elements.value()) }
  }
  if (name === 'activationProbability') {
    return { kind: name, probability: probabilityOf(elements.value()) }
  }
  const names = "'off', 'alwaysOn', 'times', 'skip', and 'activationProbability'"
  throw fail('BadValue', `'mode' must be one of ${names}`)
}

function countOf(name: string, value: Value): number {
  if (!value.isNumber) throw fail('TypeMismatch', `'${name}' option to 'mode' must be a number`)
  const count = Math.trunc(numberOf(value))
  if (count >= 0 && count <= countMax) return count
  const bounds = count < 0 ? 'must be non-negative' : 'is too large'
  throw fail('BadValue', `'${name}' option to 'mode' ${bounds}`)
}

function probabilityOf(value: Value): number {
  if (!value.isNumber) {
    throw fail('TypeMismatch', "the 'activationProbability' option to 'mode' must be a double")
  }
  const probability = numberOf(value)
  if (probability >= 0 && probability <= 1) return probability
  const text = `activationProbability must be between 0.0 and 1.0; found ${probability}`
  throw fail('BadValue', text)
}
