// Statements of clients that are known by how they begin, and ask in a grammar that is not
// supported for what a simpler statement answers.

/** How asyncpg asks what types are that it has no codec for: `typeinfo_tree` is its own name. */
const typeTree = /^\s*WITH\s+RECURSIVE\s+typeinfo_tree\s*\(\s*oid,\s*ns,\s*name,\s*kind,/i

/** Types here are plain ones and arrays of those, whose elements clients know. */
const plainTypes = `SELECT oid, 'pg_catalog' AS ns, typname AS name, typtype AS kind,
  NULL::oid AS basetype, typelem AS elemtype, typdelim AS elemdelim, NULL::oid AS range_subtype,
  NULL::text[] AS attrtypoids, NULL::text[] AS attrnames, 0 AS depth, NULL AS basetype_name,
  format_type(typelem, -1) AS elemtype_name, NULL AS range_subtype_name
  FROM pg_type WHERE oid = ANY ($1::oid[])`

/** The statement that is answered; mostly the text itself. */
export function answeredText(text: string): string {
  return typeTree.test(text) ? plainTypes : text
}
