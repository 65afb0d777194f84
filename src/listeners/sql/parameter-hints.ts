// Infers the types of placeholders from their statement: of a cast, or of the value or column that
// they are compared with or written to. Clients send numbers as text and leave the type to the
// server. PostgreSQL uses its catalog; users of these hints do the same.

import { virtualName, virtualTable } from '../../commands/sql/catalog/catalog-tables.js'
import { foldedStatement, parsedStatement } from '../../commands/sql/statement-cache.js'
import { functionFacts } from '../../commands/sql/typing/function-facts.js'
import { arrayTypeOf, elementTypeOf, type PgTypeName } from '../../protocol/pgwire/types.js'
import type {
  Assignment,
  Expression,
  PathPart,
  SelectStatement,
  Statement,
  TableReference,
} from '../../protocol/sql/ast.js'
import { bsonType } from '../../value/value.js'
import { typeNamed } from './rows.js'

export type Hint =
  | { readonly kind: 'type'; readonly type: PgTypeName }
  /** The type of a column; beside ANY that of an array of it, or of its elements. */
  | {
      readonly kind: 'column'
      /** Possible columns: the first existing one decides. */
      readonly places: readonly ColumnPlace[]
      readonly as: 'itself' | 'array' | 'element'
    }

interface ColumnPlace {
  readonly table: string
  /** For an INSERT without a column list, the position from 0. */
  readonly column: string | number
}

const text: Hint = { kind: 'type', type: 'text' }
const whole: Hint = { kind: 'type', type: 'int8' }
const truth: Hint = { kind: 'type', type: 'bool' }
const time: Hint = { kind: 'type', type: 'timestamptz' }
const list: Hint = { kind: 'type', type: 'textArray' }

const ofValues = new Map<number, PgTypeName>([
  [bsonType.string, 'text'],
  [bsonType.int32, 'int4'],
  [bsonType.int64, 'int8'],
  [bsonType.double, 'float8'],
  [bsonType.decimal128, 'numeric'],
  [bsonType.bool, 'bool'],
])

const comparisons = new Set('= <> < <= > >= @> <@ && #> #>>'.split(' '))

type Found = readonly (Hint | undefined)[]

/** For cached syntax trees: drivers prepare the same texts repeatedly. */
const known = new WeakMap<Statement, Found>()

/** By the indexes of the statement's `count` placeholders; undefined if unknown. */
export function parameterHints(text: string, count: number): Found {
  if (count === 0) return []
  const { statement, canFold } = parsedStatement(text)
  const before = known.get(statement)
  if (before !== undefined) return before
  const written = hintsOf(statement, count)
  const found = canFold ? either(hintsOf(foldedStatement(text), count), written) : written
  known.set(statement, found)
  return found
}

function hintsOf(statement: Statement, count: number): Found {
  const hints = new Hints(count)
  hints.statement(statement)
  return hints.found
}

/** What is compared with the result of a function is of its type. */
function hintOfResult(name: string): Hint | undefined {
  const { returns, shows } = functionFacts(name)
  const type = typeof returns === 'function' ? undefined : (returns ?? shows)
  return type === undefined ? undefined : { kind: 'type', type: typeNamed(type) }
}

/** A declared table has lower-case names; fields of documents keep their case. */
function either(folded: Found, written: Found): Found {
  return folded.map((hint, i) => {
    const other = written[i]
    if (hint?.kind !== 'column' || other?.kind !== 'column') return hint ?? other
    return { ...hint, places: [...hint.places, ...other.places] }
  })
}

class Hints {
  readonly found: (Hint | undefined)[]
  private tables: readonly TableReference[] = []

  constructor(count: number) {
    this.found = new Array(count).fill(undefined)
  }

