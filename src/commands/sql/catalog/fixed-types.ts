// Operators and functions whose results have one type, whatever their arguments: for the described
// types of columns, and for the types by which a statement is refused.

export const boolOperators: ReadonlySet<string> = new Set(
  '= <> < <= > >= ~~ !~~ ~~* !~~* ~ ~* !~ !~* @> <@'.split(' '),
)

export const boolCalls: ReadonlySet<string> = new Set([
  ...['bool_and', 'bool_or', 'every', 'starts_with'],
  ...['pg_table_is_visible', 'has_table_privilege', 'has_schema_privilege'],
  ...['has_database_privilege', 'has_column_privilege', 'has_any_column_privilege'],
])
export const textCalls: ReadonlySet<string> = new Set(
  `lower upper initcap substring substr left right replace btrim trim ltrim rtrim lpad rpad repeat
  reverse concat concat_ws string_agg md5 split_part translate chr to_char version format_type
  current_database current_schema current_user session_user current_setting set_config
  pg_get_userbyid
  pg_get_expr pg_get_indexdef pg_get_constraintdef obj_description col_description
  jsonb_typeof json_typeof quote_ident quote_literal pg_encoding_to_char`.split(/\s+/),
)
export const int4Calls: ReadonlySet<string> = new Set(
  `length char_length character_length octet_length position strpos ascii jsonb_array_length
  json_array_length cardinality array_length`.split(/\s+/),
)
