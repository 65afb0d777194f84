// PostgreSQL's type names of results: from the expression if possible, else from the values of the
// first batch. A column with mixed values is a text, or JSON if one is nested.
// (docs/sql.md, "Cursors")

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { pgColumnsMax } from '../../../base/limits/sql.js'
import type { Expression, PathPart } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Document, type Value, writeInt32 } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { resultType } from '../catalog/catalog-tables.js'
import { boolOperators } from '../catalog/fixed-types.js'
import type { Scope } from '../expression/scope.js'
import { functionFacts } from '../typing/function-facts.js'

export interface Column {
  readonly name: string
  readonly type: string
}

const typeNames = new Map<number, string>([
  [bsonType.double, 'float8'],
  [bsonType.string, 'text'],
  [bsonType.symbol, 'text'],
  [bsonType.object, 'jsonb'],
  [bsonType.array, 'jsonb'],
  [bsonType.binary, 'bytea'],
  [bsonType.objectId, 'text'],
  [bsonType.bool, 'bool'],
  [bsonType.date, 'timestamptz'],
  [bsonType.int32, 'int4'],
  [bsonType.int64, 'int8'],
  [bsonType.decimal128, 'numeric'],
])

/** Undefined for null. */
function typeOfValue({ type, isNullish }: Value): string | undefined {
  return isNullish ? undefined : (typeNames.get(type) ?? 'text')
}

/** The type of all rows, whatever their values; undefined if the values must decide. */
export function staticType(
  expression: Expression,
  known: Partial<Pick<Scope, 'parameters' | 'tables' | 'known'>> = {},
): string | undefined {
  switch (expression.kind) {
    case 'literal':
      return typeOfValue(expression.value) ?? 'text'
    case 'parameter': {
      const value = known.parameters?.[expression.index]
      return value === undefined ? 'text' : (typeOfValue(value) ?? 'text')
    }
    case 'column':
      return typeOfColumn(expression.path, known)
    case 'not':
    case 'and':
    case 'or':
    case 'is':
    case 'distinct':
    case 'between':
    case 'in':
    case 'like':
    case 'quantified':
      return 'bool'
    case 'binary':
      return expression.type === undefined || expression.type === 'int2'
        ? typeOfOperator(expression.operator)
        : expression.type
    case 'cast': {
      const { name, isArray } = expression.type
      return isArray ? arrayOf(typeOfCast(name)) : typeOfCast(name)
    }
    case 'call':
      return typeOfCall(expression, known)
    case 'array':
      return arrayOf(typeOfAll(expression.elements, known))
    case 'case': {
      const results = expression.branches.map(({ result }) => result)
      const { otherwise } = expression
      return typeOfAll(otherwise === undefined ? results : [...results, otherwise], known)
    }
    default:
      return undefined
  }
}

/** As in CREATE TABLE and the catalog; for a whole row that of its table, if it has columns. */
function typeOfColumn(
  [table, name, ...below]: readonly PathPart[],
  { tables, known }: Partial<Pick<Scope, 'tables' | 'known'>>,
): string | undefined {
  const of = known?.[tables?.indexOf(String(table)) ?? -1]
  if (of === undefined || below.length > 0) return undefined
  if (name === undefined) return of.isDeclared ? 'record' : 'jsonb'
  const type = of.columns.get(String(name))
  return type === undefined ? undefined : resultType(type, of.isDeclared)
}

/** Array elements that are documents or of unknown type are shown as JSON. */
function arrayOf(element: string | undefined): string {
  if (element === undefined || element === 'jsonb' || element === 'record') return 'jsonb'
  return element.endsWith('[]') ? element : `${element}[]`
}

/** The common type of operands; NULL fits every type. */
function typeOfAll(
  operands: readonly Expression[],
  known: Partial<Pick<Scope, 'parameters' | 'tables' | 'known'>>,
): string | undefined {
  const types = new Set<string | undefined>()
  for (const operand of operands) {
    const isNull = operand.kind === 'literal' && operand.value.isNullish
    if (!isNull) types.add(staticType(operand, known))
  }
  const [first] = types
  if (types.size <= 1) return first
  if ([...types].every((type) => wholeTypes.has(type ?? ''))) return 'int8'
  return undefined
}

function typeOfOperator(operator: string): string | undefined {
  if (boolOperators.has(operator)) return 'bool'
  return operator === '->>' || operator === '#>>' ? 'text' : undefined
}

/** The shown types of casts whose own type does not exist here. */
const otherCasts = new Map([
  ['int2', 'int4'],
  ['float4', 'float8'],
  ['varchar', 'text'],
  ['bpchar', 'text'],
  ['name', 'text'],
  ['json', 'jsonb'],
  ['timestamp', 'timestamptz'],
  ['date', 'timestamptz'],
])

function typeOfCast(name: string): string | undefined {
  const type = otherCasts.get(name) ?? name
  return [...typeNames.values()].includes(type) ? type : undefined
}

type Call = Extract<Expression, { kind: 'call' }>

function typeOfCall(
  { name, args }: Call,
  known: Partial<Pick<Scope, 'parameters' | 'tables' | 'known'>>,
): string | undefined {
  const { shows, returns } = functionFacts(name)
  if (shows === 'arguments') return typeOfAll(args, known)
  if (shows === 'array') return arrayOf(typeOfAll(args, known))
  if (shows !== undefined) return shows
  return typeof returns === 'string' ? (typeOfCast(returns) ?? returns) : undefined
}

