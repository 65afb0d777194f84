// Operators and functions whose results have one type, whatever their arguments: for the described
// types of columns, and for the types by which a statement is refused.

export const boolOperators: ReadonlySet<string> = new Set(
  '= <> < <= > >= ~~ !~~ ~~* !~~* ~ ~* !~ !~* @> <@'.split(' '),
)
