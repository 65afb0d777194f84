// Completion of SQL: keywords, the collections that the caller may read, and the fields of those
// that the statement names, also behind an alias.

import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { fieldsOf, tableNames } from './sources.js'

const keywords = (
  'SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET JOIN ' +
  'INNER LEFT RIGHT FULL OUTER CROSS ON USING AS WITH UNION INTERSECT EXCEPT ALL INSERT INTO ' +
  'VALUES UPDATE SET DELETE RETURNING CONFLICT DO NOTHING CREATE TABLE INDEX UNIQUE VIEW DROP IF ' +
  'EXISTS TRUNCATE EXPLAIN ANALYZE SHOW TABLES INDEXES DESCRIBE AND OR NOT IN IS NULL TRUE FALSE ' +
  'BETWEEN LIKE ILIKE CASE WHEN THEN ELSE END CAST COUNT SUM AVG MIN MAX COALESCE'
).split(' ')
/** Fields are asked for of at most as many collections. */
const tablesMax = 4
const named = /\b(?:from|join|update|into|table)\s+("(?:[^"]|"")+"|[\w.]+)(?:\s+(?:as\s+)?(\w+))?/gi

export const sqlCompletion: CompletionSource = async (context) => {
  const word = context.matchBefore(/[\w.$]*$/)
  if (word === null || (word.from === word.to && !context.explicit)) return null
  const [, qualifier, rest = ''] = /^(\w+)\.([\w.$]*)$/.exec(word.text) ?? []
  const tables = await tableNames()
  const used = usedTables(context.state.doc.toString(), tables)
  if (qualifier !== undefined) {
    const table = used.find(({ alias, name }) => alias === qualifier || name === qualifier)
    const options = table === undefined ? [] : await columns(table.name)
    return { from: word.to - rest.length, options, validFor: /^[\w.$]*$/ }
  }
  const own = await Promise.all(used.map(({ name }) => columns(name)))
  const options: Completion[] = [
    ...own.flat(),
    ...tables.map((name) => ({ label: quotedName(name), detail: 'collection', boost: 1 })),
    ...keywords.map((label) => ({ label, type: 'keyword' })),
  ]
  return { from: word.from, options, validFor: /^[\w$]*$/ }
}

interface UsedTable {
  readonly name: string
  readonly alias: string | undefined
}

function usedTables(text: string, tables: readonly string[]): readonly UsedTable[] {
  const found = Array.from(text.matchAll(named), ([, name = '', alias]) => ({
    name: name.replace(/^"|"$/g, '').replaceAll('""', '"'),
    alias,
  }))
  return found.filter(({ name }) => tables.includes(name)).slice(0, tablesMax)
}

async function columns(table: string): Promise<readonly Completion[]> {
  const fields = await fieldsOf({ name: table, database: '' })
  return fields.map(({ path, types }) => ({
    label: path.split('.').map(quotedName).join('.'),
    detail: types,
    boost: 2,
  }))
}

/** Only where the name needs it. */
function quotedName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
