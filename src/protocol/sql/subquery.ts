// Queries inside expressions. They are not supported, but for those whose answer is known without
// being run: what psql and Grafana ask of catalog tables that are always empty here, and of the
// search path. What is refused is refused at the end of the statement, since it may turn out to
// stand in a query that has no rows anyway.

import { GatewayError } from '../../base/errors.js'
import { stringValue } from '../../value/value.js'
import type { Expression, SelectStatement } from './ast.js'
import { callOf } from './call.js'
import { Lexer } from './lexer.js'
import { sqlState } from './sql-error.js'
import type { Token } from './token.js'
import type { TokenStream } from './token-stream.js'

/** Tables of PostgreSQL's catalog that have nothing to tell here. */
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

/** Whether a table is one of the catalog's that never have a row here. */
function isEmptyTable(schema: string | undefined, name: string): boolean {
  return (schema === undefined || schema === 'pg_catalog') && emptyTables.has(name)
}

/** Whether a query has no row whatever is stored: nothing of it is ever computed. */
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
 * Behind the parenthesis that opens one, up to the one that closes it. `empty`: it has no rows;
 * `unknown`: the statement will be refused, unless what is around it has none.
 */
export function parseSubquery(tokens: TokenStream): 'empty' | 'unknown' {
  const refusal = tokens.notSupported('subqueries')
  if (acceptWords(tokens, (words) => withoutRows.has(words)) !== undefined) return 'empty'
  const place = tokens.place()
  try {
    if (tokens.has('select') && tokens.deeper(() => tokens.isEmptyQuery())) return 'empty'
  } catch (error) {
    if (!isRefusal(error)) throw error
    tokens.goBack(place)
  }
  if (!tokens.hasSymbol(')')) skip(tokens)
  tokens.defer(refusal)
  return 'unknown'
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.extra.sqlState === sqlState.featureNotSupported
}

/** Up to the parenthesis that closes what is open, or so many; answers what was passed. */
function skip(tokens: TokenStream, most = Number.POSITIVE_INFINITY): Token[] {
  const passed: Token[] = []
  for (let depth = 0; !tokens.isAtEnd && passed.length < most; ) {
    if (tokens.hasSymbol('(')) depth++
    else if (tokens.hasSymbol(')') && --depth < 0) break
    passed.push(tokens.take())
  }
  return passed
}

/** How Grafana asks for the schemas of the search path. */
const searchPathQuery = `
  SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
  FROM generate_series(
      array_lower(string_to_array(current_setting('search_path'),','),1),
      array_upper(string_to_array(current_setting('search_path'),','),1)
    ) as i,
    string_to_array(current_setting('search_path'),',') s`

const searchPathWords = wordsOf(searchPathQuery)

/** The schemas, where the query behind the parenthesis asks for those of the search path. */
export function acceptSearchPath(tokens: TokenStream): Expression[] | undefined {
  const { at } = tokens
  if (acceptWords(tokens, (words) => words === searchPathWords) === undefined) return undefined
  return [callOf(at, 'current_user', []), { kind: 'literal', at, value: stringValue('public') }]
}

/** What psql asks of a table's options, which there are none of, and constraints (`\\d index`). */
const withoutRows = new Set([
  wordsOf("SELECT 'toast.' || x FROM pg_catalog.unnest(tc.reloptions) x"),
  ...['condeferrable', 'condeferred'].map((column) =>
    wordsOf(
      `SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid
        AND conindid = i.indexrelid AND contype IN ('p','u','x') AND ${column}`,
    ),
  ),
])

const keyCountWords =
  /^select i \. indnkeyatts from pg_catalog \. pg_index i where i \. indexrelid = '(\d+)'$/

/** How many columns an index has, where psql asks for that behind the parenthesis. */
export function acceptKeyCount(tokens: TokenStream): Expression | undefined {
  const { at } = tokens
  const words = acceptWords(tokens, (given) => keyCountWords.test(given))
  const oid = keyCountWords.exec(words ?? '')?.[1]
  if (oid === undefined) return undefined
  return callOf(at, 'pg_index_key_count', [{ kind: 'literal', at, value: stringValue(oid) }])
}

/** Of a query that is known. */
const knownWordsMax = 150

/** Takes what stands up to the closing parenthesis, where that is what is looked for. */
function acceptWords(
  tokens: TokenStream,
  isWanted: (words: string) => boolean,
): string | undefined {
  const place = tokens.place()
  const words = skip(tokens, knownWordsMax)
    .map((token) => wordOf(token, tokens.text))
    .join(' ')
  if (isWanted(words)) return words
  tokens.goBack(place)
  return undefined
}

function wordsOf(text: string): string {
  const words: string[] = []
  const lexer = new Lexer(text)
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
    words.push(wordOf(token, text))
  }
  return words.join(' ')
}

function wordOf({ start, end }: Token, text: string): string {
  return text.slice(start, end).toLowerCase()
}
