// Resolves the names of a statement to columns; afterwards each begins with its table. If the
// columns of a table are known, unknown names are refused at their position. Documents of other
// tables may have any field.

import type { Expression, OrderItem, PathPart, ResultItem } from '../../../protocol/sql/ast.js'
import {
  missing,
  missingTable,
  requireFields,
  requireParts,
  requirePlaces,
} from '../catalog/column-parts.js'
import { hasColumn, type KnownTables } from '../catalog/known-table.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { mapExpression } from '../expression/expression-tree.js'
import { Parts } from '../expression/parts.js'

type Column = Extract<Expression, { kind: 'column' }>
type Field = Extract<Expression, { kind: 'field' }>
type Subscript = Extract<Expression, { kind: 'subscript' }>

export class Names {
  /** USING columns, which `*` shows once. */
  readonly merged = new Set<string>()
  /** Bound parts of large expressions. */
  protected readonly boundParts = new Parts<Expression>()
  private readonly knowsAll: boolean
  private readonly knowsSome: boolean

  constructor(
    readonly tables: readonly string[],
    readonly known: KnownTables,
  ) {
    this.knowsAll = tables.length > 0 && tables.every((_, i) => known[i] !== undefined)
    this.knowsSome = known.some((table) => table !== undefined)
  }

  /** Throws 42702, 42703, 42P01, and 42804 and 42809 for parts of a value that has none. */
  bound(expression: Expression): Expression {
    return mapExpression(expression, (node) => {
      const known = this.boundParts.of(node)
      if (known !== undefined) return known
      switch (node.kind) {
        case 'column':
          return this.column(node)
        case 'field':
          return this.knowsSome ? this.field(node) : undefined
        case 'subscript':
          return this.knowsSome ? this.subscript(node) : undefined
        case 'call':
          return this.knowsSome && node.orderBy.some(({ nulls }) => nulls === undefined)
            ? this.bound({ ...node, orderBy: node.orderBy.map(nullsAsReference) })
            : undefined
        default:
          return undefined
      }
    })
  }

  /** Adds PostgreSQL's order of NULLs, if the columns of a table are known. */
  ordered(item: OrderItem): OrderItem {
    if (!this.knowsSome || item.nulls !== undefined || this.isRequired(item.expression)) return item
    return nullsAsReference(item)
  }

  private isRequired(expression: Expression): boolean {
    if (expression.kind !== 'column' || expression.path.length !== 2) return false
    const [table, name] = expression.path
    const known = this.known[this.tables.indexOf(String(table))]
    return this.tables.length === 1 && known?.required.has(String(name)) === true
  }

  /** The columns of `*`; undefined if documents decide them. */
  starred({ expression }: ResultItem): readonly ResultItem[] | undefined {
    if (expression.kind !== 'star' || this.tables.length === 0) return undefined
    const { at, table } = expression
    if (table === undefined) {
      if (!this.knowsAll) return undefined
      const own = this.tables.flatMap((_, i) => this.columnsOf(i, at))
      const isMerged = ({ expression: { path } }: ColumnItem) => this.merged.has(String(path[1]))
      const once = [...this.merged].flatMap((name) => {
        const found = own.find(({ expression: { path } }) => path[1] === name)
        return found === undefined ? [] : [found]
      })
      return [...once, ...own.filter((item) => !isMerged(item))]
    }
    const index = this.tables.indexOf(table)
    if (index < 0) throw missingTable(table.slice(table.lastIndexOf('.') + 1), at)
    return this.known[index] === undefined ? undefined : this.columnsOf(index, at)
  }

  private columnsOf(index: number, at: number): ColumnItem[] {
    const table = this.tables[index] ?? ''
    return [...(this.known[index]?.columns.keys() ?? [])].map((name) => ({
      expression: { kind: 'column', at, path: [table, name] },
    }))
  }

  column(node: Column): Expression {
    const { path, at } = node
    const [first, second] = path
    const { tables } = this
    const index = typeof first === 'string' ? tables.indexOf(first) : -1
    if (path.length > 1 && index >= 0) {
      return columnNode(node, this.within(index, String(second), node, 1))
    }
    const owners = this.owners(first)
    const [owner] = owners
    if (owner === undefined) return this.notFound(node, index)
    if (owners.length > 1) {
      if (path.length === 1 && index >= 0 && this.known[index] === undefined) return wholeRow(node)
      const message = `column reference "${String(first)}" is ambiguous`
      throw evaluationError(evaluationState.ambiguousColumn, message, at)
    }
    if (path.length === 1 && index >= 0 && this.known[owner] === undefined) {
      return this.fieldOrRow(node, tables[index] ?? '')
    }
    return columnNode(node, this.within(owner, String(first), node, 0))
  }

