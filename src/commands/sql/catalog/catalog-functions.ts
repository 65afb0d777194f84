// Functions and casts on the catalog: from OIDs of the virtual tables to names and back. Functions
// of the session alone are in session-functions.ts.

import type { Expression } from '../../../protocol/sql/ast.js'
import {
  boolValue,
  bsonType,
  int32Value,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import type { Call } from '../expression/call.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Scope } from '../expression/scope.js'
import { textForm } from '../expression/texts/text-form.js'
import { computation, type Evaluator, type SqlValue } from '../expression/truth.js'
import { formatType, integerIn, oidOf, quotedName } from '../session/session-functions.js'
import { functionTable } from '../typing/function-facts.js'
import type { Relation, RelationIndex, Relations } from './catalog-relations.js'
import { typeOidOf, typeWords } from './catalog-types.js'
import { hasPrivilege } from './privileges.js'

/** The relations that the caller may read; undefined if no statement needed them. */
type KnownRelations = Relations | undefined

/** Each of `args` may be NULL. */
type Run = (args: readonly SqlValue[], relations: KnownRelations, name: string) => SqlValue

const privileges =
  'has_table_privilege has_any_column_privilege has_column_privilege ' +
  'has_schema_privilege has_database_privilege'

interface CatalogRow {
  readonly run: Run
  /** Whether it needs the list of collections. */
  readonly isRelational: boolean
}

const rows = functionTable<CatalogRow>([
  ofRelations('pg_get_userbyid', ([oid], relations) => text(relations?.roleName(oidOf(oid)))),
  each('format_type', formatType),
  ofRelations('pg_get_indexdef', indexText),
  ofRelations('pg_get_constraintdef', constraintText),
  ofRelations('pg_index_key_count', ([oid], relations) => {
    const found = relations?.indexByOid(oidOf(oid))
    return found === undefined ? undefined : int32Value(found.index.keys.length)
  }),
  each('pg_size_pretty', ([bytes]) => {
    return bytes === undefined ? undefined : stringValue(`${integerIn(bytes) ?? 0} bytes`)
  }),
  ofRelations('to_regclass', ([name], relations) => {
    if (name?.type !== bsonType.string) return undefined
    const found = relations?.byName(unquoted(stringOf(name)))
    return found === undefined ? undefined : int32Value(found.oid)
  }),
  each('to_regtype', ([name]) => {
    const oid = name?.type === bsonType.string ? typeOidOf(stringOf(name)) : undefined
    return oid === undefined ? undefined : int32Value(oid)
  }),
  ofRelations(privileges, (args, relations, name) => {
    const held = relations && hasPrivilege(name, args, relations)
    return held === undefined ? undefined : boolValue(held)
  }),
  ofRelations('pg_table_is_visible', ([oid], relations) => {
    if (oid === undefined || relations === undefined) return undefined
    const asked = oidOf(oid)
    const isVisible = (relations.byOid(asked) ?? relations.indexByOid(asked)) !== undefined
    const isThere = isVisible || relations.namespaceByOid(asked) !== undefined
    return isThere ? boolValue(isVisible) : undefined
  }),
  // Table sizes are not read while a statement runs. NULL is better than a wrong figure.
  each('pg_relation_size pg_total_relation_size pg_table_size', () => undefined),
])

function each(names: string, run: Run, isRelational = false): readonly [string, CatalogRow] {
  return [names, { run, isRelational }]
}

function ofRelations(names: string, run: Run): readonly [string, CatalogRow] {
  return each(names, run, true)
}

/** Types whose values are the OIDs of the catalog. */
const oidTypes = new Set(['regclass', 'regtype', 'regnamespace', 'oid', 'regproc'])

/** Whether the expression, without its operands, needs the list of collections. */
export function needsRelations(expression: Expression): boolean {
  if (expression.kind === 'call') return rows.get(expression.name)?.isRelational === true
  return expression.kind === 'cast' && oidTypes.has(expression.type.name)
}

/** The evaluator of a catalog function or cast; undefined for other expressions. */
export function catalogEvaluator(
  expression: Expression,
  scope: Scope,
  relations: KnownRelations,
): Evaluator | undefined {
  if (expression.kind === 'call') return callEvaluator(expression, scope, relations)
  if (expression.kind !== 'cast' || expression.type.isArray) return undefined
  const { name } = expression.type
  if (!oidTypes.has(name) && name !== 'char') return undefined
  const { value, isConstant } = compile(expression.operand, scope)
  return computation(isConstant, (row) => {
    const given = value(row)
    if (given === undefined) return undefined
    return name === 'char' ? stringValue(textForm(given)) : oidCast(name, given, relations)
  })
}

function callEvaluator(call: Call, scope: Scope, relations: KnownRelations): Evaluator | undefined {
  const found = rows.get(call.name)
  if (found === undefined) return undefined
  const args = call.args.map((arg) => compile(arg, scope))
  const isConstant = args.every((arg) => arg.isConstant)
  return computation(isConstant, (row) =>
    found.run(
      args.map(({ value }) => value(row)),
      relations,
      call.name,
    ),
  )
}

/** Casts a name to its OID. A number becomes the name that it stands for, or stays a number. */
function oidCast(type: string, given: Value, relations: KnownRelations): Value {
  if (given.type !== bsonType.string) {
    const oid = oidOf(given)
    if (type === 'regclass') return stringValue(relations?.byOid(oid)?.ns.name ?? String(oid))
    if (type === 'regtype') return stringValue(typeWords(oid, -1) ?? String(oid))
    if (type === 'regnamespace') return stringValue(oid === 2200 ? 'public' : String(oid))
    return given
  }
  const name = stringOf(given)
  if (/^\d+$/.test(name)) return int32Value(Number(name))
  const found = relations?.byName(unquoted(name.replace(/^public\./, '')))
  if (type === 'regclass' && found !== undefined) return int32Value(found.oid)
  const named = type === 'regtype' ? typeOidOf(name) : undefined
  if (named !== undefined) return int32Value(named)
  const state = type === 'regclass' ? evaluationState.undefinedTable : evaluationState.badText
  throw evaluationError(state, `"${name}" does not exist as ${type}`)
}

/** `pg_get_indexdef(index, column, pretty)`: with a column from 1 on, only its name. */
function indexText([oid, column]: readonly SqlValue[], relations: KnownRelations): SqlValue {
  const found = relations?.indexByOid(oidOf(oid))
  if (found === undefined) return undefined
  const at = integerIn(column) ?? 0
  if (at > 0) return text(found.index.keys[at - 1]?.path)
  return stringValue(indexDefinition(found.relation, found.index))
}

export function indexDefinition({ ns }: Relation, { name, isUnique, keys }: RelationIndex): string {
  const columns = keys.map(({ path, descends }) => `${quotedName(path)}${descends ? ' DESC' : ''}`)
  const unique = isUnique ? 'UNIQUE ' : ''
  const on = `public.${quotedName(ns.name)}`
  return `CREATE ${unique}INDEX ${quotedName(name)} ON ${on} USING btree (${columns.join(', ')})`
}

function constraintText([oid]: readonly SqlValue[], relations: KnownRelations): SqlValue {
  const found = relations?.indexByOid(oidOf(oid))
  if (found === undefined) return undefined
  const { isPrimary, keys } = found.index
  const columns = keys.map(({ path }) => quotedName(path)).join(', ')
  return stringValue(`${isPrimary ? 'PRIMARY KEY' : 'UNIQUE'} (${columns})`)
}

function unquoted(part: string): string {
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part
}

function text(found: string | undefined): SqlValue {
  return found === undefined ? undefined : stringValue(found)
}
