// The lookup of commands by name. Names are case-sensitive; a row's aliases are the only other
// spellings. Two rows with one name stop the process at start.

import type { Document } from '../value/value.js'
import type { DocumentRow } from './row.js'

export class CommandTable {
  readonly rows: readonly DocumentRow[]
  private readonly byName = new Map<string, DocumentRow>()

  constructor(rows: readonly DocumentRow[]) {
    this.rows = [...rows].sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const row of rows) {
      for (const name of [row.name, ...(row.aliases ?? [])]) {
        if (this.byName.has(name)) throw new Error(`two commands named ${name}`)
        this.byName.set(name, row)
      }
    }
  }

  find(name: string): DocumentRow | undefined {
    return this.byName.get(name)
  }
}

/** Name of the command in a request: its first field; undefined where there is none. */
export function commandName(body: Document): string | undefined {
  if (body[4] === undefined || body[4] === 0) return undefined
  const end = body.indexOf(0, 5)
  let name = ''
  for (let at = 5; at < end; at++) name += String.fromCharCode(body[at] ?? 0)
  return name
}
