// A document during an update. Only the levels on a changed path are parsed; unchanged parts are
// copied to the result as ranges of bytes.

import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import {
  bytesPerUnit,
  elementUnits,
  replacedUnits,
  valueUnits,
} from '../../base/work/work-figures.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, nullValue, Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'

/** One element: bytes of the old document, until it is replaced or opened. */
export class Entry {
  /** The opened level below, if a path goes through it. */
  private branch: Branch | undefined
  private replaced: Value | undefined

  private constructor(
    /** The name; for an old element, the whole element. */
    readonly bytes: Bytes,
    readonly nameStart: number,
    readonly nameEnd: number,
    readonly end: number,
  ) {}

  static old(bytes: Bytes, elements: Elements): Entry {
    return new Entry(bytes, elements.nameStart, elements.nameEnd, elements.valueEnd)
  }

  static made(name: Bytes, value: Value): Entry {
    const entry = new Entry(name, 0, name.length, 0)
    entry.replaced = value
    return entry
  }

  get name(): string {
    return textOf(this.bytes, this.nameStart, this.nameEnd)
  }

  /** Whether its old bytes are still valid. */
  get isOld(): boolean {
    return this.replaced === undefined && this.branch?.isChanged !== true
  }

  get start(): number {
    return this.nameStart - 1
  }

  get value(): Value {
    if (this.branch?.isChanged === true) return this.branch.toValue()
    return this.replaced ?? this.oldValue()
  }

  set value(value: Value) {
    this.replaced = value
    this.branch = undefined
  }

  get type(): number {
    return this.replaced?.type ?? this.bytes[this.nameStart - 1] ?? 0
  }

  isNamed(name: Bytes): boolean {
    const length = this.nameEnd - this.nameStart
    if (length !== name.length) return false
    for (let i = 0; i < length; i++) if (this.bytes[this.nameStart + i] !== name[i]) return false
    return true
  }

  /** Opens an object or array as a level. */
  open(): Branch {
    this.branch ??= Branch.of(this.value)
    return this.branch
  }

  write(writer: DocumentWriter, name: string): void {
    if (this.branch?.isChanged === true) this.branch.writeAs(name, writer)
    else writer.value(name, this.value)
  }

  private oldValue(): Value {
    const type = this.bytes[this.nameStart - 1] ?? 0
    return new Value(type, this.bytes, this.nameEnd + 1, this.end)
  }
}

/** Up to this many fields are searched linearly; for more, only the first searches are linear. */
const scannedMax = 64
const scansMax = 8

/** An opened object or array. */
export class Branch {
  isChanged = false
  /**
   * Fields by name, built after several searches in a large object; the first of repeated names.
   */
  private byName: Map<string, Entry> | undefined
  private finds = 0

  private constructor(
    readonly isArray: boolean,
    readonly entries: Entry[],
  ) {}

  static of(value: Value): Branch {
    const entries: Entry[] = []
    const elements = new Elements(value.bytes, value.start)
    while (elements.next()) {
      work.spend(valueUnits)
      entries.push(Entry.old(value.bytes, elements))
    }
    return new Branch(value.type === bsonType.array, entries)
  }

  static empty(): Branch {
    return new Branch(false, [])
  }

  /** The field called `name`; the first of repeated names. */
  find(name: Bytes): Entry | undefined {
    const { entries } = this
    if (entries.length > scannedMax && ++this.finds > scansMax) return this.findByName(name)
    work.spend(entries.length * elementUnits)
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry
      if (entry.isNamed(name)) return entry
    }
    return undefined
  }

  private findByName(name: Bytes): Entry | undefined {
    this.byName ??= this.named()
    work.spend(valueUnits)
    return this.byName.get(textOf(name, 0, name.length))
  }

  /** With repeated names, the next one of that name becomes the first. */
  private forget(entry: Entry): void {
    const { byName, entries } = this
    if (byName === undefined) return
    work.spend(valueUnits)
    if (byName.size === entries.length) byName.delete(entry.name)
    else this.byName = undefined
  }

  private named(): Map<string, Entry> {
    const { entries } = this
    work.spend(entries.length * valueUnits)
    const byName = new Map<string, Entry>()
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i] as Entry
      byName.set(entry.name, entry)
    }
    return byName
  }

  replace(entry: Entry, value: Value): void {
    entry.value = value
    this.isChanged = true
  }

  /** `bytes` are those of the name. */
  append(name: string, value: Value, bytes = utf8(name)): void {
    const entry = Entry.made(bytes, value)
    this.entries.push(entry)
    const { byName } = this
    if (byName !== undefined && !byName.has(name)) byName.set(name, entry)
    this.isChanged = true
  }

  /** Removes an element; in an array, null replaces it. */
  remove(entry: Entry): void {
    if (this.isArray) entry.value = nullValue
    else {
      this.forget(entry)
      // Found and moved by native code, a pointer each.
      work.spend((this.entries.length * 2) / bytesPerUnit)
      this.entries.splice(this.entries.indexOf(entry), 1)
    }
    this.isChanged = true
  }

  toDocument(): Document {
    return this.written().finish()
  }

  toValue(): Value {
    return this.written().finishValue()
  }

  writeAs(name: string, writer: DocumentWriter): void {
    if (this.isArray) writer.openArray(name)
    else writer.openDocument(name)
    this.fill(writer)
    writer.close()
  }

  private written(): DocumentWriter {
    const writer = new DocumentWriter(this.isArray)
    this.fill(writer)
    return writer
  }

  /** Adjacent unchanged elements are copied together. */
  private fill(writer: DocumentWriter): void {
    const { entries, isArray } = this
    work.spend(entries.length * elementUnits * 2)
    let run: Entry | undefined
    let end = 0
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry
      if (entry.isOld && run !== undefined && run.bytes === entry.bytes && end === entry.start) {
        end = entry.end
        continue
      }
      if (run !== undefined) writer.element(run.bytes, run.start, end)
      run = entry.isOld ? entry : undefined
      end = entry.end
      if (run !== undefined) continue
      work.spend(replacedUnits)
      entry.write(writer, isArray ? String(i) : entry.name)
    }
    if (run !== undefined) writer.element(run.bytes, run.start, end)
  }
}
