// What PostgreSQL's own parser makes of a text, in the form of canonical.ts. Throws PeerRefusal for
// what it reads and Sigil has no tree for.

import { parseSync } from 'libpg-query'
import { chainTree, isNumberTree, limitTree, negated, numberTree, type Tree } from './canonical.js'

type Node = Readonly<Record<string, unknown>>

/** The reference server reads it, as something that is not compared. */
export class NotCompared extends Error {}

/**
 * Undefined where the reference server refuses the text. Keep it small: chains overflow the
 * reference server's stack.
 */
export function referenceStatement(text: string): Tree | undefined {
  const statements = referenceStatements(text)
  if (statements === undefined) return undefined
  if (statements.length !== 1) throw new NotCompared(`${statements.length} statements`)
  return statementOf(statements[0]?.stmt as Node)
}

function referenceStatements(text: string): readonly Node[] | undefined {
  try {
    return list(parseSync(text).stmts)
  } catch (error) {
    if (error instanceof Error && 'sqlDetails' in error) return undefined
    throw error
  }
}

function list(value: unknown): readonly Node[] {
  return (value ?? []) as readonly Node[]
}

/** `{ A_Const: {…} }` as its name and its content. */
function opened(node: unknown): readonly [string, Node] {
  const [entry] = Object.entries(node as Node)
  return entry as [string, Node]
}

function names(value: unknown): string[] {
  return list(value).map((node) => String((opened(node)[1] as { sval?: string }).sval ?? ''))
}

function tree(node: unknown): Tree {
  const [kind, content] = opened(node)
  const read = readers[kind]
  if (read === undefined) throw new NotCompared(kind)
  return read(content)
}

function optional(node: unknown): Tree {
  return node === undefined ? null : tree(node)
}

const readers: Readonly<Record<string, (node: Node) => Tree>> = {
  A_Const: constant,
  ColumnRef: column,
  ParamRef: ({ number }) => ['parameter', Number(number)],
  A_Expr: operation,
  BoolExpr: ({ boolop, args }) => {
    const operands = list(args).map(tree)
    if (boolop === 'NOT_EXPR') return ['not', ...operands]
    return chainTree(boolop === 'AND_EXPR' ? 'and' : 'or', operands)
  },
  NullTest: ({ arg, nulltesttype }) => ['is', 'null', nulltesttype === 'IS_NOT_NULL', tree(arg)],
  BooleanTest: ({ arg, booltesttype }) => {
    const words = String(booltesttype).toLowerCase().split('_')
    return ['is', String(words.at(-1)), words.includes('not'), tree(arg)]
  },
  TypeCast: ({ arg, typeName }) => ['cast', tree(arg), typeOf(typeName as Node)],
  A_ArrayExpr: ({ elements }) => ['array', ...list(elements).map(tree)],
  A_Indirection: ({ arg, indirection }) => list(indirection).reduce(indirect, tree(arg)),
  CaseExpr: ({ arg, args, defresult }) => {
    const branches = list(args).map((one) => {
      const { expr, result } = opened(one)[1]
      return [tree(expr), tree(result)]
    })
    return ['case', optional(arg), branches, optional(defresult)]
  },
  FuncCall: call,
  CoalesceExpr: ({ args }) => plainCall('coalesce', list(args).map(tree)),
  MinMaxExpr: ({ op, args }) =>
    plainCall(op === 'IS_GREATEST' ? 'greatest' : 'least', list(args).map(tree)),
  SQLValueFunction: ({ op, typmod }) => {
    const name = String(op)
      .toLowerCase()
      .replace(/^svfop_|_n$/g, '')
    return plainCall(name, Number(typmod ?? 0) >= 0 ? [numberTree(String(typmod ?? 0))] : [])
  },
  SetToDefault: () => ['default'],
}

function constant(node: Node): Tree {
  if (node.isnull === true) return ['null']
  const value = (key: string) => (node[key] as Node | undefined)?.[key]
  if (node.ival !== undefined) return numberTree(String(value('ival') ?? 0))
  if (node.fval !== undefined) return numberTree(String(value('fval')))
  if (node.sval !== undefined) return ['string', String(value('sval') ?? '')]
  if (node.boolval !== undefined) return ['boolean', value('boolval') === true]
  throw new NotCompared('bit string')
}

function column({ fields }: Node): Tree {
  const parts = list(fields)
  const last = opened(parts.at(-1))[0]
  if (last === 'A_Star') return ['star', ...names(parts.slice(0, -1))]
  return ['column', ...names(parts)]
}

function indirect(operand: Tree, node: Node): Tree {
  const [kind, content] = opened(node)
  if (kind === 'String') return ['field', operand, String(content.sval)]
  if (kind !== 'A_Indices' || content.is_slice === true) throw new NotCompared(kind)
  return ['subscript', operand, tree(content.uidx)]
}