/** A column whose values are inspected. */
interface Seen {
  readonly name: string
  readonly bytes: Bytes
  readonly types: Set<number>
}

/** One more than PostgreSQL's clients can count: they get its error. */
const columnsNamedMax = pgColumnsMax + 1

class SeenColumns {
  readonly list: Seen[] = []
  private readonly byName = new Map<string, Seen>()

  /** Undefined beyond the columns that a reply names. */
  add(name: string): Seen | undefined {
    const known = this.byName.get(name)
    if (known !== undefined) return known
    if (this.list.length >= columnsNamedMax) return undefined
    const seen = { name, bytes: utf8(name), types: new Set<number>() }
    this.byName.set(name, seen)
    this.list.push(seen)
    return seen
  }

  /** Documents of one shape, the usual case, need no look-up of names. */
  look(elements: Elements, at: number): void {
    const expected = this.list[at]
    const isExpected = expected !== undefined && elements.nameIs(expected.bytes)
    const seen = isExpected ? expected : this.add(elements.name())
    seen?.types.add(elements.type)
  }
}

/** Fields that are inspected between two looks at the turn, and work units of one. */
const fieldsAtOnce = 1_000
const fieldUnits = 1

/** Calls `look` for each field with its place in its document; yields every so many fields. */
function* eachField(
  documents: readonly Document[],
  look: (elements: Elements, at: number) => void,
): Generator<void, void, void> {
  let fields = 0
  for (const document of documents) {
    const elements = new Elements(document)
    for (let at = 0; elements.next(); at++) {
      look(elements, at)
      if (++fields % fieldsAtOnce === 0) yield
    }
  }
}

type Inspection = Generator<void, Column[], void>

/** At once, for few documents. As columnsInTurns. */
export function columnsOf(
  fixed: readonly Partial<Column>[] | undefined,
  named: readonly Partial<Column>[],
  documents: readonly Document[],
): Column[] {
  const inspection = inspected(fixed, named, documents)
  for (;;) {
    const { done, value } = inspection.next()
    if (done === true) return value
  }
}

/**
 * With `fixed`, these are all columns, in the order of each document. Without it, documents may
 * have more columns than `named`; at most columnsNamedMax are returned.
 */
export function* columnsInTurns(
  tx: Pick<ReadTx, 'pause'>,
  fixed: readonly Partial<Column>[] | undefined,
  named: readonly Partial<Column>[],
  documents: readonly Document[],
): Program<Column[]> {
  const inspection = inspected(fixed, named, documents)
  for (;;) {
    const { done, value } = inspection.next()
    if (done === true) return value
    yield* tx.pause(fieldsAtOnce * fieldUnits)
  }
}

function* inspected(
  fixed: readonly Partial<Column>[] | undefined,
  named: readonly Partial<Column>[],
  documents: readonly Document[],
): Inspection {
  if (fixed !== undefined) return yield* fixedColumns(fixed, documents)
  const seen = new SeenColumns()
  yield* eachField(documents, (elements, at) => seen.look(elements, at))
  for (const { name } of named) seen.add(name ?? '')
  const known = new Map(named.map(({ name, type }) => [name, type]))
  return seen.list.map(({ name, types }) => ({ name, type: known.get(name) ?? commonType(types) }))
}

/** Results are complete and in order, so names need no comparison. */
function* fixedColumns(
  columns: readonly Partial<Column>[],
  documents: readonly Document[],
): Inspection {
  const types = columns.map(() => new Set<number>())
  const isKnown = columns.every(({ type }) => type !== undefined)
  yield* eachField(isKnown ? [] : documents, ({ type }, at) => types[at]?.add(type))
  return columns.map(({ name = '', type }, at) => {
    return { name, type: type ?? commonType(types[at] ?? new Set()) }
  })
}

const wholeTypes = new Set(['int4', 'int8'])
const numberTypes = new Set(['int4', 'int8', 'float8', 'numeric'])

function commonType(types: ReadonlySet<number>): string {
  const names = new Set<string>()
  for (const type of types) {
    if (type === bsonType.null || type === bsonType.undefined) continue
    names.add(typeNames.get(type) ?? 'text')
  }
  const [first = 'text'] = names
  if (names.size <= 1) return first
  if (names.has('jsonb')) return 'jsonb'
  if ([...names].every((name) => wholeTypes.has(name))) return 'int8'
  if (![...names].every((name) => numberTypes.has(name))) return 'text'
  return names.has('numeric') ? 'numeric' : 'float8'
}

/** `{columns: [{name, type}, …]}`. */
export function columnsField(columns: readonly Column[]): Document {
  return writeDocument((writer) => {
    writer.openArray('columns')
    for (const { name, type } of columns) {
      writer.pushOpenDocument().string('name', name).string('type', type).close()
    }
    writer.close()
  })
}

/** The reply of a cursor with `columns` appended. */
export function withColumns(reply: Document, columns: readonly Column[]): Document {
  const added = columnsField(columns)
  // Joins two documents: the elements of one after those of the other.
  const whole = new Uint8Array(reply.length + added.length - 5)
  whole.set(reply)
  whole.set(added.subarray(4), reply.length - 1)
  writeInt32(whole, 0, whole.length)
  return whole
}
