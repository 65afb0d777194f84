// Words that begin or join parts of the grammar: where a name may stand, a field called so has to
// be quoted. PostgreSQL reserves more; `user`, `desc` or `default` are fields of many documents.

const reserved = new Set(
  `all and any array as between by case cast create cross delete distinct drop else end except
  exists false fetch for from full group having ilike in inner insert intersect into is isnull
  join lateral left like limit natural not notnull null offset on or order outer returning right
  select set similar some then true union update using values when where window with`.split(/\s+/),
)

/** `word` in lower case. */
export function isReserved(word: string): boolean {
  return reserved.has(word)
}
