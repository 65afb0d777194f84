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
  ['ttlMonitorEnabled', boolValue(true)],
])

/** With TEST_COMMANDS=1: drivers' tests use fail points where they read this. */
const testParameters: typeof parameters = new Map([
  ...parameters,
  ['enableTestCommands', boolValue(true)],
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
    const known = call.services.failPoint === undefined ? parameters : testParameters
    const chosen = isAll(call.target) ? [...known] : named(call.request.body, known)
    if (chosen.length === 0) throw fail('InvalidOptions', 'no option found to get')
    return reply((writer) => {
      const isDetailed = asksFor(call.target, 'showDetails')
      for (const [name, value] of chosen) writer.value(name, isDetailed ? detailed(value) : value)
    })
  },
})

/** `"*"` or `{allParameters: true}`. */
function isAll(target: Value): boolean {
  if (target.type === bsonType.string) return stringOf(target) === '*'
  return asksFor(target, 'allParameters')
}

function asksFor(target: Value, option: string): boolean {
  if (target.type !== bsonType.object) return false
  const given = field(documentOf(target), option)
  return given?.type === bsonType.bool && boolOf(given)
}

function detailed(value: Value): Value {
  return documentValue(
    writeDocument((writer) => {
      writer.value('value', value)
      writer.bool('settableAtRuntime', false).bool('settableAtStartup', true)
    }),
  )
}

function named(body: Document, known: typeof parameters): [string, Value][] {
  const chosen: [string, Value][] = []
  const elements = new Elements(body)
  while (elements.next()) {
    const name = elements.name()
    const value = known.get(name)
    if (value !== undefined) chosen.push([name, value])
  }
  return chosen
}

export const parameterRows = [getParameter]
