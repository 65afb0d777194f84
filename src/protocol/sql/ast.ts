// The syntax trees of statements, grouped as in PostgreSQL's grammar. Every expression node has its
// position, for errors that arise later.

import type { Value } from '../../value/value.js'

interface Node {
  /** UTF-16 offset into the text. */
  readonly at: number
}

/** `a.b[0]`: names, and whole numbers for array positions. */
export type PathPart = string | number

export type Expression =
  | (Node & LiteralExpression)
  | (Node & { readonly kind: 'parameter'; readonly index: number })
  | (Node & ColumnExpression)
  /** `*` and `t.*`, where a result list may contain it. */
  | (Node & { readonly kind: 'star'; readonly table?: string })
  | (Node & { readonly kind: 'not'; readonly operand: Expression })
  | (Node & { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] })
  | (Node & { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression })
  | (Node & BinaryExpression)
  | (Node & IsExpression)
  | (Node & DistinctExpression)
  | (Node & BetweenExpression)
  | (Node & InExpression)
  | (Node & LikeExpression)
  | (Node & QuantifiedExpression)
  | (Node & CaseExpression)
  | (Node & CastExpression)
  | (Node & CallExpression)
  | (Node & ArrayExpression)
  | (Node & SubscriptExpression)
  | (Node & FieldExpression)

interface ArrayExpression {
  readonly kind: 'array'
  readonly elements: readonly Expression[]
  /** The rows of a subquery, which has a type without rows too. */
  readonly isOfQuery?: true
}

interface LiteralExpression {
  readonly kind: 'literal'
  readonly value: Value
  /** The type that a text was read as. */
  readonly type?: string
}

interface ColumnExpression {
  readonly kind: 'column'
  readonly path: readonly PathPart[]
  /** For folded names, the path as written: fields of documents keep their case. */
  readonly written?: readonly PathPart[]
}

interface BinaryExpression {
  readonly kind: 'binary'
  /** `=`, `<>` (also for `!=`), `+`, `||`, `->>` … */
  readonly operator: string
  readonly left: Expression
  readonly right: Expression
  /** Position of the operator, for errors about it. */
  readonly operatorAt?: number
  /** PostgreSQL's type of the result, where it is a whole number of a known size. */
  readonly type?: WholeType
  /** `||` of two arrays, of which NULL adds nothing. */
  readonly joinsArrays?: true
}

export type WholeType = 'int2' | 'int4' | 'int8'

interface IsExpression {
  readonly kind: 'is'
  readonly operand: Expression
  readonly test: 'null' | 'true' | 'false' | 'unknown'
  readonly isNegated: boolean
}

interface DistinctExpression {
  readonly kind: 'distinct'
  readonly left: Expression
  readonly right: Expression
  readonly isNegated: boolean
  readonly operatorAt?: number
}

interface BetweenExpression {
  readonly kind: 'between'
  readonly operand: Expression
  readonly low: Expression
  readonly high: Expression
  readonly isSymmetric: boolean
  readonly isNegated: boolean
  readonly operatorAt?: number
}

interface InExpression {
  readonly kind: 'in'
  readonly operand: Expression
  readonly list: readonly Expression[]
  readonly isNegated: boolean
  readonly operatorAt?: number
}

interface LikeExpression {
  readonly kind: 'like'
  readonly operand: Expression
  readonly pattern: Expression
  readonly escape?: Expression
  readonly ignoresCase: boolean
  readonly isNegated: boolean
  readonly operatorAt?: number
}

/** `x = ANY (array)`. */
interface QuantifiedExpression {
  readonly kind: 'quantified'
  readonly operator: string
  readonly quantifier: 'any' | 'all'
  readonly left: Expression
  readonly array: Expression
  readonly operatorAt?: number
}

interface CaseExpression {
  readonly kind: 'case'
  readonly operand?: Expression
  readonly branches: readonly (Node & { readonly when: Expression; readonly result: Expression })[]
  readonly otherwise?: Expression
}

