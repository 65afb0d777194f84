// A hash: fields with values. Small, it is `value: {field: value, …}` in its document, or, where a
// field could not be a name in a document, an array of `{field, value}`; large, its fields are
// numbered member records. Opened once a command, changed as often as it likes, saved once.

import { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { Elements, elementsOf, field as fieldOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { buildMembers } from '../containers/building.js'
import { Container, openContainer } from '../containers/container.js'
import { DenseMembers, denseBuilding, valueOfMember } from '../containers/dense-members.js'
import type { Head } from '../containers/head.js'
import { eachInTurns, flatMapInTurns } from '../containers/in-turns.js'
import { firstPage, nextPage } from '../containers/trip-size.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'

export interface HashField {
  readonly field: Slice
  readonly value: Slice
}

/** The hash under a name; an empty one where there is no key. Throws WRONGTYPE. */
export function openHash(ks: Keyspace, name: Slice): Step<Hash> {
  const open = findOpenHash(ks, name)
  return open === undefined ? openContainer(ks, name, 'hash', Hash) : new Done(open)
}

/** The large hash under a name that a command before this one has left open. Throws WRONGTYPE. */
export function findOpenHash(ks: Keyspace, name: Slice): Hash | undefined {
  const open = ks.findOpen(name)
  return open?.key.requireType('hash') === true ? (open as Hash) : undefined
}

/** One field of a small or large hash, without opening it: what HGET does. */
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

export class Hash extends Container {
  readonly type = 'hash'
  private count: number
  /** Of a small one, in the order in which they were set, by the bytes of the field. */
  private fields: Map<string, HashField>
  private head: Head | undefined
  private members: DenseMembers | undefined

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    this.head = key.head
    const { head } = this
    this.fields = head === undefined && key.exists ? byName(readFields(key.value)) : new Map()
    if (head !== undefined) this.members = new DenseMembers(ks.members(head.id))
    this.count = head?.count ?? this.fields.size
  }

  get size(): number {
    return this.count
  }

  get isLarge(): boolean {
    return this.members !== undefined
  }

  *get(field: Slice): Program<Slice | undefined> {
    const { members } = this
    if (members === undefined) return this.fields.get(nameOf(field))?.value
    const found = yield* members.get(field)
    return found === undefined ? undefined : valueOfMember(found)
  }

  /** Whether the field is new. */
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
   * As set and save, of one that is open and where nothing has to be waited for; else
   * undefined, and nothing is done.
   */
  setNow(field: Slice, value: Slice): boolean | undefined {
    const { members, count } = this
    const isNew = members?.setNow(field, value, count)
    if (isNew === undefined) return undefined
    if (isNew) this.count++
    this.ks.noteOpenChanged(this)
    return isNew
  }

  /** Whether it was there. */
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
   * Fields behind `after` (undefined: from the start), at most `limit`; the last one's name is
   * where to go on. A small hash answers all of them at once.
   */
  *scan(after: Slice | undefined, limit: number): Program<HashField[]> {
    const { members } = this
    if (members === undefined) return after === undefined ? [...this.fields.values()] : []
    const found = yield* members.scan(after, limit)
    return found.map((member) => ({ field: member.member, value: valueOfMember(member) }))
  }

  /** All of them; bounded in a write program. */
  *all(): Program<HashField[]> {
    if (this.members === undefined) return [...this.fields.values()]
    const found: HashField[] = []
    let wanted = firstPage
    for (;;) {
      const more = yield* this.members.scan(found.at(-1)?.field, wanted)
      this.ks.work.gatherMembers(more)
      for (const member of more) {
        found.push({ field: member.member, value: valueOfMember(member) })
      }
      if (more.length < wanted) return found
      wanted = nextPage(more, scanEntriesMax)
    }
  }

  /** The fields with those numbers, 0 to size - 1: for random choices. */
  *at(numbers: readonly number[]): Program<HashField[]> {
    const { members } = this
    if (members === undefined) {
      const fields = [...this.fields.values()]
      return numbers.map((number) => fields[number] as HashField)
    }
    const found: HashField[] = []
    for (const number of numbers) {
      const member = yield* members.at(number)
      if (member !== undefined) {
        found.push({ field: member.member, value: valueOfMember(member) })
      }
    }
    return found
  }

  *rewrite(): Program<void> {
    const fields = new Map<string, HashField>()
    const all = yield* this.all()
    yield* eachInTurns(this.ks.tx, all, (each) => fields.set(nameOf(each.field), each))
    this.fields = fields
    this.members = undefined
    this.head = undefined
  }

  get openHead(): Head | undefined {
    const { head, count } = this
    return head === undefined ? undefined : { ...head, count }
  }

  protected writeValue(writer: DocumentWriter): void {
    writeFields(writer, [...this.fields.values()])
  }

  protected *enlarge(): Program<Head> {
    const { ks, count } = this
    const fields = [...this.fields.values()]
    const content = yield* flatMapInTurns(ks.tx, fields, ({ field, value }) => [field, value])
    const id = yield* buildMembers(ks, denseBuilding('hash', content))
    this.head = { id, count, first: 0 }
    this.members = new DenseMembers(ks.members(id))
    return this.head
  }
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

/** One field of a small hash, where it lies. */
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

/** The element `value` of a small hash. */
function writeFields(writer: DocumentWriter, fields: readonly HashField[]): void {
  if (fields.every(({ field }) => isName(field))) {
    writer.openDocument('value')
    for (const { field, value } of fields) writer.value(field.text(), scalarValue(value))
    writer.close()
    return
  }
  writer.openArray('value')
  for (const { field, value } of fields) {
    writer.pushOpenDocument().value('field', scalarValue(field))
    writer.value('value', scalarValue(value)).close()
  }
  writer.close()
}

const dollar = 0x24

/** Whether drivers and queries can do with it as a name in a document. */
function isName(field: Slice): boolean {
  const { bytes, start, end } = field
  if (start === end || bytes[start] === dollar) return false
  for (let at = start; at < end; at++) if (bytes[at] === 0) return false
  return field.isText()
}
