// Guards keys against document commands: the built-in validator of key-value databases (121), and
// the updates that follow when a document command writes a key. (docs/key-value.md)

import { Slice } from '../../../base/bytes/slice.js'
import { fail } from '../../../base/errors.js'
import { keyNameBytesMax, respBulkBytesMax } from '../../../base/limits/key-value.js'
import type { Tx } from '../../../store/store.js'
import { sameBytes } from '../../../value/compare.js'
import { Elements } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { discardMembers } from '../../background/garbage.js'
import { wasteOf } from '../../background/waste.js'
import { addBeside } from '../../collection/counters.js'
import type { Namespace } from '../../types.js'
import { claimsHead, type Head, isHead, readHead } from '../containers/head.js'
import { isScalar, scalarOf } from '../strings/scalar.js'
import { announceChange } from './document-events.js'
import { expiryGrowth, moveExpiry } from './expiry.js'
import { type KeyType, keyTypes, never, readKeyDocument } from './key.js'

/**
 * Throws DocumentValidationFailure unless the document is a valid key. `before` is the document it
 * replaces: clients may keep the summary of a large container but not write another one.
 */
export function checkKeyDocument(document: Document, before?: Document): void {
  const fields = new Map<string, Value>()
  const elements = new Elements(document)
  while (elements.next()) {
    const name = elements.name()
    if (!known.has(name)) throw refused(`a key has no field '${name}'`)
    if (fields.has(name)) throw refused(`the field '${name}' stands twice`)
    fields.set(name, elements.value())
  }
  checkName(fields.get('_id'))
  const type = typeOf(fields.get('type'))
  const value = fields.get('value')
  const expiresAt = fields.get('expiresAt')
  if (expiresAt !== undefined && expiresAt.type !== bsonType.date) {
    throw refused("'expiresAt' is a date")
  }
  if (value === undefined) throw refused("a key has a 'value'")
  if (claimsHead(value)) checkHead(type, value, before)
  else checks[type](value)
}

/** Whether a document is expired, and therefore invisible. */
export function isExpired(document: Document, now: number): boolean {
  const { expiresAt } = readKeyDocument(document)
  return expiresAt !== never && expiresAt <= now
}

/**
 * Updates what depends on a changed document under a record key of `ns`; undefined means that there
 * was or is none. `ns` is undefined for an emptied database, which is not counted.
 */
export function keyChanged(
  tx: Tx,
  ns: Namespace | undefined,
  record: Uint8Array,
  before: Document | undefined,
  after: Document | undefined,
  owner?: string,
): number {
  const old = before === undefined ? undefined : readKeyDocument(before)
  const now = after === undefined ? undefined : readKeyDocument(after)
  const [from, to] = [old?.expiresAt ?? never, now?.expiresAt ?? never]
  moveExpiry(tx, record, from, to)
  if (ns !== undefined) {
    addBeside(tx, ns, expiryGrowth(record, from, to))
    announceChange(tx, ns, before, after)
  }
  const head = old === undefined ? undefined : headOf(old.value)
  if (head === undefined) return 0
  if (now !== undefined && headOf(now.value)?.id === head.id) return 0
  const { bytes = 0 } = head
  discardMembers(tx, head.id, ns === undefined ? { owner, bytes } : wasteOf(ns.access, bytes))
  if (ns !== undefined) addBeside(tx, ns, -bytes)
  return bytes
}

const known: ReadonlySet<string> = new Set(['_id', 'type', 'value', 'expiresAt'])

function checkName(id: Value | undefined): void {
  const name = id === undefined ? undefined : nameOf(id)
  if (name === undefined) throw refused("'_id' is a string, or binary that is no UTF-8")
  if (name.length > keyNameBytesMax) throw refused(`'_id' has at most ${keyNameBytesMax} bytes`)
}