  statement(statement: Statement): void {
    switch (statement.kind) {
      case 'select':
        this.select(statement)
        break
      case 'explain':
      case 'declare':
        this.statement(statement.statement)
        break
      case 'insert':
        this.tables = [statement.table]
        this.insert(statement)
        break
      case 'update':
        this.tables = [statement.table]
        this.assignments(statement.set)
        this.visit(statement.where, truth)
        this.visit(statement.limit, whole)
        break
      case 'delete':
        this.tables = [statement.table]
        this.visit(statement.where, truth)
        this.visit(statement.limit, whole)
        break
      default:
    }
    if ('returning' in statement) {
      for (const { expression } of statement.returning) this.visit(expression)
    }
  }

  private select(select: SelectStatement): void {
    const { from, joins } = select
    this.tables = from === undefined ? [] : [from, ...joins.map(({ table }) => table)]
    for (const { expression } of select.results) this.visit(expression)
    for (const { on } of joins) this.visit(on, truth)
    this.visit(select.where, truth)
    for (const group of select.groupBy) this.visit(group)
    this.visit(select.having, truth)
    for (const { expression } of select.orderBy) this.visit(expression)
    this.visit(select.limit, whole)
    this.visit(select.offset, whole)
  }

  private insert(statement: Statement & { readonly kind: 'insert' }): void {
    const { columns, rows, conflict, table } = statement
    const hintAt = (column: number): Hint | undefined => {
      if (columns !== undefined) return this.columnHint(columns[column]?.path)
      return { kind: 'column', places: [{ table: table.name, column }], as: 'itself' }
    }
    for (const row of rows ?? []) {
      for (const [i, value] of row.entries()) this.visit(value, hintAt(i))
    }
    if (conflict === undefined || conflict.action === 'nothing') return
    this.assignments(conflict.action.set)
    this.visit(conflict.action.where, truth)
  }

  private assignments(set: readonly Assignment[]): void {
    for (const { target, value } of set) this.visit(value, this.columnHint(target.path))
  }

  private visit(expression: Expression | undefined, wanted?: Hint): void {
    if (expression === undefined) return
    switch (expression.kind) {
      case 'parameter':
        this.found[expression.index] ??= wanted
        break
      case 'not':
        this.visit(expression.operand, truth)
        break
      case 'and':
      case 'or':
        for (const operand of expression.operands) this.visit(operand, truth)
        break
      case 'unary':
        this.visit(expression.operand, wanted)
        break
      case 'binary':
        this.binary(expression.operator, expression.left, expression.right, wanted)
        break
      case 'distinct':
        this.alike([expression.left, expression.right])
        break
      case 'is':
        this.visit(expression.operand, expression.test === 'null' ? undefined : truth)
        break
      case 'between':
        this.alike([expression.operand, expression.low, expression.high])
        break
      case 'in':
        this.alike([expression.operand, ...expression.list])
        break
      case 'like':
        for (const part of [expression.operand, expression.pattern]) this.visit(part, text)
        this.visit(expression.escape, text)
        break
      case 'quantified':
        this.visit(expression.left, elementOf(this.hintOf(expression.array)))
        this.visit(expression.array, listOf(this.hintOf(expression.left)))
        break
      default:
        this.visitRest(expression, wanted)
    }
  }

  private visitRest(expression: Expression, wanted: Hint | undefined): void {
    switch (expression.kind) {
      case 'cast':
        this.visit(expression.operand, castHint(expression.type))
        break
      case 'case': {
        const { operand, branches, otherwise } = expression
        this.alike([operand, ...branches.map(({ when }) => when)].filter((e) => e !== undefined))
        const results = branches.map(({ result }) => result)
        this.alike(otherwise === undefined ? results : [...results, otherwise], wanted)
        break
      }
      case 'call':
        this.call(expression.name, expression.args, wanted)
        for (const { expression: by } of expression.orderBy) this.visit(by)
        this.visit(expression.filter, truth)
        break
      case 'array':
        this.alike(expression.elements)
        break
      case 'subscript':
        this.visit(expression.operand)
        this.visit(expression.index)
        break
      case 'field':
        this.visit(expression.operand)
        break
      default:
    }
  }