interface CastExpression {
  readonly kind: 'cast'
  readonly operand: Expression
  readonly type: TypeName
  /** Of `::`. */
  readonly operatorAt?: number
  /** To a whole double, halves to the even one, as PostgreSQL rounds doubles. */
  readonly isRounding?: true
}

interface CallExpression {
  readonly kind: 'call'
  /** In lower case; for a function with a schema, its last part. */
  readonly name: string
  readonly args: readonly Expression[]
  /** `count(*)` */
  readonly isStar: boolean
  readonly isDistinct: boolean
  readonly orderBy: readonly OrderItem[]
  readonly filter?: Expression
}

interface SubscriptExpression {
  readonly kind: 'subscript'
  readonly operand: Expression
  readonly index: Expression
}

/** `(expression).name`, and a name after a subscript that is not a number: `a[i].name`. */
interface FieldExpression {
  readonly kind: 'field'
  readonly operand: Expression
  readonly name: string
}

export interface TypeName {
  /** PostgreSQL's own name, in lower case: `int4` for `integer`, `text`, `timestamptz`. */
  readonly name: string
  readonly modifiers: readonly number[]
  readonly isArray: boolean
  /** UTF-16 offset into the text. */
  readonly at?: number
}

export interface OrderItem {
  readonly expression: Expression
  readonly descends: boolean
  /** Undefined if not written: the order of documents. */
  readonly nulls?: 'first' | 'last'
}

export interface ResultItem {
  readonly expression: Expression
  readonly alias?: string
}

/** A collection, or a table of a schema (`information_schema.tables`). */
export interface TableName extends Node {
  readonly schema?: string
  readonly name: string
}

export interface TableReference extends TableName {
  readonly alias?: string
  /** The function call whose result this table is; `name` is the function. */
  readonly call?: Extract<Expression, { kind: 'call' }>
  /** Names of its columns: `f() AS t (a, b)`. */
  readonly columns?: readonly string[]
}

export interface Join {
  readonly type: 'inner' | 'left' | 'cross'
  readonly table: TableReference
  readonly on?: Expression
  readonly using?: readonly string[]
}

export interface SelectStatement {
  readonly kind: 'select'
  readonly isDistinct: boolean
  readonly results: readonly ResultItem[]
  readonly from?: TableReference
  readonly joins: readonly Join[]
  readonly where?: Expression
  readonly groupBy: readonly Expression[]
  readonly having?: Expression
  readonly orderBy: readonly OrderItem[]
  /** Undefined if there is none, or with LIMIT ALL. */
  readonly limit?: Expression
  readonly offset?: Expression
  readonly locks?: RowLocks
}

/** FOR UPDATE and the like. */
export interface RowLocks {
  /** `UPDATE`, `SHARE` …, of the first clause. */
  readonly strength: string
  /** The tables named by OF, none for all of them. */
  readonly tables: readonly string[]
}

/** The target of a value: a column, or a path into it. */
export interface Target extends Node {
  readonly path: readonly PathPart[]
}

/** Undefined: DEFAULT. */
export type Assigned = Expression | undefined

export interface InsertStatement {
  readonly kind: 'insert'
  readonly table: TableReference
  readonly columns: readonly Target[] | undefined
  /** Undefined: DEFAULT VALUES. */
  readonly rows: readonly (readonly Assigned[])[] | undefined
  readonly conflict?: Conflict
  readonly returning: readonly ResultItem[]
}

export interface Conflict {
  /** Position of its list of columns. */
  readonly at: number
  readonly columns: readonly Target[]
  readonly action: 'nothing' | { readonly set: readonly Assignment[]; readonly where?: Expression }
}

export interface Assignment {
  readonly target: Target
  readonly value: Assigned
}

export interface UpdateStatement {
  readonly kind: 'update'
  readonly table: TableReference
  readonly set: readonly Assignment[]
  readonly where?: Expression
  readonly limit?: Expression
  readonly returning: readonly ResultItem[]
}

export interface DeleteStatement {
  readonly kind: 'delete'
  readonly table: TableReference
  readonly where?: Expression
  readonly limit?: Expression
  readonly returning: readonly ResultItem[]
}

