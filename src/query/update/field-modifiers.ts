// Update operators that compute one value: $set, $inc, $min, $rename and others, one row each, with
// MongoDB's type rules and errors.

import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import { compareValues } from '../../value/compare.js'
import { fieldsOf } from '../../value/elements.js'
import { addIntegers, multiplyIntegers, toDecimal } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import {
  bigintOf,
  bsonType,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  readInt32,
  stringOf,
  timestampValue,
  type Value,
} from '../../value/value.js'
import { typeName } from '../expressions/operator.js'
import type { Action, Modifier, Place } from './action.js'
import type { Branch, Entry } from './branch.js'

const set: Modifier = {
  name: '$set',
  compile: (operand) => ({ operator: '$set', creates: true, apply: () => operand }),
}

const setOnInsert: Modifier = {
  name: '$setOnInsert',
  compile: (operand) => ({
    operator: '$setOnInsert',
    creates: true,
    onInsertOnly: true,
    apply: () => operand,
  }),
}

const unset: Modifier = {
  name: '$unset',
  compile: () => ({
    operator: '$unset',
    creates: false,
    ignoresBlocked: true,
    apply: () => undefined,
  }),
}

/** $inc and $mul: `missing` gives the value for a missing field. */
function arithmetic(
  name: string,
  verb: string,
  compute: (current: Value, operand: Value) => Value | undefined,
  missing: (operand: Value) => Value,
): Modifier {
  return {
    name,
    compile: (operand, field) => {
      if (!operand.isNumber) {
        const given = `{${field}: ${shellText(operand)}}`
        throw fail('TypeMismatch', `Cannot ${verb} with non-numeric argument: ${given}`)
      }
      return {
        operator: name,
        creates: true,
        apply: (current, place) => {
          if (current === undefined) return missing(operand)
          if (!current.isNumber) throw notNumeric(name, current, place)
          const value = compute(current, operand)
          if (value === undefined) throw overflow(name, current, place)
          return value
        },
      }
    },
  }
}

function notNumeric(name: string, current: Value, place: Place) {
  const field = place.path.slice(place.path.lastIndexOf('.') + 1)
  return fail(
    'TypeMismatch',
    `Cannot apply ${name} to a value of non-numeric type. {${place.idText()}} has the field ` +
      `'${field}' of non-numeric type ${typeName(current)}`,
  )
}

function overflow(name: string, current: Value, place: Place) {
  const type = current.type === bsonType.int64 ? 'NumberLong' : 'NumberInt'
  const value = `((${type})${shellText(current)})`
  const text = `Failed to apply ${name} operations to current value ${value}`
  return fail('BadValue', `${text} for document {${place.idText()}}`)
}

function zeroOfType(operand: Value): Value {
  switch (operand.type) {
    case bsonType.double:
      return doubleValue(0)
    case bsonType.int64:
      return int64Value(0n)
    case bsonType.decimal128:
      return toDecimal(int32Value(0))
    default:
      return int32Value(0)
  }
}

/** $min and $max over the total order of types. */
function bound(name: string, sign: 1 | -1): Modifier {
  return {
    name,
    compile: (operand, _field, { collation }) => ({
      operator: name,
      creates: true,
      apply: (current) => {
        if (current === undefined) return operand
        return compareValues(operand, current, collation) * sign > 0 ? operand : current
      },
    }),
  }
}

const currentDate: Modifier = {
  name: '$currentDate',
  compile: (operand, _field, context) => {
    const isTimestamp = currentDateType(operand) === 'timestamp'
    const now = isTimestamp
      ? timestampValue(Math.floor(context.now / 1000), 1)
      : dateValue(context.now)
    return { operator: '$currentDate', creates: true, apply: () => now }
  },
}

function currentDateType(operand: Value): 'date' | 'timestamp' {
  if (operand.type === bsonType.bool) return 'date'
  if (operand.type !== bsonType.object) {
    throw fail(
      'BadValue',
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') ` +
        "or a $type expression ({$type: 'timestamp/date'}).",
    )
  }
  let type: string | undefined
  for (const [name, value] of fieldsOf(operand)) {
    if (name !== '$type') throw fail('BadValue', `Unrecognized $currentDate option: ${name}`)
    if (value.type === bsonType.string) type = stringOf(value)
  }
  if (type === 'date' || type === 'timestamp') return type
  throw fail(
    'BadValue',
    "The '$type' string field is required to be 'date' or 'timestamp': " +
      "{$currentDate: {field : {$type: 'date'}}}",
  )
}

const rename: Modifier = {
  name: '$rename',
  target: (operand, field) => {
    if (operand.type !== bsonType.string) {
      const given = `${field}: ${shellText(operand)}`
      throw fail('BadValue', `The 'to' field for $rename must be a string: ${given}`)
    }
    const path = stringOf(operand)
    requireRenamable(field, path)
    return { path, source: field }
  },
  compile: (_operand, field) => renameAction(field.split('.')),
}

function requireRenamable(from: string, to: string): void {
  const given = `${from}: "${to}"`
  if (to.includes('\0')) {
    throw fail('BadValue', "The 'to' field for $rename cannot contain an embedded null byte")
  }
  if (from === to) {
    throw fail('BadValue', `The source and target field for $rename must differ: ${given}`)
  }
  if (`${to}.`.startsWith(`${from}.`) || `${from}.`.startsWith(`${to}.`)) {
    const text = 'The source and target field for $rename must not be on the same path'
    throw fail('BadValue', `${text}: ${given}`)
  }
  const isDynamic = (path: string) => /(?:^|\.)\$(?:\[[^\]]*\])?(?:\.|$)/.test(path)
  if (isDynamic(from)) {
    throw fail('BadValue', `The source field for $rename may not be dynamic: ${from}`)
  }
  if (isDynamic(to)) {
    throw fail('BadValue', `The destination field for $rename may not be dynamic: ${to}`)
  }
}

