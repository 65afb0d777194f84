// Why an operator under a field failed, or matched under a negation: one row per operator, with
// MongoDB's texts. Source: doc_validation_error.cpp of the MongoDB server.

import { consideredValuesMax } from '../../base/limits/documents.js'
import { Elements } from '../../value/elements.js'
import { parsePath, walkPath } from '../../value/path.js'
import { bsonType, type Document, Value } from '../../value/value.js'
import { type DocumentWriter, writeArray } from '../../value/writer.js'
import { isTruthy, typeName } from '../expressions/operator.js'
import { type Report, writeNames, writeTypes } from './report.js'

/** The reason of a failure, and the reason of a success under a negation. */
type Reasons = readonly [failed: string, succeeded: string]

interface LeafRow {
  readonly reasons: Reasons
  /** Whether it is the negation of the operator whose reasons it uses. */
  readonly negates?: (operand: Value) => boolean
  /** An array counts as one value instead of its elements. */
  readonly takesArrays?: true
  /** Types that it applies to; another type is a failure of its own. */
  readonly types?: readonly number[]
  /** Whether the types of the tested values are reported too. */
  readonly tellsTypes?: true
  /** Whether no value is quoted. */
  readonly isPresence?: true
}

const comparison: Reasons = ['comparison failed', 'comparison succeeded']
const membership: Reasons = ['no matching value found in array', 'matching value found in array']
const bits: Reasons = ['bitwise operator failed to match', 'bitwise operator matched successfully']
const numbers = [bsonType.int64, bsonType.double, bsonType.decimal128, bsonType.int32]
const always = () => true
const nothing = new Uint8Array(0)

export const leafRows: ReadonlyMap<string, LeafRow> = new Map<string, LeafRow>([
  ['$eq', { reasons: comparison }],
  ['$gt', { reasons: comparison }],
  ['$gte', { reasons: comparison }],
  ['$lt', { reasons: comparison }],
  ['$lte', { reasons: comparison }],
  ['$ne', { reasons: comparison, negates: always }],
  ['$in', { reasons: membership }],
  ['$nin', { reasons: membership, negates: always }],
  [
    '$exists',
    {
      reasons: ['path does not exist', 'path does exist'],
      negates: (operand) => !isTruthy(operand),
      isPresence: true,
    },
  ],
  ['$type', { reasons: ['type did not match', 'type did match'], tellsTypes: true }],
  [
    '$mod',
    {
      reasons: [
        '$mod did not evaluate to expected remainder',
        '$mod did evaluate to expected remainder',
      ],
      types: numbers,
    },
  ],
  [
    '$regex',
    {
      reasons: ['regular expression did not match', 'regular expression did match'],
      types: [bsonType.string, bsonType.symbol, bsonType.regex],
    },
  ],
  [
    '$size',
    {
      reasons: ['array length was not equal to given size', 'array length was equal to given size'],
      types: [bsonType.array],
      takesArrays: true,
    },
  ],
  [
    '$elemMatch',
    {
      reasons: [
        'array did not satisfy the child predicate',
        'array did satisfy the child predicate',
      ],
      types: [bsonType.array],
      takesArrays: true,
    },
  ],
  [
    '$all',
    {
      reasons: [
        'array did not contain all specified values',
        'array did contain all specified values',
      ],
      takesArrays: true,
    },
  ],
  ...['$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear'].map(
    (name): [string, LeafRow] => [name, { reasons: bits, types: [...numbers, bsonType.binary] }],
  ),
])

/** The values that an operator tested; undefined for a missing path. */
interface Considered {
  readonly values: readonly Value[]
  readonly isCut: boolean
}

/** Writes the reason and the values of a leaf. `isInverted`: it should not have matched. */
export function writeLeaf(
  out: DocumentWriter,
  row: LeafRow,
  document: Document,
  path: string,
  isInverted: boolean,
  report: Report,
): void {
  const reason = row.reasons[isInverted ? 1 : 0]
  if (row.isPresence === true) {
    out.string('reason', reason)
    return
  }
  const considered = consider(document, path, row.takesArrays === true)
  if (considered === undefined) {
    out.string('reason', 'field was missing')
    return
  }
  const { values } = considered
  const { types } = row
  if (types === undefined || values.some(({ type }) => types.includes(type))) {
    out.string('reason', reason)
  } else {
    out.string('reason', 'type did not match')
    writeTypes(out, values)
    writeNames(out, 'expectedType', typeNames(types))
  }
  writeValues(out, considered, report)
  if (row.tellsTypes === true) writeTypes(out, values)
}

function typeNames(types: readonly number[]): string[] {
  return types.map((type) => typeName(new Value(type, nothing, 0, 0))).sort()
}

function writeValues(out: DocumentWriter, { values, isCut }: Considered, report: Report): void {
  const [first] = values
  if (first !== undefined && values.length === 1) report.value(out, 'consideredValue', first)
  else report.value(out, 'consideredValues', writeArray(values))
  if (isCut && !report.isShort) out.bool('consideredValuesTruncated', true)
}

/** The values at a path, up to the first missing one; arrays as a whole, or their elements. */
function consider(document: Document, path: string, takesArrays: boolean): Considered | undefined {
  const values: Value[] = []
  let isThere = false
  let isFirst = true
  walkPath(document, parsePath(path), (leaf) => {
    if (isFirst) isThere = leaf !== undefined
    isFirst = false
    if (leaf === undefined) return true
    if (takesArrays || leaf.type !== bsonType.array) values.push(leaf)
    else {
      const elements = new Elements(leaf.bytes, leaf.start)
      while (values.length <= consideredValuesMax && elements.next()) values.push(elements.value())
    }
    return values.length > consideredValuesMax
  })
  if (values.length === 0 && !isThere) return undefined
  const isCut = values.length > consideredValuesMax
  return { values: isCut ? values.slice(0, consideredValuesMax) : values, isCut }
}
