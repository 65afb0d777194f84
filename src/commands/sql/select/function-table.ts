// A function as a table in FROM: one row of one column, or the rows of a set-returning function.
// Its arguments are constants and parameters; they cannot use rows of other tables.

import { sqlListMax } from '../../../base/limits/sql.js'
import type { SessionChannels } from '../../../bus/session.js'
import type { TableReference } from '../../../protocol/sql/ast.js'
import { pgKeywords } from '../../../protocol/sql/keywords.js'
import { elementsOf } from '../../../value/elements.js'
import { integerOf } from '../../../value/numbers.js'
import {
  boolValue,
  bsonType,
  type Document,
  int32Value,
  int64Value,
  nullValue,
  stringValue,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { KnownTable } from '../catalog/known-table.js'
import type { Call } from '../expression/call.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Scope } from '../expression/scope.js'
import { textForm } from '../expression/texts/text-form.js'
import type { SqlValue } from '../expression/truth.js'
import { isSetFunction, type SetFunction } from '../set-in-list.js'
import { staticType } from './column-type.js'

interface FunctionTable {
  readonly known: KnownTable
  readonly rows: readonly Document[]
}

interface Answer {
  /** Column names and types; a column without a name has that of the table. */
  readonly columns: readonly (readonly [name: string | undefined, type: string])[]
  readonly rows: readonly (readonly SqlValue[])[]
}

type Answers = (args: readonly SqlValue[], call: Call, scope: Scope) => Answer

const sets: Readonly<Record<SetFunction, Answers>> = {
  generate_series: series,
  unnest: unnested,
  json_array_elements: (args) => elements(args, 'value', false),
  jsonb_array_elements: (args) => elements(args, 'value', false),
  json_array_elements_text: (args) => elements(args, 'value', true),
  jsonb_array_elements_text: (args) => elements(args, 'value', true),
  pg_get_keywords: keywords,
  pg_listening_channels: (_args, _call, { session }) => listening(session?.channels),
}

/** Throws errors of the function, and 42P10 for more column names than columns. */
export function functionTable(
  { name, alias, call, columns: names = [] }: TableReference & { readonly call: Call },
  scope: Scope,
): FunctionTable {
  const { columns, rows } = answerOf(call, scope)
  if (names.length > columns.length) {
    const table = alias ?? name
    const has = `table "${table}" has ${columns.length} columns available`
    const message = `${has} but ${names.length} columns specified`
    throw evaluationError(evaluationState.badColumnReference, message)
  }
  const heads = columns.map(([own, type], i) => [names[i] ?? own ?? alias ?? name, type] as const)
  const known = { columns: new Map(heads), required: new Set<string>(), isDeclared: false }
  return {
    known,
    rows: rows.map((row) =>
      writeDocument((out) => {
        for (const [i, [column]] of heads.entries()) out.value(column, row[i] ?? nullValue)
      }),
    ),
  }
}

function answerOf(call: Call, scope: Scope): Answer {
  if (isSetFunction(call.name)) {
    const args = call.args.map((arg) => compile(arg, scope).value([]))
    return sets[call.name](args, call, scope)
  }
  const value = compile(call, scope).value([])
  return { columns: [[undefined, staticType(call, scope) ?? 'text']], rows: [[value]] }
}

function requireFew(rows: number): void {
  if (rows <= sqlListMax) return
  const message = `a function in FROM answers at most ${sqlListMax} rows`
  throw evaluationError(evaluationState.tooLong, message)
}

/** Of whole numbers. */
function series(args: readonly SqlValue[], call: Call): Answer {
  const [from, to, step = int32Value(1)] = args
  if (args.length < 2 || args.length > 3) throw unknownFunction(call)
  const isWide = args.some((arg) => arg?.type === bsonType.int64)
  const columns = [[undefined, isWide ? 'int8' : 'int4']] as const
  if (args.includes(undefined)) return { columns, rows: [] }
  const [first, last, by] = [from, to, step].map((arg) => arg?.isNumber && integerOf(arg))
  if (typeof first !== 'number' || typeof last !== 'number' || typeof by !== 'number') {
    throw unknownFunction(call)
  }
  if (by === 0) {
    throw evaluationError(evaluationState.badArgument, 'step size cannot equal zero', call.at)
  }
  requireFew(Math.floor((last - first) / by) + 1)
  const rows: Value[][] = []
  for (let n = first; by > 0 ? n <= last : n >= last; n += by) {
    rows.push([isWide ? int64Value(BigInt(n)) : int32Value(n)])
  }
  return { columns, rows }
}

function unnested([array]: readonly SqlValue[], call: Call): Answer {
  const type = call.args[0] === undefined ? undefined : staticType(call.args[0])
  const columns = [[undefined, type?.endsWith('[]') ? type.slice(0, -2) : 'text']] as const
  if (call.args.length !== 1) throw unknownFunction(call)
  if (array === undefined) return { columns, rows: [] }
  if (array.type !== bsonType.array) throw unknownFunction(call)
  return { columns, rows: rowsOf(array, false) }
}

function elements([array]: readonly SqlValue[], name: string, isText: boolean): Answer {
  const columns = [[name, isText ? 'text' : 'jsonb']] as const
  if (array === undefined) return { columns, rows: [] }
  if (array.type !== bsonType.array) {
    const message = 'cannot extract elements from a value that is no array'
    throw evaluationError(evaluationState.badArgument, message)
  }
  return { columns, rows: rowsOf(array, isText) }
}

function rowsOf(array: Value, isText: boolean): SqlValue[][] {
  const list = elementsOf(array)
  requireFew(list.length)
  return list.map((element) => {
    if (element.isNullish) return [undefined]
    return [isText ? stringValue(textForm(element)) : element]
  })
}

function listening(channels: SessionChannels | undefined): Answer {
  const names = channels?.listening ?? []
  return { columns: [[undefined, 'text']], rows: names.map((name) => [stringValue(name)]) }
}

const keywordKinds = new Map([
  ['U', 'unreserved'],
  ['C', 'unreserved (cannot be function or type name)'],
  ['T', 'reserved (can be function or type name)'],
  ['R', 'reserved'],
])

function keywords(): Answer {
  const rows = pgKeywords().map(({ word, kind, isBareLabel }) => [
    ...[stringValue(word), stringValue(kind)],
    ...[boolValue(isBareLabel), stringValue(keywordKinds.get(kind) ?? '')],
    stringValue(isBareLabel ? 'can be bare label' : 'requires AS'),
  ])
  return {
    columns: [
      ['word', 'text'],
      ['catcode', 'text'],
      ['barelabel', 'bool'],
      ['catdesc', 'text'],
      ['baredesc', 'text'],
    ],
    rows,
  }
}

function unknownFunction({ name, args, at }: Call): Error {
  const message = `function ${name} with ${args.length} arguments of these types does not exist`
  return evaluationError(evaluationState.undefinedFunction, message, at)
}
