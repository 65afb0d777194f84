// Recognizes client statements by their start. They use unsupported grammar, but a simpler
// statement has the same result.

/** asyncpg's query for types without a codec: only it uses the name `typeinfo_tree`. */
const typeTree = /^\s*WITH\s+RECURSIVE\s+typeinfo_tree\s*\(\s*oid,\s*ns,\s*name,\s*kind,/i

/** Types here are plain types and arrays of them, whose elements clients know. */
const plainTypes = `SELECT oid, 'pg_catalog' AS ns, typname AS name, typtype AS kind,
  NULL::oid AS basetype, typelem AS elemtype, typdelim AS elemdelim, NULL::oid AS range_subtype,
  NULL::text[] AS attrtypoids, NULL::text[] AS attrnames, 0 AS depth, NULL AS basetype_name,
  format_type(typelem, -1) AS elemtype_name, NULL AS range_subtype_name
  FROM pg_type WHERE oid = ANY ($1::oid[])`

/** The statement to execute; usually the text itself. */
export function answeredText(text: string): string {
  return typeTree.test(text) ? plainTypes : text
}
