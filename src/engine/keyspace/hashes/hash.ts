// A hash: fields with values. A small hash is `value: {field: value, …}` in its document, or an
// array of `{field, value}` if a field cannot be a document name. A large hash has its fields in
// numbered member records. A command opens it once, changes it any number of times, and saves it
// once.

import { Slice } from '../../../base/bytes/slice.js'
import type { Program } from '../../../store/store.js'
import { Elements, elementsOf, field as fieldOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { buildMembers } from '../containers/building.js'
import { containerType } from '../containers/container.js'
import { DenseContainer } from '../containers/dense-container.js'
import { DenseMembers, denseBuilding, valueOfMember } from '../containers/dense-members.js'
import type { Head } from '../containers/head.js'
import { eachInTurns, flatMapInTurns } from '../containers/in-turns.js'
import { type Member, type MembersPage, wholePage } from '../containers/members.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'

export interface HashField {
  readonly field: Slice
  readonly value: Slice
}

/** Reads one field without opening the hash, for HGET. */
export function* readField(ks: Keyspace, name: Slice, field: Slice): Program<Slice | undefined> {
  const open = findOpenHash(ks, name)
  if (open !== undefined) return yield* open.get(field)
  const key = yield* ks.key(name)
  if (!key.requireType('hash')) return undefined
  const { head } = key
  if (head === undefined) return findInline(key.value, field)
  const found = yield* new DenseMembers(ks.members(head.id)).get(field)
  return found === undefined ? undefined : valueOfMember(found)
}

export class Hash extends DenseContainer {
  readonly type = 'hash'
  /** For a small hash: fields in insertion order, keyed by their bytes. */
  private fields: Map<string, HashField>

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    const isSmall = !this.isLarge && key.exists
    this.fields = isSmall ? byName(readFields(key.value)) : new Map()
    if (isSmall) this.count = this.fields.size
  }

  *get(field: Slice): Program<Slice | undefined> {
    const { members } = this
    if (members === undefined) return this.fields.get(nameOf(field))?.value
    const found = yield* members.get(field)
    return found === undefined ? undefined : valueOfMember(found)
  }

  /** Returns whether the field is new. */
  *set(field: Slice, value: Slice): Program<boolean> {
    this.isChanged = true
    const { members, fields, count } = this
    if (members === undefined) {
      this.count = fields.set(nameOf(field), { field, value }).size
      return this.count > count
    }
    const before = yield* members.get(field)
    if (before !== undefined) members.replace(before, value)
    else members.add(field, value, this.count++)
    return before === undefined
  }

  /**
   * Like set and save, for an open hash, if nothing must be awaited; otherwise returns undefined
   * without a change.
   */
  setNow(field: Slice, value: Slice): boolean | undefined {
    const { members, count } = this
    const isNew = members?.setNow(field, value, count)
    if (isNew === undefined) return undefined
    if (isNew) this.count++
    this.ks.noteOpenChanged(this)
    return isNew
  }

  /** Returns whether the field existed. */
  *remove(field: Slice): Program<boolean> {
    const { members } = this
    if (members === undefined) {
      if (!this.fields.delete(nameOf(field))) return false
    } else {
      const before = yield* members.get(field)
      if (before === undefined) return false
      yield* members.remove(before, this.count)
    }
    this.count--
    this.isChanged = true
    return true
  }

  /**
   * At most `limit` fields after `after` (undefined: from the start), and few if they are large;
   * the last one's name is the next `after`. A small hash returns all fields at once.
   */
  *page(after: Slice | undefined, limit: number): Program<MembersPage<HashField>> {
    const { members } = this
    if (members === undefined) return wholePage(this.fields.values(), after)
    const page = yield* members.page(after, limit)
    return { ...page, members: page.members.map(fieldOfMember) }
  }

  /** All fields; limited in a write program. */
  *all(): Program<HashField[]> {
    const { members } = this
    return members === undefined
      ? [...this.fields.values()]
      : yield* this.each(members, fieldOfMember)
  }

  /** The fields with those numbers, 0 to size - 1: for random choices. */
  *at(numbers: readonly number[]): Program<HashField[]> {
    const { members } = this
    if (members === undefined) {
      const fields = [...this.fields.values()]
      return numbers.map((number) => fields[number] as HashField)
    }
    const found: HashField[] = []
    const ahead = members.numbersAhead(numbers)
    for (const [i, number] of numbers.entries()) {
      if (ahead !== undefined) yield* ahead.before(i)
      const member = yield* members.at(number)
      if (member !== undefined) found.push(fieldOfMember(member))
    }
    return found
  }

  *rewrite(): Program<void> {
    const fields = new Map<string, HashField>()
    const all = yield* this.all()
    yield* eachInTurns(this.ks.tx, all, (each) => fields.set(nameOf(each.field), each))
    this.fields = fields
    this.leaveRecords()
  }

  protected writeValue(writer: DocumentWriter, bytesMax: number): boolean {
    return writeFields(writer, [...this.fields.values()], bytesMax)
  }

  protected *enlarge(): Program<Head> {
    const { ks, count } = this
    const fields = [...this.fields.values()]
    const content = yield* flatMapInTurns(ks.tx, fields, ({ field, value }) => [field, value])
    const id = yield* buildMembers(ks, denseBuilding('hash', content))
    return this.enterRecords({ id, count, first: 0 })
  }
}

