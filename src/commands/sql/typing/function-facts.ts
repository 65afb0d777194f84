// The table of what is known of SQL functions beside their evaluation: the type of a result, the
// arguments that they take, and which are aggregates. Types of columns, types of parameters and the
// refusals of statements read it; none of them has a list of names.

interface Aggregate {
  readonly arity: 1 | 2
  /** Families of types that it takes; undefined for all. */
  readonly families?: readonly string[]
  /** It exists for several types, so a text literal or NULL leaves open which is meant. */
  readonly isOpen?: true
  /** It keeps its values, so it takes ORDER BY. */
  readonly isList?: true
}

interface FunctionFacts {
  /** The type of its result; undefined if its arguments decide or only values tell it. */
  readonly returns: string | undefined
  /**
   * The type that columns show, if it is another one than `returns`: `arguments` for the common
   * type of its arguments, `array` for an array of it.
   */
  readonly shows?: string
  /** `double`: numbers, in a version for doubles. `shown`: the texts of values of any type. */
  readonly takes?: 'any' | 'double' | 'shown'
  /** The type of parameters among its arguments. `alike`: they have one type. */
  readonly hints?: 'text' | 'alike' | 'time'
  readonly aggregate?: Aggregate
}

type Row = readonly [names: string, facts: FunctionFacts]

const text = { returns: 'text' } as const
const int4 = { returns: 'int4' } as const
const bool = { returns: 'bool' } as const
const moment = { returns: 'timestamptz' } as const
const double = { returns: undefined, takes: 'double' } as const
const common = { returns: undefined, takes: 'any', shows: 'arguments', hints: 'alike' } as const
const one = { arity: 1 } as const
const ofBools = { ...bool, aggregate: { ...one, families: ['bool'] } } as const
const ofNumbers = {
  returns: undefined,
  hints: 'alike',
  aggregate: { ...one, families: ['number'], isOpen: true },
} as const
const jsonList = { takes: 'any', aggregate: { ...one, isList: true } } as const

const rows: readonly Row[] = [
  ['starts_with', { ...bool, hints: 'text' }],
  ['has_table_privilege has_schema_privilege has_database_privilege', bool],
  ['has_column_privilege has_any_column_privilege pg_table_is_visible', bool],

  ['lower upper initcap substring substr left right replace', { ...text, hints: 'text' }],
  ['btrim ltrim rtrim lpad rpad split_part', { ...text, hints: 'text' }],
  ['current_setting quote_ident', { ...text, hints: 'text' }],
  ['trim repeat reverse md5 translate chr to_char quote_literal', text],
  ['concat', { ...text, takes: 'shown', hints: 'text' }],
  ['concat_ws', { ...text, takes: 'shown' }],
  ['format', { returns: undefined, takes: 'shown' }],
  ['jsonb_typeof json_typeof', text],
  ['version current_database current_schema current_user session_user set_config', text],
  ['format_type pg_encoding_to_char pg_get_userbyid pg_get_expr pg_get_indexdef', text],
  ['pg_get_constraintdef obj_description col_description', text],

  ['length char_length position strpos', { ...int4, hints: 'text' }],
  ['character_length octet_length ascii cardinality array_length', int4],
  ['jsonb_array_length json_array_length', int4],

  ['now current_timestamp transaction_timestamp statement_timestamp', moment],
  ['clock_timestamp to_timestamp', moment],
  ['localtimestamp', { returns: 'timestamp' }],
  ['current_date make_date', { returns: 'date' }],
  ['date_trunc', { returns: undefined, shows: 'timestamptz', hints: 'time' }],
  ['timezone', { returns: undefined, shows: 'timestamptz' }],
  ['extract', { returns: 'numeric', shows: 'float8', hints: 'time' }],
  ['date_part', { returns: 'float8', hints: 'time' }],

  ['abs ceil ceiling floor power round sign trunc', double],
  ['exp ln sqrt', { ...double, shows: 'float8' }],
  ['random pi', { returns: 'float8' }],

  ['to_json', { returns: 'json', takes: 'any' }],
  ['to_jsonb', { returns: 'jsonb', takes: 'any' }],
  ['row_to_json', { returns: undefined, takes: 'any', shows: 'jsonb' }],
  ['string_to_array', { returns: 'text[]' }],
  ['parse_ident current_schemas', { returns: undefined, shows: 'text[]' }],
  ['pg_notify', { returns: undefined, shows: 'void' }],

  ['coalesce greatest least nullif', common],

  ['count', { returns: 'int8', takes: 'any', aggregate: one }],
  ['sum avg', ofNumbers],
  [
    'min max',
    {
      returns: undefined,
      shows: 'arguments',
      hints: 'alike',
      aggregate: { ...one, families: ['number', 'time', 'text'] },
    },
  ],
  ['bool_and bool_or every', ofBools],
  ['string_agg', { ...text, aggregate: { arity: 2, families: ['text'], isList: true } }],
  [
    'array_agg',
    {
      returns: undefined,
      takes: 'any',
      shows: 'array',
      aggregate: { ...one, isOpen: true, isList: true },
    },
  ],
  ['json_agg', { ...jsonList, returns: 'json' }],
  ['jsonb_agg', { ...jsonList, returns: 'jsonb' }],
]

const facts: ReadonlyMap<string, FunctionFacts> = new Map(
  rows.flatMap(([names, row]) => names.split(' ').map((name) => [name, row] as const)),
)

const nothingKnown: FunctionFacts = { returns: undefined }

export function functionFacts(name: string): FunctionFacts {
  return facts.get(name) ?? nothingKnown
}
