// Queries inside expressions. Supported are only those with a result known in advance: queries of
// psql and Grafana on catalog tables that are always empty here, and on the search path. Others are
// refused at the end of the statement, because an enclosing query may turn out to have no rows.

import { GatewayError } from '../../base/errors.js'
import { stringValue } from '../../value/value.js'
import type { Expression, SelectStatement } from './ast.js'
import { callOf } from './call.js'
import { Lexer } from './lexer.js'
import { sqlState } from './sql-error.js'
import type { Token } from './token.js'
import type { TokenStream } from './token-stream.js'

/** Tables of PostgreSQL's catalog that are always empty here. */
const emptyTables = new Set(
  `pg_aggregate pg_attrdef pg_auth_members pg_cast pg_collation pg_conversion pg_db_role_setting
  pg_default_acl pg_depend pg_description pg_enum pg_event_trigger pg_extension
  pg_foreign_data_wrapper pg_foreign_server pg_foreign_table pg_inherits pg_language pg_largeobject
  pg_matviews pg_opclass pg_operator pg_opfamily pg_partitioned_table pg_policies pg_policy pg_proc
  pg_publication pg_publication_namespace pg_publication_rel pg_publication_tables pg_range
  pg_replication_slots pg_rewrite pg_rules pg_seclabel pg_sequence pg_sequences pg_shdepend
  pg_shdescription pg_shseclabel pg_statistic pg_statistic_ext pg_statistic_ext_data pg_subscription
  pg_subscription_rel pg_tablespace pg_transform pg_trigger pg_ts_config pg_ts_dict pg_ts_parser
  pg_ts_template pg_user_mapping`.split(/\s+/),
)

const aggregates = new Set(
  `array_agg avg bit_and bit_or bool_and bool_or count every json_agg json_object_agg jsonb_agg
  jsonb_object_agg max min stddev string_agg sum variance`.split(/\s+/),
)

/** Whether a table is one of these catalog tables. */
function isEmptyTable(schema: string | undefined, name: string): boolean {
  return (schema === undefined || schema === 'pg_catalog') && emptyTables.has(name)
}

/** Whether a query never has a row, whatever is stored: then it is never executed. */
export function isAlwaysEmpty({ from, joins, ...select }: SelectStatement): boolean {
  const inner = joins.filter(({ type }) => type !== 'left').map(({ table }) => table)
  const tables = from === undefined ? [] : [from, ...inner]
  if (!tables.some(({ schema, name }) => isEmptyTable(schema, name))) return false
  return select.groupBy.length > 0 || !hasAggregate([select.results, select.having])
}

function hasAggregate(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasAggregate)
  if (typeof node !== 'object' || node === null) return false
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown }
  if (kind === 'literal') return false
  if (kind === 'call' && aggregates.has(String(name))) return true
  return Object.values(node).some(hasAggregate)
}

/**
 * Parses from after the opening parenthesis to the closing one. `empty`: it has no rows; `unknown`:
 * the statement will be refused, unless an enclosing query has no rows.
 */
export function parseSubquery(tokens: TokenStream): 'empty' | 'unknown' {
  const { at } = tokens
  const refusal = () => tokens.notSupported('subqueries', at)
  if (acceptWords(tokens, withoutRows) !== undefined) return 'empty'
  const place = tokens.place()
  try {
    if (tokens.has('select') && tokens.deeper(() => tokens.isEmptyQuery())) return 'empty'
  } catch (error) {
    if (!isRefusal(error)) throw error
    tokens.goBack(place)
  }
  tokens.countSubquery(refusal)
  if (!tokens.hasSymbol(')')) skip(tokens)
  tokens.defer(refusal)
  return 'unknown'
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.extra.sqlState === sqlState.featureNotSupported
}

/** Skips to the closing parenthesis, or as long as `takes`. */
function skip(tokens: TokenStream, takes: (token: Token) => boolean = () => true): void {
  for (let depth = 0; !tokens.isAtEnd; ) {
    if (tokens.hasSymbol('(')) depth++
    else if (tokens.hasSymbol(')') && --depth < 0) break
    if (!takes(tokens.take())) break
  }
}

/** Grafana's query for the schemas of the search path. */
const searchPathQuery = `
  SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
  FROM generate_series(
      array_lower(string_to_array(current_setting('search_path'),','),1),
      array_upper(string_to_array(current_setting('search_path'),','),1)
    ) as i,
    string_to_array(current_setting('search_path'),',') s`

const searchPath = [wordsOf(searchPathQuery)]

/** The schemas, if the query after the parenthesis requests those of the search path. */
export function acceptSearchPath(tokens: TokenStream): Expression[] | undefined {
  const { at } = tokens
  if (acceptWords(tokens, searchPath) === undefined) return undefined
  return [callOf(at, 'current_user', []), { kind: 'literal', at, value: stringValue('public') }]
}

/** psql's queries for options of a table and constraints (`\\d index`), which do not exist here. */
const withoutRows = [
  wordsOf("SELECT 'toast.' || x FROM pg_catalog.unnest(tc.reloptions) x"),
  ...['condeferrable', 'condeferred'].map((column) =>
    wordsOf(
      `SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid
        AND conindid = i.indexrelid AND contype IN ('p','u','x') AND ${column}`,
    ),
  ),
]

const number = /^'(\d+)'$/
const keyCount = [
  [...wordsOf('select i.indnkeyatts from pg_catalog.pg_index i where i.indexrelid ='), number],
]

/** The column count of an index, if psql requests it after the parenthesis. */
export function acceptKeyCount(tokens: TokenStream): Expression | undefined {
  const { at } = tokens
  const last = acceptWords(tokens, keyCount)
  const oid = number.exec(last ?? '')?.[1]
  if (oid === undefined) return undefined
  return callOf(at, 'pg_index_key_count', [{ kind: 'literal', at, value: stringValue(oid) }])
}

/**
 * Takes the tokens up to the closing parenthesis if they are one of these queries; returns the last
 * word. It looks no further than to the first word that differs.
 */
function acceptWords(
  tokens: TokenStream,
  queries: readonly (readonly (string | RegExp)[])[],
): string | undefined {
  const place = tokens.place()
  let last: string | undefined
  let count = 0
  let left = queries
  skip(tokens, (token) => {
    const word = wordOf(token, tokens.text)
    left = left.filter((query) => fits(word, query[count]))
    last = word
    count++
    return left.length > 0
  })
  if (left.some(({ length }) => length === count)) return last
  tokens.goBack(place)
  return undefined
}

function fits(word: string, wanted: string | RegExp | undefined): boolean {
  return typeof wanted === 'object' ? wanted.test(word) : word === wanted
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  const lexer = new Lexer(text)
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
    words.push(wordOf(token, text))
  }
  return words
}

function wordOf({ start, end }: Token, text: string): string {
  return text.slice(start, end).toLowerCase()
}
