// The lookup of commands by name. Names are case-sensitive; the aliases of a row are the only other
// spellings. If two rows share a name, Sigil does not start.

import { type Bytes, utf8 } from '../../base/bytes/bytes.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'
import type { DocumentRow } from './row.js'

interface Spelling {
  readonly name: Bytes
  readonly row: DocumentRow
}

export class CommandTable {
  readonly rows: readonly DocumentRow[]
  /** By length and first byte. Candidates are compared as bytes, so a name is never decoded. */
  private readonly byShape = new Map<number, Spelling[]>()

  constructor(rows: readonly DocumentRow[]) {
    this.rows = [...rows].sort((a, b) => (a.name < b.name ? -1 : 1))
    const names = new Set<string>()
    for (const row of rows) {
      for (const name of [row.name, ...(row.aliases ?? [])]) {
        if (names.has(name)) throw new Error(`two commands named ${name}`)
        names.add(name)
        this.addSpelling(utf8(name), row)
      }
    }
  }

  /** The row that a request names in its first field. */
  rowOf(body: Document): DocumentRow | undefined {
    if (body[4] === undefined || body[4] === 0) return undefined
    const length = body.indexOf(0, nameStart) - nameStart
    const spellings = this.byShape.get(shapeOf(length, body[nameStart]))
    if (spellings === undefined) return undefined
    for (let i = 0; i < spellings.length; i++) {
      const { name, row } = spellings[i] as Spelling
      if (startsAt(body, nameStart, name)) return row
    }
    return undefined
  }

  /** The text of the SQL statement that a request carries, if it does. */
  statementIn(body: Document): string | undefined {
    if (this.rowOf(body)?.isStatement !== true) return undefined
    const elements = new Elements(body)
    const isText = elements.next() && elements.type === bsonType.string
    return isText ? stringOf(elements.value()) : undefined
  }

  /** The row of that name; aliases do not count. */
  rowNamed(name: string): DocumentRow | undefined {
    return this.rows.find((row) => row.name === name)
  }

  private addSpelling(name: Bytes, row: DocumentRow): void {
    const shape = shapeOf(name.length, name[0])
    const spellings = this.byShape.get(shape)
    if (spellings === undefined) this.byShape.set(shape, [{ name, row }])
    else spellings.push({ name, row })
  }
}

/** Offset behind the document's length and the type of its first field. */
const nameStart = 5

function shapeOf(length: number, first = 0): number {
  return (length << 8) | first
}

function startsAt(bytes: Bytes, start: number, name: Bytes): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false
  return true
}