/** The name of a key. Each key has one form, so that a lookup by name finds it. */
function nameOf(id: Value): Slice | undefined {
  if (id.type === bsonType.string) {
    const text = scalarOf(id)
    return text?.isText() === true ? text : undefined
  }
  if (id.type !== bsonType.binary || !isScalar(id)) return undefined
  const name = scalarOf(id)
  return name?.isText() === true ? undefined : name
}

function typeOf(value: Value | undefined): KeyType {
  const name = value?.type === bsonType.string ? stringOf(value) : undefined
  const type = keyTypes.find((each) => each === name)
  if (type === undefined) throw refused(`'type' is one of ${keyTypes.join(', ')}`)
  return type
}

function checkHead(type: KeyType, value: Value, before: Document | undefined): void {
  const old = before === undefined ? undefined : readKeyDocument(before)
  if (old !== undefined && old.type === type && sameBytes(old.value, value)) return
  throw refused("the summary of a large container cannot be written; replace 'value' as a whole")
}

const checks: Readonly<Record<KeyType, (value: Value) => void>> = {
  string: (value) => {
    requireScalar(value, 'the value of a string')
    if ((scalarOf(value)?.length ?? 0) > respBulkBytesMax) throw refused('the value is too long')
  },
  list: (value) => {
    for (const element of membersOf(value, 'list')) requireScalar(element, 'an element')
  },
  set: (value) => {
    const seen = new Distinct()
    for (const member of membersOf(value, 'set')) seen.add(requireScalar(member, 'a member'))
  },
  zset: (value) => {
    const seen = new Distinct()
    for (const entry of membersOf(value, 'zset')) {
      const { member, score } = pairOf(entry, ['member', 'score'])
      seen.add(requireScalar(member, 'a member'))
      if (score === undefined || !isScore(score)) throw refused('a score is a number')
    }
  },
  hash: (value) => {
    const seen = new Distinct()
    if (value.type === bsonType.object) {
      const elements = new Elements(value.bytes, value.start)
      let count = 0
      for (; elements.next(); count++) {
        requireScalar(elements.value(), 'the value of a field')
        seen.add(new Slice(value.bytes, elements.nameStart, elements.nameEnd))
      }
      if (count === 0) throw refused('a key without members does not exist')
      return
    }
    for (const entry of membersOf(value, 'hash')) {
      const { field, value: content } = pairOf(entry, ['field', 'value'])
      seen.add(requireScalar(field, 'a field'))
      requireScalar(content, 'the value of a field')
    }
  },
}

/** Checks that set members or hash fields are distinct. */
class Distinct {
  private readonly seen = new Set<string>()

  add(member: Slice): void {
    const key = member.mapKey()
    if (this.seen.has(key)) throw refused('a member stands twice')
    this.seen.add(key)
  }
}

function* membersOf(value: Value, type: KeyType): Generator<Value> {
  if (value.type !== bsonType.array) throw refused(`the value of a ${type} is an array`)
  const elements = new Elements(value.bytes, value.start)
  let count = 0
  for (; elements.next(); count++) yield elements.value()
  if (count === 0) throw refused('a key without members does not exist')
}

function pairOf(entry: Value, names: readonly string[]): Record<string, Value | undefined> {
  const found: Record<string, Value> = {}
  if (entry.type === bsonType.object) {
    const elements = new Elements(entry.bytes, entry.start)
    while (elements.next()) {
      if (!names.includes(elements.name())) throw refused(`a member has ${names.join(' and ')}`)
      found[elements.name()] = elements.value()
    }
  }
  return found
}

function requireScalar(value: Value | undefined, what: string): Slice {
  const scalar = value !== undefined && isScalar(value) ? scalarOf(value) : undefined
  if (scalar === undefined) throw refused(`${what} is a string, a number or binary`)
  return scalar
}

function isScore(value: Value): boolean {
  if (value.type === bsonType.decimal128 || !value.isNumber) return false
  return !Number.isNaN(numberOf(value))
}

function headOf(value: Value): Head | undefined {
  return isHead(value) ? readHead(value) : undefined
}

function refused(reason: string): Error {
  return fail('DocumentValidationFailure', `Document failed validation: ${reason}`)
}
