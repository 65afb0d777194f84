// UPDATE: applies SET to a row. Values are computed from the old row; missing paths are created.
// (docs/sql.md, "Changes are all or nothing")

import { fail, type GatewayError } from '../../../base/errors.js'
import type { TimeSeries } from '../../../engine/collection/kinds/time-series-options.js'
import type { Assignment, PathPart, Target, UpdateStatement } from '../../../protocol/sql/ast.js'
import type { Sweep } from '../../../store/sweep.js'
import { type Document, nullValue, numberValue } from '../../../value/value.js'
import {
  columnAt,
  converted,
  type DeclaredColumn,
  declaredColumns,
  requireColumns,
} from '../define/ddl-columns.js'
import { compile } from '../expression/compile.js'
import { someNode } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import type { Row } from '../expression/truth.js'
import { requireShape } from './change-bounds.js'
import { collectionOf, type SqlCall } from './change-call.js'
import { changeError } from './change-error.js'
import { PathTree } from './change-path.js'
import { changeReply } from './change-reply.js'
import { changeRows } from './change-rows.js'

export function* runUpdate(call: SqlCall, statement: UpdateStatement): Sweep<Document> {
  const { matched, modified, returned } = yield* changeRows(call, {
    statement,
    afterIn: (ns, { set }, scope) => {
      if (ns?.timeSeries !== undefined) requireMetaOnly(statement, ns.timeSeries)
      const declared = ns === undefined ? undefined : declaredColumns(ns.options)
      const change = compileSet(set, scope, declared, call, statement.table.name)
      return (document) => change(document, [document])
    },
  })
  return yield* changeReply(
    call,
    collectionOf(statement.table),
    (writer) => {
      writer.value('matchedCount', numberValue(matched))
      writer.value('modifiedCount', numberValue(modified)).null('upsertedId')
    },
    returned,
  )
}

/**
 * Compiles SET to a function from a row to its new document. Throws 42601 for a column that is set
 * twice, ImmutableField for `_id`, and errors of compiling.
 */
export function compileSet(
  set: readonly Assignment[],
  scope: Scope,
  declared: readonly DeclaredColumn[] | undefined,
  { target: text, isBlind }: Pick<SqlCall, 'target' | 'isBlind'>,
  table: string,
): (document: Document, row: Row) => Document {
  const targets = set.map(({ target }) => target)
  for (const target of targets) if (target.path[0] === '_id') throw immutableId(target, text)
  const tree = new PathTree(targets, (target) => setTwice(target, text))
  const values = set.map(({ value }) => (value === undefined ? undefined : compile(value, scope)))
  const columns = targets.map(({ path }) => columnAt(path, declared))
  return (document, row) => {
    const given = values.map((evaluator, i) => {
      if (evaluator === undefined) return undefined
      const value = evaluator.value(row)
      return value === undefined ? nullValue : converted(columns[i], value, set[i]?.value)
    })
    const after = tree.write(document, given)
    requireColumns(declared, after, table, isBlind)
    requireShape(after)
    return after
  }
}

/** In a time-series collection only the metaField may change, for all rows with one value of it. */
function requireMetaOnly({ set, table, where, limit }: UpdateStatement, series: TimeSeries): void {
  const { metaField } = series
  const what = 'Cannot perform an update on a time-series collection'
  const isMeta = ([first, second]: readonly PathPart[]): boolean =>
    metaField !== undefined &&
    (first === metaField || (first === (table.alias ?? table.name) && second === metaField))
  const others =
    where !== undefined && someNode(where, (node) => node.kind === 'column' && !isMeta(node.path))
  if (others || limit !== undefined || set.some(({ target }) => target.path[0] !== metaField)) {
    const text = `${what} by or of anything but its metaField, or with a LIMIT`
    throw fail('InvalidOptions', text, { sqlState: '0A000' })
  }
}

function setTwice({ at, path }: Target, text: string): GatewayError {
  const message = `multiple assignments to same column "${path.join('.')}"`
  return changeError('BadValue', '42601', message, { text, offset: at })
}

function immutableId({ at, path }: Target, text: string): GatewayError {
  const message =
    `Performing an update on the path '${path.join('.')}' ` +
    "would modify the immutable field '_id'"
  const { extra } = changeError('ImmutableField', '428C9', message, { text, offset: at })
  return fail('ImmutableField', message, extra)
}