  private call(name: string, args: readonly Expression[], wanted: Hint | undefined): void {
    const { hints } = functionFacts(name)
    if (hints === 'alike') this.alike(args, wanted)
    else if (hints === 'time') {
      for (const [i, arg] of args.entries()) this.visit(arg, i === 0 ? text : time)
    } else for (const arg of args) this.visit(arg, hints === 'text' ? text : undefined)
  }

  private binary(operator: string, left: Expression, right: Expression, wanted?: Hint): void {
    switch (operator) {
      case '||':
      case '~':
      case '~*':
      case '!~':
      case '!~*':
        this.visit(left, text)
        this.visit(right, text)
        break
      case '->':
      case '->>':
        this.visit(left)
        this.visit(right, text)
        break
      default:
        this.alike([left, right], comparisons.has(operator) ? undefined : wanted)
    }
  }

  /** Operands of one type: a placeholder gets the type of the others. */
  private alike(operands: readonly Expression[], wanted?: Hint): void {
    let hint: Hint | undefined
    for (const operand of operands) hint ??= this.hintOf(operand)
    for (const operand of operands) this.visit(operand, hint ?? wanted)
  }

  private hintOf(expression: Expression): Hint | undefined {
    switch (expression.kind) {
      case 'literal': {
        const type = ofValues.get(expression.value.type)
        return type === undefined ? undefined : { kind: 'type', type }
      }
      case 'column':
        return this.columnHint(expression.path)
      case 'cast':
        return castHint(expression.type)
      case 'unary':
        return this.hintOf(expression.operand)
      case 'binary': {
        if (expression.operator === '||' || expression.operator === '->>') return text
        return this.hintOf(expression.left) ?? this.hintOf(expression.right)
      }
      case 'array': {
        const found = expression.elements.map((element) => this.hintOf(element))
        const hint = found.find((each) => each !== undefined)
        return hint && listOf(hint)
      }
      case 'call':
        return hintOfResult(expression.name)
      default:
        return undefined
    }
  }

  private columnHint(path: readonly PathPart[] | undefined): Hint | undefined {
    const [first, second] = path ?? []
    if (path === undefined || typeof first !== 'string') return undefined
    const named = this.tables.find(({ name, alias }) => (alias ?? name) === first)
    const isNamed = path.length > 1 && named !== undefined
    const [tables, column] = isNamed ? [[named], second] : [this.tables, first]
    // Deeper paths have no type in the catalog.
    if (typeof column !== 'string' || path.length > (isNamed ? 2 : 1)) return undefined
    for (const table of tables) {
      const type = virtualType(table, column)
      if (type !== undefined) return { kind: 'type', type: typeNamed(type) }
    }
    const own = tables.filter((table) => virtualName(table) === undefined && !table.call)
    const places = own.map(({ name }) => ({ table: name, column }))
    return places.length === 0 ? undefined : { kind: 'column', places, as: 'itself' }
  }
}

/** For a column of the catalog. */
function virtualType(table: TableReference, column: string): string | undefined {
  const name = virtualName(table)
  return name === undefined ? undefined : virtualTable(name).get(column)
}

function castHint({ name, isArray }: { readonly name: string; readonly isArray: boolean }): Hint {
  return { kind: 'type', type: typeNamed(isArray ? `${name}[]` : name) }
}

function listOf(hint: Hint | undefined): Hint {
  if (hint === undefined) return list
  if (hint.kind === 'column') return { ...hint, as: 'array' }
  const type = arrayTypeOf(hint.type)
  return type === undefined ? list : { kind: 'type', type }
}

/** The type beside ANY of an array. */
function elementOf(hint: Hint | undefined): Hint | undefined {
  if (hint === undefined) return undefined
  if (hint.kind === 'column') return { ...hint, as: hint.as === 'array' ? 'itself' : 'element' }
  const type = elementTypeOf(hint.type)
  return type && { kind: 'type', type }
}
