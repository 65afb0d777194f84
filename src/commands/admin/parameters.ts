// getParameter over a table of what tools look for. Nothing can be set while the server runs:
// settings are read at start.

import { fail } from '../../base/errors.js'
import { cursorIdleMs, sessionIdleMinutes } from '../../base/limits.js'
import { peerCompatibilityVersion } from '../../base/product.js'
import { anyValue } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { saslMechanisms } from '../../identity/login.js'
import { Elements, field } from '../../value/elements.js'
import {
  boolOf,
  boolValue,
  bsonType,
  type Document,
  documentOf,
  documentValue,
  int32Value,
  int64Value,
  stringOf,
  stringValue,
  type Value,
} from '../../value/value.js'
import { writeArray, writeDocument } from '../../value/writer.js'

const compatibility = writeDocument((writer) => writer.string('version', peerCompatibilityVersion))

const parameters: ReadonlyMap<string, Value> = new Map([
  ['authenticationMechanisms', writeArray(saslMechanisms.map(stringValue))],
  ['cursorTimeoutMillis', int64Value(BigInt(cursorIdleMs))],
  ['enableTestCommands', boolValue(false)],
  ['featureCompatibilityVersion', documentValue(compatibility)],
  ['localLogicalSessionTimeoutMinutes', int32Value(sessionIdleMinutes)],
  ['logLevel', int32Value(0)],
  ['notablescan', boolValue(false)],
  ['quiet', boolValue(false)],
  ['ttlMonitorEnabled', boolValue(false)],
])

const getParameter = documentRow({
  name: 'getParameter',
  grain: 'local',
  access: 'identity',
  adminOnly: true,
  target: anyValue,
  params: {},
  ignoresUnknown: true,
  help: 'Tells parameters by name, or all of them for "*".',
  run: (call) => {
    const chosen = isAll(call.target) ? [...parameters] : named(call.request.body)
    if (chosen.length === 0) throw fail('InvalidOptions', 'no option found to get')
    return reply((writer) => {
      for (const [name, value] of chosen) writer.value(name, value)
    })
  },
})

/** `"*"` or `{allParameters: true}`. */
function isAll(target: Value): boolean {
  if (target.type === bsonType.string) return stringOf(target) === '*'
  if (target.type !== bsonType.object) return false
  const all = field(documentOf(target), 'allParameters')
  return all?.type === bsonType.bool && boolOf(all)
}

function named(body: Document): [string, Value][] {
  const chosen: [string, Value][] = []
  const elements = new Elements(body)
  while (elements.next()) {
    const name = elements.name()
    const value = parameters.get(name)
    if (value !== undefined) chosen.push([name, value])
  }
  return chosen
}

export const parameterRows = [getParameter]
