// getParameter over a table of parameters that tools read, and setParameter for those that change
// the engine until the process ends. All other settings are read at start.

import { fail } from '../../../base/errors.js'
import { sessionIdleMinutes } from '../../../base/limits/documents.js'
import { transactionMsMax } from '../../../base/limits/store.js'
import { referenceCompatibilityVersion } from '../../../base/product.js'
import type { Call } from '../../../bus/document/call.js'
import { genericFields } from '../../../bus/document/generic.js'
import { bool } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { saslMechanisms } from '../../../identity/sign-in/login.js'
import { Elements, field } from '../../../value/elements.js'
import { integerOf, numberOf } from '../../../value/numbers.js'
import { shellText } from '../../../value/shell.js'
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
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { bareRow } from '../arguments.js'

const compatibility = writeDocument((writer) =>
  writer.string('version', referenceCompatibilityVersion),
)

const parameters: ReadonlyMap<string, Value> = new Map([
  ['authenticationMechanisms', writeArray(saslMechanisms.map(stringValue))],
  ['enableTestCommands', boolValue(false)],
  ['featureCompatibilityVersion', documentValue(compatibility)],
  ['localLogicalSessionTimeoutMinutes', int32Value(sessionIdleMinutes)],
  ['logLevel', int32Value(0)],
  ['notablescan', boolValue(false)],
  ['quiet', boolValue(false)],
])

/** With TEST_COMMANDS=1: drivers' tests read this to find out whether fail points work. */
const testParameters: typeof parameters = new Map([
  ...parameters,
  ['enableTestCommands', boolValue(true)],
])

type Engine = Call<unknown, unknown>['engine']

interface Variable {
  read(engine: Engine): Value
  /** False for an invalid value. */
  write(engine: Engine, value: Value): boolean
}

const millisecondsMax = 2 ** 31 - 1

/** A whole number from 1 to `most`. */
function positive(value: Value, most: number): number | undefined {
  const number = value.isNumber ? integerOf(value) : undefined
  return number === undefined || number < 1 || number > most ? undefined : number
}

/** Parameters that can change while the server runs. */
const variables: ReadonlyMap<string, Variable> = new Map<string, Variable>([
  [
    'cursorTimeoutMillis',
    {
      read: ({ cursors }) => int64Value(BigInt(cursors.idleMs)),
      write: ({ cursors }, value) => {
        const ms = positive(value, millisecondsMax)
        if (ms === undefined) return false
        cursors.idleMs = ms
        return true
      },
    },
  ],
  [
    'transactionLifetimeLimitSeconds',
    {
      read: ({ transactions }) => int32Value(transactions.lifetimeMs / 1_000),
      write: ({ transactions }, value) => {
        const seconds = positive(value, transactionMsMax / 1_000)
        if (seconds === undefined) return false
        transactions.lifetimeMs = seconds * 1_000
        return true
      },
    },
  ],
  [
    'ttlMonitorEnabled',
    {
      read: ({ documentExpiry }) => boolValue(documentExpiry.isEnabled),
      write: ({ documentExpiry }, value) => {
        if (value.type !== bsonType.bool && !value.isNumber) return false
        const isOn = value.type === bsonType.bool ? boolOf(value) : numberOf(value) !== 0
        documentExpiry.isEnabled = isOn
        return true
      },
    },
  ],
  [
    'ttlMonitorSleepSecs',
    {
      read: ({ documentExpiry }) => int32Value(documentExpiry.everyMs / 1_000),
      write: ({ documentExpiry }, value) => {
        const seconds = positive(value, millisecondsMax / 1_000)
        if (seconds === undefined) return false
        documentExpiry.everyMs = seconds * 1_000
        return true
      },
    },
  ],
])

/** All parameters with their current values. */
function parametersOf({ engine, services }: Call<unknown, unknown>): Map<string, Value> {
  const known = new Map(services.failPoint === undefined ? parameters : testParameters)
  for (const [name, variable] of variables) known.set(name, variable.read(engine))
  return known
}

const getParameter = bareRow({
  name: 'getParameter',
  access: 'identity',
  adminOnly: true,
  ignoresUnknown: true,
  help: 'Returns parameters by name, or all of them for "*".',
  run: (call) => {
    const known = parametersOf(call)
    const chosen = isAll(call.target) ? [...known] : named(call.request.body, known)
    if (chosen.length === 0) throw fail('InvalidOptions', 'no option found to get')
    return reply((writer) => {
      const isDetailed = asksFor(call.target, 'showDetails')
      for (const [name, value] of chosen) {
        writer.value(name, isDetailed ? detailed(value, variables.has(name)) : value)
      }
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
  if (given === undefined || given.isNullish) return false
  return bool.bind(`getParameter.${option}`)(given)
}

function detailed(value: Value, isVariable: boolean): Value {
  return documentValue(
    writeDocument((writer) => {
      writer.value('value', value)
      writer.bool('settableAtRuntime', isVariable).bool('settableAtStartup', !isVariable)
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

const helpText = 'use help:true to see options '

const setParameter = bareRow({
  name: 'setParameter',
  access: 'operator',
  adminOnly: true,
  ignoresUnknown: true,
  help:
    'Changes cursorTimeoutMillis, transactionLifetimeLimitSeconds, ttlMonitorEnabled or ' +
    'ttlMonitorSleepSecs until the process ends.',
  run: (call) => {
    const { engine } = call
    const known = parametersOf(call)
    const wanted = changesOf(call.request.body)
    const [first] = wanted
    if (first === undefined) {
      throw fail('InvalidOptions', `no option found to set, ${helpText}`)
    }
    for (const [name] of wanted) {
      if (variables.has(name)) continue
      if (known.has(name)) {
        throw fail('IllegalOperation', `not allowed to change [${name}] at runtime`)
      }
      const text = `attempted to set unrecognized parameter [${name}], ${helpText}`
      throw fail('InvalidOptions', text)
    }
    const was = known.get(first[0])
    for (const [name, value] of wanted) {
      if (variables.get(name)?.write(engine, value) !== true) {
        throw fail('BadValue', `Invalid value for ${name}: ${shellText(value)}`)
      }
    }
    return reply((writer) => {
      if (was !== undefined) writer.value('was', was)
    })
  },
})

/** The fields of the command without the generic ones. */
function changesOf(body: Document): [string, Value][] {
  const elements = new Elements(body)
  elements.next()
  const changes: [string, Value][] = []
  while (elements.next()) {
    const name = elements.name()
    if (!Object.hasOwn(genericFields, name)) changes.push([name, elements.value()])
  }
  return changes
}

export const parameterRows = [getParameter, setParameter]