function typeOf({ names: parts, typmods, arrayBounds }: Node): Tree {
  const name = names(parts).at(-1) ?? ''
  const all = list(typmods).map((one) =>
    Number((opened(one)[1].ival as Node | undefined)?.ival ?? 0),
  )
  // An interval of all fields.
  const modifiers = name === 'interval' && all[0] === 0x7fff ? all.slice(1) : all
  return [name, modifiers, arrayBounds !== undefined]
}

function operation({ kind, name, lexpr, rexpr }: Node): Tree {
  const operator = names(name).at(-1) ?? ''
  const both = () => [tree(lexpr), tree(rexpr)]
  const items = () => list((opened(rexpr)[1] as Node).items).map(tree)
  switch (kind) {
    case 'AEXPR_OP': {
      if (lexpr !== undefined) return ['binary', operator, ...both()]
      const operand = tree(rexpr)
      return operator === '-' && isNumberTree(operand)
        ? negated(operand)
        : ['unary', operator, operand]
    }
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return ['quantified', operator, kind === 'AEXPR_OP_ANY' ? 'any' : 'all', ...both()]
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT':
      return ['distinct', kind === 'AEXPR_NOT_DISTINCT', ...both()]
    case 'AEXPR_NULLIF':
      return plainCall('nullif', both())
    case 'AEXPR_IN':
      return ['in', operator === '<>', tree(lexpr), ...items()]
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return ['like', kind === 'AEXPR_ILIKE', operator[0] === '!', tree(lexpr), ...pattern(rexpr)]
    case 'AEXPR_SIMILAR':
      throw new NotCompared('SIMILAR')
  }
  const words = String(kind).split('_')
  return ['between', words.includes('SYM'), words.includes('NOT'), tree(lexpr), ...items()]
}

/** `ESCAPE` is a call around the pattern. */
function pattern(node: unknown): Tree[] {
  const [kind, content] = opened(node)
  const name = kind === 'FuncCall' ? names(content.funcname).join('.') : ''
  return name === 'pg_catalog.like_escape' ? list(content.args).map(tree) : [tree(node)]
}

function call(node: Node): Tree {
  if (node.over !== undefined || node.agg_within_group === true || node.func_variadic === true) {
    throw new NotCompared('FuncCall')
  }
  return [
    ...['call', names(node.funcname).at(-1) ?? '', list(node.args).map(tree)],
    ...[node.agg_star === true, node.agg_distinct === true, list(node.agg_order).map(order)],
    optional(node.agg_filter),
  ]
}

function plainCall(name: string, args: readonly Tree[]): Tree {
  return ['call', name, args, false, false, [], null]
}

function order(node: Node): Tree {
  const { node: by, sortby_dir, sortby_nulls } = opened(node)[1]
  if (sortby_dir === 'SORTBY_USING') throw new NotCompared('USING')
  const nulls = String(sortby_nulls).split('_').at(-1)?.toLowerCase() ?? ''
  return [tree(by), sortby_dir === 'SORTBY_DESC', nulls === 'default' ? null : nulls]
}

function results(value: unknown): Tree[] {
  return list(value).map((node) => {
    const { val, name } = opened(node)[1]
    return [tree(val), (name as string | undefined) ?? null]
  })
}

function target({ name, indirection }: Node): Tree {
  const rest = list(indirection).map((node): Tree => {
    const [kind, content] = opened(node)
    if (kind === 'String') return String(content.sval)
    const place = kind === 'A_Indices' && content.uidx !== undefined ? tree(content.uidx) : null
    const shown = isNumberTree(place) ? String((place as readonly Tree[])[1]) : ''
    if (!/^\d+(?:e\d+)?$/.test(shown)) throw new NotCompared('subscript')
    return ['place', Number(shown)]
  })
  return [String(name), ...rest]
}

function table(node: Node): Tree {
  const { schemaname, relname, alias } = node
  const schema = schemaname === 'public' ? undefined : schemaname
  const given = (alias as Node | undefined)?.aliasname
  if (node.inh === undefined) throw new NotCompared('ONLY')
  return [(schema as string | undefined) ?? null, String(relname), (given as string) ?? null]
}

function tableFunction(node: Node): Tree {
  const { functions, alias, lateral, ordinality, coldeflist, is_rowsfrom } = node
  if ((lateral ?? ordinality ?? coldeflist ?? is_rowsfrom) !== undefined) {
    throw new NotCompared('RangeFunction')
  }
  const [called] = list(opened(list(functions)[0])[1].items)
  const read = tree(called)
  const isCall = ['FuncCall', 'SQLValueFunction'].includes(opened(called)[0])
  if (!isCall) throw new NotCompared('RangeFunction')
  const { aliasname, colnames } = (alias ?? {}) as Node
  return [read, (aliasname as string | undefined) ?? null, names(colnames ?? [])]
}

function statementOf(node: Node): Tree {
  const [kind, content] = opened(node)
  const read = statements[kind]
  if (read === undefined) throw new NotCompared(kind)
  return read(content)
}

