// The table of what is known of SQL functions beside their evaluation: the type of a result, the
// arguments that they take, and which are aggregates. Types of columns, types of parameters and the
// refusals of statements read it; none of them has a list of names. A function that has no row here
// keeps Sigil from starting.

import { assert } from '../../../base/errors.js'
import { arrayOf, commonType, familyOf, numberOnly, type Type, unknown } from './type-family.js'

interface Aggregate {
  readonly arity: 1 | 2
  /** Families of types that it takes, `array` for all arrays; undefined for all types. */
  readonly families?: readonly string[]
  /** What a text literal or NULL leaves open: which version is meant, or the type of the result. */
  readonly open?: 'version' | 'type'
  /** It keeps its values, so it takes ORDER BY. */
  readonly isList?: true
  /** It takes `*`, which counts rows. */
  readonly takesStar?: true
}

interface FunctionFacts {
  /** The type of its result, or what it is by those of its arguments; undefined if rows tell it. */
  readonly returns: Type | ((types: readonly Type[]) => Type)
  /**
   * The type that columns show, if it is another one than `returns`: `arguments` for the common
   * type of its arguments, `array` for an array of it.
   */
  readonly shows?: string
  /**
   * `double`: numbers; a single open argument is a double. `doubles`: so is each of several.
   * `alike`: an open one has the type of the other. `several`: a single open one may be of several
   * types, so it is refused. `shown`: the texts of values of any type.
   */
  readonly takes?: 'any' | 'double' | 'doubles' | 'alike' | 'several' | 'shown'
  /** The type of parameters among its arguments. `alike`: they have one type. */
  readonly hints?: 'text' | 'alike' | 'time'
  /**
   * How arguments over declared tables are converted: a `pair` that is compared, `results` of one
   * type, a single one that is `rounded`, or texts as `bool`.
   */
  readonly converts?: 'pair' | 'results' | 'rounded' | 'bool'
  /** The column of virtual tables that holds its result. */
  readonly column?: string
  /** It asks each argument for its value, whatever the others are; it has many arguments. */
  readonly asksAll?: true
  /** It changes a setting of the session, before its statement runs. */
  readonly isSetting?: true
  readonly aggregate?: Aggregate
}

type Row = readonly [names: string, facts: FunctionFacts]

const nothingKnown: FunctionFacts = { returns: undefined }
const text = { returns: 'text' } as const
const int4 = { returns: 'int4' } as const
const bool = { returns: 'bool' } as const
const moment = { returns: 'timestamptz' } as const
const whole = { returns: roundedType, takes: 'double' } as const
const double = { returns: undefined, takes: 'double', shows: 'float8' } as const
const common = {
  returns: commonType,
  takes: 'any',
  shows: 'arguments',
  hints: 'alike',
  converts: 'results',
} as const
const one = { arity: 1 } as const
const numbers = { ...one, families: ['number'], open: 'version' } as const
const ofBools = { ...bool, converts: 'bool', aggregate: { ...one, families: ['bool'] } } as const
const list = { ...one, isList: true } as const
const jsonList = { takes: 'any', aggregate: { ...list, open: 'type' } } as const

