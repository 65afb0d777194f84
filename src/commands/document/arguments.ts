// Parameters and checks that several document commands share, so that they refuse the same things
// in the same words.

import { fail } from '../../base/errors.js'
import { writeBatchMax } from '../../base/limits.js'
import { countNumber, object, optional, structure, withDefault } from '../../bus/params.js'
import type { Field } from '../../bus/schema.js'
import type { Need, Touch } from '../../engine/types.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'

/** `{}`: the filter that everything matches. */
export const emptyDocument: Document = Uint8Array.of(5, 0, 0, 0, 0)

/** A collation; only the simple one, which is the order of bytes, is served. */
export const collation: Field<Document | undefined> = optional({
  ...object,
  bind: (where) => {
    const read = object.bind(where)
    return (value) => {
      const given = read(value)
      requireSimple(given)
      return given
    }
  },
})

function requireSimple(given: Document): void {
  const locale = field(given, 'locale')
  if (locale === undefined && given.length === emptyDocument.length) return
  if (locale?.type === bsonType.string && stringOf(locale) === 'simple') return
  throw fail('CommandNotSupported', "collation is not supported but for {locale: 'simple'}")
}

/** `cursor: {batchSize}` of commands that answer with a cursor. */
export const cursorOptions = structure({ batchSize: optional(countNumber) })

export const optionalCursor = withDefault(cursorOptions, { batchSize: undefined })

/** The touches of a command on its one collection. */
export function touchesTarget(
  ...needs: readonly Need[]
): (call: { readonly db: string; readonly target: string }) => readonly Touch[] {
  return ({ db, target }) => [{ db, collection: target, needs }]
}

/** Throws InvalidLength unless a write command brings 1 to writeBatchMax operations. */
export function requireBatch(operations: number): void {
  if (operations >= 1 && operations <= writeBatchMax) return
  const range = `between 1 and ${writeBatchMax}`
  const text = `Write batch sizes must be ${range}. Got ${operations} operations.`
  throw fail('InvalidLength', text)
}

/** The database and collection of `db.collection`; the first dot divides. */
export function splitNamespace(ns: string): { readonly db: string; readonly collection: string } {
  const dot = ns.indexOf('.')
  if (dot > 0 && dot < ns.length - 1) {
    return { db: ns.slice(0, dot), collection: ns.slice(dot + 1) }
  }
  throw fail('InvalidNamespace', `Invalid namespace specified '${ns}'`)
}

/** Absent or `{}`: an option that asks for nothing. */
export function isEmpty(document: Document | undefined): document is undefined {
  return document === undefined || document.length === emptyDocument.length
}