export interface CreateIndexStatement {
  readonly kind: 'createIndex'
  readonly name?: string
  readonly table: TableName
  readonly columns: readonly { readonly target: Target; readonly descends: boolean }[]
  readonly isUnique: boolean
  readonly ifNotExists: boolean
  readonly where?: Expression
}

export interface DropIndexStatement {
  readonly kind: 'dropIndex'
  readonly name: string
  readonly table?: TableName
  readonly ifExists: boolean
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: TypeName
  readonly isPrimaryKey: boolean
  readonly isUnique: boolean
  readonly isRequired: boolean
}

export interface CreateTableStatement {
  readonly kind: 'createTable'
  readonly table: TableName
  readonly columns: readonly ColumnDefinition[]
  /** Of the table: each a list of columns. */
  readonly keys: readonly { readonly columns: readonly string[]; readonly isPrimary: boolean }[]
  readonly ifNotExists: boolean
}

export type Statement =
  | SelectStatement
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | CreateIndexStatement
  | DropIndexStatement
  | CreateTableStatement
  | { readonly kind: 'dropTable'; readonly table: TableName; readonly ifExists: boolean }
  | { readonly kind: 'truncate'; readonly table: TableName }
  | { readonly kind: 'explain'; readonly statement: Statement; readonly analyzes: boolean }
  | { readonly kind: 'showTables' }
  | { readonly kind: 'showIndexes' | 'describe'; readonly table: TableName }
  | { readonly kind: 'show'; readonly name: string }
  | SetStatement
  | BeginStatement
  | { readonly kind: 'commit' | 'rollback'; readonly chains: boolean }
  | SetTransactionStatement
  | { readonly kind: 'savepoint' | 'release' | 'rollbackTo'; readonly name: string }
  | { readonly kind: 'discard'; readonly what: 'all' | 'plans' | 'sequences' | 'temp' }
  /** Without a name: all of them. */
  | { readonly kind: 'deallocate' | 'reset' | 'close'; readonly name?: string }
  | { readonly kind: 'listen'; readonly channel: string }
  | { readonly kind: 'notify'; readonly channel: string; readonly payload: string }
  /** Without a channel: all of them. */
  | { readonly kind: 'unlisten'; readonly channel?: string }
  | DeclareStatement
  /** Without a number: all remaining rows. */
  | { readonly kind: 'fetch'; readonly name: string; readonly rows: number | undefined }

export interface SetStatement {
  readonly kind: 'set'
  readonly name: string
  readonly values: readonly string[]
  /** Until the end of the transaction. */
  readonly isLocal: boolean
}

/** What a transaction is begun with; undefined leaves it as it is. */
export interface TransactionModes {
  readonly isolation?: IsolationLevel
  readonly isReadOnly?: boolean
  readonly isDeferrable?: boolean
}

export type IsolationLevel =
  | 'read uncommitted'
  | 'read committed'
  | 'repeatable read'
  | 'serializable'

export interface BeginStatement {
  readonly kind: 'begin'
  readonly modes: TransactionModes
  /** START TRANSACTION: only its tag differs. */
  readonly isStart: boolean
}

export interface SetTransactionStatement {
  readonly kind: 'setTransaction'
  readonly modes: TransactionModes
  /** SET SESSION CHARACTERISTICS: for the transactions that follow. */
  readonly isSession: boolean
}

export interface DeclareStatement {
  readonly kind: 'declare'
  readonly name: string
  readonly statement: SelectStatement
  /** The text of the SELECT only. */
  readonly text: string
}

/** The placeholders of a statement. */
export interface Parameters {
  readonly style: 'none' | 'numbered' | 'positional' | 'named'
  /** Number of required values. */
  readonly count: number
  /** Names of named placeholders, by their indexes. */
  readonly names: readonly string[]
}

export interface Parsed {
  readonly statement: Statement
  readonly parameters: Parameters
  /** Folding unquoted names to lower case would give another tree. */
  readonly canFold: boolean
}