export const { open: openHash, findOpen: findOpenHash } = containerType('hash', Hash)

function fieldOfMember(member: Member): HashField {
  return { field: member.member, value: valueOfMember(member) }
}

function nameOf(field: Slice): string {
  return field.mapKey()
}

function byName(fields: readonly HashField[]): Map<string, HashField> {
  const found = new Map<string, HashField>()
  for (const each of fields) found.set(nameOf(each.field), each)
  return found
}

function readFields(value: Value): HashField[] {
  if (value.type === bsonType.array) {
    return elementsOf(value).map((entry) => ({
      field: scalarIn(entry, 'field'),
      value: scalarIn(entry, 'value'),
    }))
  }
  const fields: HashField[] = []
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    const field = new Slice(value.bytes, elements.nameStart, elements.nameEnd)
    fields.push({ field, value: scalarOf(elements.value()) as Slice })
  }
  return fields
}

/** Finds one field of a small hash in place. */
function findInline(value: Value, field: Slice): Slice | undefined {
  if (value.type === bsonType.array) {
    return readFields(value).find((each) => each.field.equals(field))?.value
  }
  const { bytes } = value
  const elements = new Elements(bytes, value.start)
  while (elements.next()) {
    if (elements.nameEnd - elements.nameStart !== field.length) continue
    if (new Slice(bytes, elements.nameStart, elements.nameEnd).equals(field)) {
      return scalarOf(elements.value())
    }
  }
  return undefined
}

function scalarIn(entry: Value, name: string): Slice {
  const found = fieldOf(entry.payload(), name)
  return (found === undefined ? undefined : scalarOf(found)) as Slice
}

/** Writes the field `value` of a small hash; false if a field or value alone is too long. */
function writeFields(
  writer: DocumentWriter,
  fields: readonly HashField[],
  bytesMax: number,
): boolean {
  if (fields.some(({ field, value }) => field.length > bytesMax || value.length > bytesMax)) {
    return false
  }
  if (fields.every(({ field }) => isName(field))) {
    writer.openDocument('value')
    for (const { field, value } of fields) writer.value(field.text(), scalarValue(value))
    writer.close()
    return true
  }
  writer.openArray('value')
  for (const { field, value } of fields) {
    writer.pushOpenDocument().value('field', scalarValue(field))
    writer.value('value', scalarValue(value)).close()
  }
  writer.close()
  return true
}

const dollar = 0x24

/** Whether drivers and queries can handle it as a field name of a document. */
function isName(field: Slice): boolean {
  const { bytes, start, end } = field
  if (start === end || bytes[start] === dollar) return false
  for (let at = start; at < end; at++) if (bytes[at] === 0) return false
  return field.isText()
}
