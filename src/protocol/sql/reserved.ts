// Reserved words, which a field name must quote. PostgreSQL reserves more; `user`, `desc` or
// `default` are common fields of documents.

const reserved = new Set(
  `all and any array as case cast create cross current_catalog current_date current_role
  current_time current_timestamp current_user delete distinct drop else end except exists false
  fetch for from full group having ilike in inner insert intersect into is isnull join lateral
  left like limit localtime localtimestamp natural not notnull null offset on or order outer
  returning right select session_user set similar some then true union update using values when
  where window with`.split(/\s+/),
)

/** `word` in lower case. */
export function isReserved(word: string): boolean {
  return reserved.has(word)
}

/** Words that PostgreSQL uses for something other than a type. */
const notTypes = new Set(
  `analyse analyze asc asymmetric between both check coalesce collate column constraint
  current_catalog current_date current_role current_time current_timestamp current_user default
  deferrable desc do exists extract foreign grant greatest grouping initially inout leading least
  localtime localtimestamp none normalize nullif only out overlay placing position precision primary
  references row session_user setof substring symmetric system_user table to trailing treat trim
  unique user variadic xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse
  xmlpi xmlroot xmlserialize xmltable`.split(/\s+/),
)

/** Whether `word`, in lower case, may be the name of a type. */
export function canNameType(word: string): boolean {
  return !reserved.has(word) && !notTypes.has(word)
}

/** Reserved because they join clauses; PostgreSQL allows them as names of functions and types. */
const joiners = new Set(
  'like ilike similar is isnull notnull join inner outer full cross natural left right'.split(' '),
)

/** `word` in lower case. */
export function isJoiner(word: string): boolean {
  return joiners.has(word)
}