  /** The name is no column: it may be that of a table. */
  private notFound(node: Column, index: number): Expression {
    const { path, at } = node
    if (path.length === 1 && index >= 0) return wholeRow(node)
    if (path.length > 1 && this.knowsAll) throw missing(node)
    const message = `column "${path.join('.')}" does not exist`
    throw evaluationError(evaluationState.undefinedColumn, message, at)
  }

  /** `(value).name`: of a whole row it is a column. */
  private field(node: Field): Expression {
    const operand = this.bound(node.operand)
    if (operand.kind !== 'column') return { ...node, operand }
    const [table, column, ...below] = operand.path
    const known = this.known[this.tables.indexOf(String(table))]
    if (known === undefined) return { ...node, operand }
    const { name, at } = node
    if (column === undefined) {
      const found = [name, name.toLowerCase()].find((each) => hasColumn(known, each))
      if (found !== undefined) return columnNode(operand, [String(table), found])
      const message = `column ${String(table)}.${name} does not exist`
      throw evaluationError(evaluationState.undefinedColumn, message, at)
    }
    if (below.length === 0) requireFields(this.typeOf(operand), name, at)
    else requireParts(known, String(column), operand, [...below, name])
    return { ...node, operand }
  }

  private subscript(node: Subscript): Expression {
    const [operand, index] = [this.bound(node.operand), this.bound(node.index)]
    requirePlaces(this.typeOf(operand), node.at)
    return { ...node, operand, index }
  }

  /** The path after the table; `skipped` written parts name the table. */
  private within(
    index: number,
    name: string,
    { path, written = path, at }: Column,
    skipped: number,
  ): readonly PathPart[] {
    const table = this.tables[index] ?? ''
    const known = this.known[index]
    if (known === undefined) return [table, ...written.slice(skipped)]
    if (!hasColumn(known, name)) {
      const shown = skipped > 0 ? `${table}.${name}` : `"${name}"`
      const message = `column ${shown} does not exist`
      throw evaluationError(evaluationState.undefinedColumn, message, at)
    }
    const [place, ...below] = written.slice(skipped + 1)
    if (place === undefined) return [table, name]
    requireParts(known, name, { path, at }, [place, ...below])
    // Arrays of the catalog count from 1. In other columns a number is an index into the document.
    const isArray = !known.isDeclared && known.columns.get(name)?.endsWith('[]') === true
    return [table, name, isArray && typeof place === 'number' ? place - 1 : place, ...below]
  }

  /** The tables that may have the column. */
  private owners(column: PathPart | undefined): readonly number[] {
    const { tables, known, merged } = this
    const name = String(column)
    if (merged.has(name)) return [0]
    return tables.flatMap((_, i) => {
      const table = known[i]
      return table === undefined || hasColumn(table, name) ? [i] : []
    })
  }

  /** A field with the name of its collection, if the document has it; else the whole document. */
  private fieldOrRow(node: Column, table: string): Expression {
    const field: Column = {
      kind: 'column',
      at: node.at,
      path: [table, ...(node.written ?? node.path)],
    }
    const flags = { isStar: false, isDistinct: false, orderBy: [] } as const
    const args = [field, wholeRow({ ...node, path: [table] })]
    return { kind: 'call', at: node.at, name: 'coalesce', args, ...flags }
  }

  /** The type of a bound column, from CREATE TABLE or the catalog. */
  private typeOf(expression: Expression): string | undefined {
    if (expression.kind !== 'column' || expression.path.length !== 2) return undefined
    const [table, column] = expression.path
    return this.known[this.tables.indexOf(String(table))]?.columns.get(String(column))
  }
}

interface ColumnItem {
  readonly expression: Column
}

function columnNode({ at }: Column, path: readonly PathPart[]): Expression {
  return { kind: 'column', at, path }
}

/** A path of only the table stands for its row. */
function wholeRow({ at, path }: Column): Expression {
  return { kind: 'column', at, path: path.slice(0, 1) }
}

/** Source: PostgreSQL 17, 7.5. */
function nullsAsReference(item: OrderItem): OrderItem {
  if (item.nulls !== undefined) return item
  return { ...item, nulls: item.descends ? 'first' : 'last' }
}
