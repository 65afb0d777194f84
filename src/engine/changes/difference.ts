// The difference of two documents, as an update event of a change stream shows it: fields that were
// set, fields that were removed, arrays that were cut. It is computed from the documents, not from
// the operators, so all protocols describe the same change alike. (MongoDB manual, update events)

import { equalBytes } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import { readBytesPerUnit } from '../../base/work/work-figures.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, int32Value, stringValue, type Value } from '../../value/value.js'
import { type DocumentWriter, writeArray, writeDocument } from '../../value/writer.js'

/** Names of fields and numbers of elements, from the top of the document. */
type Path = readonly (string | number)[]

/** A field of a document, or an element of an array. */
interface Part {
  readonly name: string
  readonly value: Value
}

class Difference {
  readonly set: { readonly path: Path; readonly value: Value }[] = []
  readonly removed: Path[] = []
  readonly cut: { readonly path: Path; readonly size: number }[] = []

  append(other: Difference): void {
    this.set.push(...other.set)
    this.removed.push(...other.removed)
    this.cut.push(...other.cut)
  }
}

/**
 * `{updatedFields, removedFields, truncatedArrays, disambiguatedPaths}`; the last one is missing if
 * every path has one reading.
 */
export function updateDescription(before: Document, after: Document): Document {
  work.spend((before.length + after.length) / readBytesPerUnit)
  const found = new Difference()
  compareObjects(partsOf(before), partsOf(after), [], found)
  return writeDocument((out) => writeDifference(out, found))
}

function writeDifference(out: DocumentWriter, { set, removed, cut }: Difference): void {
  out.openDocument('updatedFields')
  for (const { path, value } of set) out.value(path.join('.'), value)
  out.close()
  out.value('removedFields', writeArray(removed.map((path) => stringValue(path.join('.')))))
  out.openArray('truncatedArrays')
  for (const { path, size } of cut) {
    out.pushDocument(
      writeDocument((each) => {
        each.string('field', path.join('.')).int32('newSize', size)
      }),
    )
  }
  out.close()
  const paths = [...set, ...cut].map(({ path }) => path).concat(removed)
  const unclear = paths.filter((path) => path.some(isUnclear))
  if (unclear.length === 0) return
  out.openDocument('disambiguatedPaths')
  for (const path of unclear) out.value(path.join('.'), writeArray(path.map(partValue)))
  out.close()
}

/** A name that a dotted path shows like several names, or like the number of an element. */
function isUnclear(part: string | number): boolean {
  return typeof part === 'string' && (part.includes('.') || /^\d+$/.test(part))
}

function partValue(part: string | number): Value {
  return typeof part === 'number' ? int32Value(part) : stringValue(part)
}

/**
 * Compares fields in order, as a replay keeps it: set fields stay in place, and new ones go to the
 * end. A field that moved is therefore set anew. Returns how many fields stayed, changed or not.
 */
function compareObjects(
  before: readonly Part[],
  after: readonly Part[],
  at: Path,
  found: Difference,
): number {
  let stayed = 0
  let b = 0
  let a = 0
  const gone = new Set<string>()
  while (b < before.length && a < after.length) {
    const old = before[b] as Part
    const now = after[a] as Part
    b++
    if (old.name !== now.name) {
      gone.add(old.name)
      continue
    }
    a++
    compareValues(old.value, now.value, [...at, now.name], found)
    stayed++
  }
  for (; b < before.length; b++) gone.add((before[b] as Part).name)
  for (; a < after.length; a++) {
    const { name, value } = after[a] as Part
    gone.delete(name)
    found.set.push({ path: [...at, name], value })
  }
  for (const name of gone) found.removed.push([...at, name])
  return stayed
}

function compareArrays(
  before: readonly Part[],
  after: readonly Part[],
  at: Path,
  found: Difference,
): number {
  let stayed = 0
  for (let i = 0; i < after.length; i++) {
    const old = before[i]
    const now = after[i] as Part
    if (old === undefined) found.set.push({ path: [...at, i], value: now.value })
    else stayed += compareValues(old.value, now.value, [...at, i], found)
  }
  if (after.length < before.length) found.cut.push({ path: at, size: after.length })
  return stayed
}

/** Returns 1 if all or a part of the value stayed; otherwise the value is set as a whole. */
function compareValues(before: Value, after: Value, at: Path, found: Difference): 0 | 1 {
  if (before.type === after.type) {
    if (equalBytes(bytesOf(before), bytesOf(after))) return 1
    const compare = comparisons.get(before.type)
    const inner = new Difference()
    const old = partsOf(before.bytes, before.start)
    if (compare !== undefined && compare(old, partsOf(after.bytes, after.start), at, inner) > 0) {
      found.append(inner)
      return 1
    }
  }
  found.set.push({ path: at, value: after })
  return 0
}

const comparisons: ReadonlyMap<number, typeof compareObjects> = new Map([
  [bsonType.object, compareObjects],
  [bsonType.array, compareArrays],
])

function bytesOf({ bytes, start, end }: Value): Uint8Array {
  return bytes.subarray(start, end)
}

function partsOf(bytes: Uint8Array, start = 0): Part[] {
  const parts: Part[] = []
  const elements = new Elements(bytes, start)
  while (elements.next()) parts.push({ name: elements.copiedName(), value: elements.value() })
  return parts
}