const statements: Readonly<Record<string, (node: Node) => Tree>> = {
  SelectStmt: select,
  InsertStmt: (node) => {
    const query = node.selectStmt === undefined ? undefined : opened(node.selectStmt)[1]
    if (query !== undefined && query.valuesLists === undefined) throw new NotCompared('query')
    const rows = query === undefined ? null : list(query.valuesLists).map(row)
    const columns = list(node.cols).map((one) => target(opened(one)[1]))
    const returning = returned(node)
    return ['insert', table(node.relation as Node), columns, rows, conflict(node), returning]
  },
  UpdateStmt: (node) => {
    if (node.fromClause !== undefined) throw new NotCompared('FROM')
    const set = assignments(node.targetList)
    return ['update', table(node.relation as Node), set, optional(node.whereClause), returned(node)]
  },
  DeleteStmt: (node) => {
    if (node.usingClause !== undefined) throw new NotCompared('USING')
    return ['delete', table(node.relation as Node), optional(node.whereClause), returned(node)]
  },
  IndexStmt: (node) => {
    const columns = list(node.indexParams).map((one) => indexColumn(opened(one)[1]))
    const flags = [node.unique === true, node.if_not_exists === true]
    const name = (node.idxname as string | undefined) ?? null
    const where = optional(node.whereClause)
    return ['index', name, table(node.relation as Node), columns, ...flags, where]
  },
}

function row(node: Node): Tree {
  return list(opened(node)[1].items).map(tree)
}

function returned({ returningClause }: Node): Tree {
  return results((returningClause as Node | undefined)?.exprs)
}

function assignments(value: unknown): Tree[] {
  return list(value).map((node) => {
    const content = opened(node)[1]
    if (opened(content.val)[0] === 'MultiAssignRef') throw new NotCompared('row')
    return [target(content), tree(content.val)]
  })
}

function conflict({ onConflictClause }: Node): Tree {
  if (onConflictClause === undefined) return null
  const { action, infer, targetList, whereClause } = onConflictClause as Node
  const { indexElems, conname, whereClause: partial } = (infer ?? {}) as Node
  if (conname !== undefined || partial !== undefined) throw new NotCompared('conflict')
  const columns = list(indexElems).map((one) => {
    const { name } = opened(one)[1]
    if (name === undefined) throw new NotCompared('expression')
    return [String(name)]
  })
  if (action === 'ONCONFLICT_NOTHING') return [columns, 'nothing']
  return [columns, assignments(targetList), optional(whereClause)]
}

/** A path stands as an expression in parentheses. */
function indexColumn({ name, expr, ordering }: Node): Tree {
  const descends = ordering === 'SORTBY_DESC'
  if (name !== undefined) return [[String(name)], descends]
  const path = tree(expr) as readonly Tree[]
  if (path[0] !== 'column') throw new NotCompared('expression')
  return [path.slice(1), descends]
}

function select(node: Node): Tree {
  const unread = [
    'valuesLists',
    'larg',
    'withClause',
    'windowClause',
    'lockingClause',
    'intoClause',
  ]
  if (unread.some((key) => node[key] !== undefined)) throw new NotCompared('select')
  if (node.limitOption === 'LIMIT_OPTION_WITH_TIES') throw new NotCompared('ties')
  const distinct = list(node.distinctClause)
  if (distinct.some((one) => Object.keys(one).length > 0)) throw new NotCompared('DISTINCT ON')
  const [from, ...joins] = list(node.fromClause).flatMap(source)
  const limit = limitTree(optional(node.limitCount))
  return [
    ...['select', distinct.length > 0, results(node.targetList)],
    ...[from === undefined ? null : from.table, joins.map(joined), optional(node.whereClause)],
    ...[list(node.groupClause).map(tree), optional(node.havingClause)],
    ...[list(node.sortClause).map(order), limit, optional(node.limitOffset)],
  ]
}

interface Source {
  readonly table: Tree
  readonly type: string
  readonly on: Tree
  readonly using: readonly string[]
}

function joined({ type, table, on, using }: Source): Tree {
  return [type, table, on, using]
}

/** A tree of joins that leans to the left, as a list. */
function source(node: Node): Source[] {
  const [kind, content] = opened(node)
  if (kind === 'RangeVar') return [{ type: 'cross', table: table(content), on: null, using: [] }]
  if (kind === 'RangeFunction') {
    return [{ type: 'cross', table: tableFunction(content), on: null, using: [] }]
  }
  if (kind !== 'JoinExpr' || content.alias !== undefined) throw new NotCompared(kind)
  const left = source(content.larg as Node)
  const right = source(content.rarg as Node)
  const [inner] = right
  const type = content.jointype
  if (right.length !== 1 || inner === undefined) throw new NotCompared('join within a join')
  if (content.isNatural === true || (type !== 'JOIN_INNER' && type !== 'JOIN_LEFT')) {
    throw new NotCompared('join')
  }
  const using = names(content.usingClause)
  const isCross = content.quals === undefined && using.length === 0
  const shown = isCross ? 'cross' : type === 'JOIN_LEFT' ? 'left' : 'inner'
  return [...left, { ...inner, type: shown, on: optional(content.quals), using }]
}