const rows: readonly Row[] = [
  ['starts_with', { ...bool, hints: 'text' }],
  ['has_table_privilege has_schema_privilege has_database_privilege', bool],
  ['has_column_privilege has_any_column_privilege pg_table_is_visible', bool],
  ['pg_type_is_visible pg_function_is_visible pg_relation_is_publishable', bool],
  ['pg_is_other_temp_schema pg_is_in_recovery', bool],

  ['lower upper initcap substring substr left right replace', { ...text, hints: 'text' }],
  ['btrim ltrim rtrim lpad rpad split_part', { ...text, hints: 'text' }],
  ['current_setting quote_ident', { ...text, hints: 'text' }],
  ['trim repeat reverse chr quote_literal array_to_string', text],
  ['concat', { ...text, takes: 'shown', hints: 'text', asksAll: true }],
  ['concat_ws', { ...text, takes: 'shown' }],
  ['jsonb_typeof json_typeof', text],
  ['version current_database current_schema current_catalog', text],
  ['set_config', { ...text, isSetting: true }],
  ['current_user session_user current_role', text],
  ['format_type pg_encoding_to_char pg_get_userbyid pg_size_pretty', text],
  ['pg_get_indexdef', { ...text, column: 'indexdef' }],
  ['pg_get_constraintdef', { ...text, column: 'condef' }],
  ['pg_get_expr pg_get_viewdef pg_get_ruledef', text],
  ['pg_get_serial_sequence pg_get_statisticsobjdef_columns pg_get_partkeydef', text],
  ['obj_description col_description shobj_description', text],

  ['length char_length position strpos', { ...int4, hints: 'text' }],
  ['character_length octet_length ascii', int4],
  ['cardinality array_length array_upper array_lower', int4],
  ['jsonb_array_length json_array_length', int4],
  ['pg_backend_pid pg_index_key_count', int4],
  ['pg_relation_size pg_total_relation_size pg_table_size', { returns: 'int8' }],
  ['to_regclass to_regtype pg_advisory_unlock_all', nothingKnown],

  ['now current_timestamp transaction_timestamp statement_timestamp', moment],
  ['clock_timestamp to_timestamp', moment],
  ['localtimestamp', { returns: 'timestamp' }],
  ['current_date make_date', { returns: 'date' }],
  ['date_trunc', { returns: undefined, shows: 'timestamptz', hints: 'time' }],
  ['timezone', { returns: undefined, shows: 'timestamptz' }],
  ['extract', { returns: 'numeric', shows: 'float8', hints: 'time' }],
  ['date_part', { returns: 'float8', hints: 'time' }],

  ['abs', { returns: ([first]) => numberOnly(first), takes: 'double' }],
  ['ceil ceiling floor', whole],
  ['round', { ...whole, converts: 'rounded' }],
  ['trunc', { ...whole, takes: 'several' }],
  ['sqrt', { ...whole, shows: 'float8' }],
  ['sign', { returns: undefined, takes: 'double' }],
  ['power pow', { returns: undefined, takes: 'doubles' }],
  ['mod', { returns: undefined, takes: 'alike' }],
  ['exp ln log log10', double],
  ['pg_notification_queue_usage', { returns: 'float8' }],

  ['to_json', { returns: 'json', takes: 'any' }],
  ['to_jsonb', { returns: 'jsonb', takes: 'any' }],
  ['row_to_json', { returns: undefined, takes: 'any', shows: 'jsonb' }],
  ['string_to_array', { returns: 'text[]' }],
  ['parse_ident current_schemas', { returns: undefined, shows: 'text[]' }],
  ['pg_notify', { returns: undefined, shows: 'void' }],

  ['coalesce', common],
  ['greatest least', { ...common, asksAll: true }],
  [
    'nullif',
    {
      ...common,
      returns: (types) => (types[0] === unknown ? commonType(types) : types[0]),
      converts: 'pair',
    },
  ],

  ['count', { returns: 'int8', takes: 'any', aggregate: { ...one, takesStar: true } }],
  ['sum', { returns: sumType, hints: 'alike', aggregate: numbers }],
  ['avg', { returns: averageType, hints: 'alike', aggregate: numbers }],
  [
    'min max',
    {
      returns: ([first]) => (familyOf(first) === 'text' || first === unknown ? 'text' : first),
      shows: 'arguments',
      hints: 'alike',
      aggregate: { ...one, families: ['number', 'time', 'text', 'array'] },
    },
  ],
  ['bool_and bool_or every', ofBools],
  ['string_agg', { ...text, aggregate: { arity: 2, families: ['text'], isList: true } }],
  [
    'array_agg',
    {
      returns: ([first]) => arrayOf(first === unknown ? 'text' : first),
      takes: 'any',
      shows: 'array',
      aggregate: { ...list, open: 'version' },
    },
  ],
  ['json_agg', { ...jsonList, returns: 'json' }],
  ['jsonb_agg', { ...jsonList, returns: 'jsonb' }],
]

/** Whole numbers become doubles. */
function roundedType([type]: readonly Type[]): Type {
  if (familyOf(type) !== 'number') return undefined
  return type === 'numeric' ? type : 'float8'
}

function sumType([type]: readonly Type[]): Type {
  if (type === 'int2' || type === 'int4') return 'int8'
  return type === 'int8' ? 'numeric' : numberOnly(type)
}

/** Whole numbers become numeric. */
function averageType([type]: readonly Type[]): Type {
  if (familyOf(type) !== 'number') return undefined
  return type === 'float4' || type === 'float8' ? 'float8' : 'numeric'
}

const facts = new Map(
  rows.flatMap(([names, row]) => names.split(' ').map((name) => [name, row] as const)),
)

export function hasFacts(name: string): boolean {
  return facts.has(name)
}

export function functionFacts(name: string): FunctionFacts {
  return facts.get(name) ?? nothingKnown
}

/** Functions by name, at the start. Throws if one has no facts. */
export function functionTable<T>(
  rows: Iterable<readonly [names: string, row: T]>,
): ReadonlyMap<string, T> {
  const table = new Map<string, T>()
  for (const [names, row] of rows) {
    for (const name of names.split(' ')) {
      assert(hasFacts(name), `the SQL function ${name} has no facts`)
      table.set(name, row)
    }
  }
  return table
}
