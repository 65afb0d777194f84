// Reads long operands of $in, $nin and $all in steps, before their filter is compiled. What a list
// of keys cannot stand for (regular expressions, long texts) is compiled as a short operand.

import { work } from '../../base/work/work-budget.js'
import { elementUnits } from '../../base/work/work-figures.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { typeClass } from '../../value/compare.js'
import { Elements } from '../../value/elements.js'
import { KeyCollector, type Steps } from '../../value/key-list.js'
import {
  bsonType,
  type Document,
  nullValue,
  undefinedValue,
  type Value,
} from '../../value/value.js'
import { keepList, type ListFault, type LongList, longListBytes } from './long-lists.js'
import { isOperatorObject } from './operator-object.js'

/** Elements between two pauses; behind a longer value there is one in any case. */
const elementsAtOnce = 128
const shortBytesMax = 1_024
/** A list with a longer value has few values. */
const valueBytesMax = 64 * 1024

/** Nesting below which no list is looked for: one that deep is short, or is refused. */
const depthMax = 100

/** Reads the long lists of a document, and keeps them for its filters. */
export function* readLists(document: Document, start = 0, depth = 0): Steps<void> {
  const elements = new Elements(document, start)
  for (let i = 1; elements.next(); i++) {
    if (i % elementsAtOnce === 0) yield work.note(elementsAtOnce * elementUnits)
    const { type } = elements
    if (type !== bsonType.array && type !== bsonType.object) continue
    if (elements.valueEnd - elements.valueStart < longListBytes) continue
    const value = elements.value()
    const list = isListOperator(elements) ? yield* readList(value) : undefined
    if (list !== undefined) keepList(value, list)
    else if (depth < depthMax) yield* readLists(document, value.start, depth + 1)
  }
}

const listOperators = ['$in', '$nin', '$all']

function isListOperator(elements: Elements): boolean {
  if (elements.type !== bsonType.array || elements.nameEnd - elements.nameStart > 4) return false
  return listOperators.includes(elements.name())
}

/** Undefined for a list that is not worth it, or that no list of keys stands for. */
function* readList(operand: Value): Steps<LongList | ListFault | undefined> {
  const reading = new ListReading(operand)
  const elements = new Elements(operand.bytes, operand.start)
  for (let i = 1; elements.next(); i++) {
    const value = elements.value()
    const outcome = reading.add(value, elements.start)
    if (outcome !== 'added') return outcome === 'unserved' ? undefined : outcome
    if (i % elementsAtOnce === 0 || value.end - value.start > shortBytesMax) yield
  }
  return yield* reading.list()
}

class ListReading {
  private readonly members = new KeyCollector()
  /** The keys of null and of arrays, which an index finds otherwise. */
  private others: { readonly value: Value; readonly place: number }[] = []
  private hasNull = false
  private hasArray = false
  private hasObject = false
  private collatable = false
  private readonly kinds = new Set<number>()
  private last = nullValue

  constructor(private readonly operand: Value) {}

  add(value: Value, place: number): 'added' | 'unserved' | ListFault {
    const { type } = value
    if (type === bsonType.undefined) return 'undefined'
    if (type === bsonType.regex || value.end - value.start > valueBytesMax) return 'unserved'
    this.last = value
    if (value.isNullish) {
      if (!this.hasNull) this.others.push({ value, place }, { value: undefinedValue, place: 0 })
      this.hasNull = true
      return 'added'
    }
    if (type === bsonType.object) {
      if (isOperatorObject(value)) return 'operator'
      this.hasObject = true
    }
    if (type === bsonType.array) {
      // An index has an array by its first element, too.
      const first = new Elements(value.bytes, value.start)
      const found = first.next()
      this.others.push({
        value: found ? first.value() : undefinedValue,
        place: found ? first.start : 0,
      })
      this.hasArray = true
    }
    this.collatable ||= isCollatable(value)
    this.kinds.add(typeClass(type))
    this.members.add(value, place)
    return 'added'
  }

  *list(): Steps<LongList> {
    const members = yield* this.members.list()
    let bounds = members
    if (this.others.length > 0) {
      for (let i = 0; i < this.others.length; i++) {
        if (i % elementsAtOnce === 0) yield
        const { value, place } = this.others[i] as (typeof this.others)[number]
        this.members.add(value, place)
      }
      this.others = []
      bounds = yield* this.members.list()
    }
    const { operand, hasNull, hasArray, hasObject, collatable, kinds, last } = this
    return {
      operand,
      members,
      bounds,
      hasNull,
      hasArray,
      hasObject,
      isCollatable: collatable,
      kinds,
      last,
    }
  }
}