function renameAction(source: readonly string[]): Action {
  const names = source.map(utf8)
  return {
    operator: '$rename',
    creates: true,
    apply: (current, place) => {
      const trail = trailOf(place.root, names)
      const last = trail.at(-1)
      if (last === undefined) return current
      const inArray = trail.findIndex(({ holder }) => holder.isArray)
      if (inArray > 0) throw throughArray('source', source.join('.'), trail[inArray - 1], place)
      requireNoArray(place)
      const { value } = last.entry
      last.holder.remove(last.entry)
      for (const { holder } of trail) holder.isChanged = true
      return value
    },
  }
}

interface Stop {
  readonly holder: Branch
  readonly entry: Entry
}

/** The elements along a path; empty if the path is missing. */
function trailOf(root: Branch, names: readonly Bytes[]): readonly Stop[] {
  const trail: Stop[] = []
  let holder = root
  for (const [i, name] of names.entries()) {
    const above = trail.at(-1)
    if (holder.isArray && above !== undefined && !/^\d+$/.test(textOf(name))) {
      throw blockedSource(names, i, above.entry)
    }
    const entry = holder.isArray ? holder.entries[Number(textOf(name))] : holder.find(name)
    if (entry === undefined) return []
    trail.push({ holder, entry })
    if (i === names.length - 1) return trail
    const isOpen = entry.type === bsonType.object || entry.type === bsonType.array
    if (!isOpen) throw blockedSource(names, i + 1, entry)
    holder = entry.open()
  }
  return []
}

function blockedSource(names: readonly Bytes[], at: number, entry: Entry) {
  const path = names.map((name) => textOf(name)).join('.')
  const element = `{${entry.name}: ${shellText(entry.value)}}`
  const part = textOf(names[at] as Bytes)
  const text = `cannot use the part (${part} of ${path}) to traverse the element (${element})`
  return fail('PathNotViable', text)
}

/** Throws BadValue if the destination is inside an array. */
function requireNoArray(place: Place): void {
  let holder = place.root
  for (const name of place.path.split('.').slice(0, -1).map(utf8)) {
    const entry = holder.find(name)
    if (entry?.type === bsonType.array) {
      throw throughArray('destination', place.path, { holder, entry }, place)
    }
    if (entry?.type !== bsonType.object) return
    holder = entry.open()
  }
}

function throughArray(role: string, path: string, stop: Stop | undefined, place: Place) {
  return fail(
    'BadValue',
    `The ${role} field cannot be an array element, '${path}' in doc with ${place.idText()} ` +
      `has an array field called '${stop?.entry.name ?? ''}'`,
  )
}

const bitOperations: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
}

const bit: Modifier = {
  name: '$bit',
  compile: (operand, field) => {
    if (operand.type !== bsonType.object) {
      throw fail(
        'BadValue',
        `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an ` +
          'embedded document: {$bit: {field: {and/or/xor: #}}',
      )
    }
    const steps = [...fieldsOf(operand)].map(([name, value]) => {
      const operation = Object.hasOwn(bitOperations, name) ? bitOperations[name] : undefined
      if (operation === undefined) {
        throw fail(
          'BadValue',
          `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an ` +
            `unknown operator: {${name}: ${shellText(value)}}`,
        )
      }
      if (!isInteger(value)) {
        throw fail(
          'BadValue',
          `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(value)}' is not ` +
            `supported here: {${name}: ${shellText(value)}}`,
        )
      }
      return { operation, value }
    })
    if (steps.length === 0) {
      throw fail(
        'BadValue',
        'You must pass in at least one bitwise operation. The format is: ' +
          `{$bit: {field: {and/or/xor: #}}: ${field}`,
      )
    }
    return {
      operator: '$bit',
      creates: true,
      apply: (current, place) => {
        if (current !== undefined && !isInteger(current)) {
          const field = place.path.slice(place.path.lastIndexOf('.') + 1)
          throw fail(
            'BadValue',
            `Cannot apply $bit to a value of non-integral type.${place.idText()} has the field ` +
              `${field} of non-integer type ${typeName(current)}`,
          )
        }
        let result = current ?? int32Value(0)
        for (const { operation, value } of steps) {
          work.spend(valueUnits)
          const whole = operation(integerAt(result), integerAt(value))
          const isLong = result.type === bsonType.int64 || value.type === bsonType.int64
          result = isLong ? int64Value(whole) : int32Value(Number(whole))
        }
        return result
      },
    }
  },
}

function isInteger(value: Value): boolean {
  return value.type === bsonType.int32 || value.type === bsonType.int64
}

function integerAt(value: Value): bigint {
  return value.type === bsonType.int64
    ? bigintOf(value)
    : BigInt(readInt32(value.bytes, value.start))
}

export const fieldModifiers: readonly Modifier[] = [
  set,
  setOnInsert,
  unset,
  arithmetic('$inc', 'increment', addIntegers, (operand) => operand),
  arithmetic('$mul', 'multiply', multiplyIntegers, zeroOfType),
  bound('$min', -1),
  bound('$max', 1),
  currentDate,
  rename,
  bit,
]
