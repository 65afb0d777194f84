// Decides whether every document that a query matches also matches a partial index's filter: only
// then may the index serve the query. Undecided cases are "no", which may cost a better plan but
// never a document. Both filters must see the same leaves of a path (value/path.ts): a leaf that
// meets the query's condition is then checked against the other.

import type { ComparisonNode, InNode, LeafNode } from '../../query/filter/node.js'
import { type FilterNode, filterToDocument } from '../../query/filter.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { sameCollation } from '../../value/collation/collation.js'
import { compareValues, equalValues } from '../../value/compare.js'
import {
  bsonType,
  doubleValue,
  int32Value,
  nullValue,
  stringValue,
  undefinedValue,
  Value,
} from '../../value/value.js'
import { bracketOf, isNotANumber } from './intervals.js'

/** Comparisons to match a partial index: about 10 ms. Above it the index is not used. */
export const implicationStepsMax = 50_000

/** Whether the conjunction of the conditions implies `wanted`. */
export function implies(conjuncts: readonly FilterNode[], wanted: FilterNode): boolean {
  return allImply(conjuncts, wanted, { left: implicationStepsMax })
}

/** Several $or multiply the cases; above this limit the answer is "no". */
interface Work {
  left: number
}

function allImply(conjuncts: readonly FilterNode[], wanted: FilterNode, work: Work): boolean {
  switch (wanted.op) {
    case 'always':
      return true
    case 'and':
      return wanted.children.every((child) => allImply(conjuncts, child, work))
    case 'or':
      if (wanted.children.some((child) => allImply(conjuncts, child, work))) return true
      break
    default:
  }
  return conjuncts.some((node) => --work.left >= 0 && nodeImplies(conjuncts, node, wanted, work))
}

function nodeImplies(
  conjuncts: readonly FilterNode[],
  node: FilterNode,
  wanted: FilterNode,
  work: Work,
): boolean {
  switch (node.op) {
    case 'never':
      return true
    case 'and':
      return allImply(node.children, wanted, work)
    case 'or': {
      work.left -= conjuncts.length
      const others = conjuncts.filter((other) => other !== node)
      return node.children.every((child) => {
        work.left -= others.length
        return work.left >= 0 && allImply([...conjunctsOf(child), ...others], wanted, work)
      })
    }
    case 'not':
      return excludesMissing(node.child, wanted)
    default:
      return 'path' in node && 'path' in wanted && leafImplies(node, wanted)
  }
}

function conjunctsOf(node: FilterNode): readonly FilterNode[] {
  return node.op === 'and' ? node.children : [node]
}

/** `{a: {$ne: null}}` implies that `a` exists; not for `a.b`, which `{a: []}` lacks. */
function excludesMissing(node: FilterNode, wanted: FilterNode): boolean {
  if (wanted.op !== 'exists' || !wanted.exists || !('path' in node)) return false
  if (node.path.text !== wanted.path.text || node.path.parts.length > 1) return false
  return (node.op === 'eq' || node.op === 'in') && node.test(undefined)
}

function leafImplies(node: LeafNode, wanted: LeafNode): boolean {
  if (node.path.text !== wanted.path.text) return false
  if (comparesOtherwise(node, wanted)) return false
  if (isSame(node, wanted)) return true
  if (wanted.op === 'exists') return wanted.exists && requiresPresence(node)
  if (node.reach !== 'each' || wanted.reach !== 'each') return false
  switch (node.op) {
    case 'eq':
      return valueImplies(node.value, wanted)
    case 'in':
      return membersImply(node, wanted)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return rangeImplies(node, wanted)
    default:
      return false
  }
}

/** Whether both compare strings with different collations. */
function comparesOtherwise(node: LeafNode, wanted: LeafNode): boolean {
  if (!('collation' in node) || !('collation' in wanted)) return false
  if (sameCollation(node.collation, wanted.collation)) return false
  return isCollatable(node.value) && isCollatable(wanted.value)
}

function isSame(node: LeafNode, wanted: LeafNode): boolean {
  if (node.op !== wanted.op || node.reach !== wanted.reach) return false
  return Buffer.compare(filterToDocument(node), filterToDocument(wanted)) === 0
}

/** Whether a document without the field cannot meet the condition. */
function requiresPresence(node: LeafNode): boolean {
  return node.op === 'exists' ? node.exists : !node.test(undefined)
}

function membersImply({ values, regexes, list }: InNode, wanted: LeafNode): boolean {
  // Its values are not looked at one by one.
  if (list !== undefined) return false
  return regexes.length === 0 && values.every((value) => valueImplies(value, wanted))
}

/** Whether everything equal to `value` meets `wanted`, including equal values of other types. */
function valueImplies(value: Value, wanted: LeafNode): boolean {
  if (value.isNullish) {
    return [undefined, nullValue, undefinedValue].every((one) => wanted.test(one))
  }
  if (wanted.op !== 'type') return wanted.test(value)
  return sampleTypes(value).every((sample) => wanted.test(sample))
}

const decimalZero = new Value(bsonType.decimal128, new Uint8Array(16), 0, 16)
const int64Zero = new Value(bsonType.int64, new Uint8Array(8), 0, 8)
const text = stringValue('')
const symbol = new Value(bsonType.symbol, text.bytes, text.start, text.end)

/** A sample value of each type that can equal a value. */
function sampleTypes(value: Value): readonly Value[] {
  if (value.isNumber) return [int32Value(0), int64Zero, doubleValue(0), decimalZero]
  return value.type === bsonType.string || value.type === bsonType.symbol ? [text, symbol] : [value]
}

/** Whether everything beyond this bound meets `wanted`. */
function rangeImplies(node: ComparisonNode, wanted: LeafNode): boolean {
  const { value } = node
  const bracket = bracketOf(value.type)
  if (bracket === undefined || isNotANumber(value)) return false
  switch (wanted.op) {
    case 'type':
      return sampleTypes(value).every((sample) => wanted.test(sample))
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      const isUpper = node.op === 'lt' || node.op === 'lte'
      const other = wanted.value
      if (isUpper !== (wanted.op === 'lt' || wanted.op === 'lte')) return false
      if (bracketOf(other.type) !== bracket || isNotANumber(other)) return false
      const { collation } = wanted
      if (equalValues(value, other, collation))
        return wanted.op.length === 3 || node.op.length === 2
      return compareValues(value, other, collation) < 0 === isUpper
    }
    default:
      return false
  }
}
