// Parameters and checks that several document commands share, so that they refuse the same mistakes
// with the same error texts.

import { fail } from '../../base/errors.js'
import { writeBatchMax } from '../../base/limits/documents.js'
import type { Call } from '../../bus/document/call.js'
import {
  anyValue,
  countNumber,
  flag,
  object,
  optional,
  structure,
  withDefault,
} from '../../bus/document/params.js'
import { type DocumentRow, documentRow } from '../../bus/document/row.js'
import type { DocumentFacts } from '../../bus/document/row-facts.js'
import type { Args, Field } from '../../bus/document/schema.js'
import { plain } from '../../bus/policy/facts.js'
import type { Namespace, Privilege, Resource } from '../../engine/types.js'
import type { QueryContext } from '../../query/context.js'
import { type Collation, parseCollation, sameCollation } from '../../value/collation/collation.js'
import type { Document, Value } from '../../value/value.js'

interface BareRow
  extends Omit<DocumentFacts, keyof typeof plain | 'grain'>,
    Partial<Pick<DocumentFacts, keyof typeof plain>> {
  readonly ignoresUnknown?: boolean
  run(call: Call<Args<Record<never, never>>, Value>): Document
}

/** The row of a command that needs no store and takes no arguments. */
export function bareRow(row: BareRow): DocumentRow {
  return documentRow({ ...plain, grain: 'local', target: anyValue, params: {}, ...row })
}

/** `{}`: as a filter it matches every document. */
export const emptyDocument: Document = Uint8Array.of(5, 0, 0, 0, 0)

/** A collation from a client; it is undefined for `{locale: 'simple'}`. */
export interface GivenCollation {
  readonly collation: Collation | undefined
}

/** `{}` means no collation. */
export const collation: Field<GivenCollation | undefined> = {
  isRequired: false,
  absent: undefined,
  takesNull: false,
  bind: (where) => {
    const read = object.bind(where)
    return (value) => {
      const given = read(value)
      return isEmpty(given) ? undefined : { collation: parseCollation(given) }
    }
  },
}

/**
 * The context of a command on a collection. Strings compare by the command's collation, else by the
 * collection's. Throws OptionNotSupportedOnView if a view has another collation.
 */
export function collated(
  context: QueryContext,
  given: GivenCollation | undefined,
  ns: Namespace | undefined,
): QueryContext {
  if (given === undefined) {
    return ns?.collation === undefined ? context : { ...context, collation: ns.collation }
  }
  if (ns?.view !== undefined && !sameCollation(given.collation, ns.collation)) {
    throw fail('OptionNotSupportedOnView', "Cannot override a view's default collation")
  }
  return given.collation === undefined ? context : { ...context, collation: given.collation }
}

/** `cursor: {batchSize}` of commands that reply with a cursor. */
export const cursorOptions = structure({ batchSize: optional(countNumber) })

export const optionalCursor = withDefault(cursorOptions, { batchSize: undefined })

/** Sent by tools that restore data: Timestamp(0, 0) is then stored unchanged. */
export const bypassEmptyTsReplacement = withDefault(flag, false)

/** The context of a write command, with its choice about empty timestamps. */
export function stamping(
  context: QueryContext,
  args: { readonly bypassEmptyTsReplacement: boolean },
): QueryContext {
  return args.bypassEmptyTsReplacement ? { ...context, keepsEmptyTimestamps: true } : context
}

/** The resources of a command on its single collection. */
export function targetResource(
  ...privileges: readonly Privilege[]
): (call: { readonly db: string; readonly target: string }) => readonly Resource[] {
  return ({ db, target }) => [{ db, collection: target, privileges }]
}

/** Bypassing a collection's validator needs the privilege to change the validator. */
export function writePrivileges(args: {
  readonly bypassDocumentValidation: boolean
}): readonly Privilege[] {
  return args.bypassDocumentValidation ? ['write', 'own'] : ['write']
}

/** The resource of a write command on its single collection. */
export function writtenResource(call: {
  readonly db: string
  readonly target: string
  readonly args: { readonly bypassDocumentValidation: boolean }
}): readonly Resource[] {
  return [{ db: call.db, collection: call.target, privileges: writePrivileges(call.args) }]
}

/** The resource of a command on a name, which may be a collection or a view. */
export function namedResource(
  ...privileges: readonly Privilege[]
): (call: { readonly db: string; readonly target: string }) => readonly Resource[] {
  return ({ db, target }) => [{ db, collection: target, privileges, views: 'allow' }]
}

/** Throws InvalidLength unless a write command has 1 to writeBatchMax operations. */
export function requireBatch(operations: number): void {
  if (operations >= 1 && operations <= writeBatchMax) return
  const range = `between 1 and ${writeBatchMax}`
  const text = `Write batch sizes must be ${range}. Got ${operations} operations.`
  throw fail('InvalidLength', text)
}

/** The database and collection of `db.collection`, split at the first dot. */
export function splitNamespace(ns: string): { readonly db: string; readonly collection: string } {
  const dot = ns.indexOf('.')
  if (dot > 0 && dot < ns.length - 1) {
    return { db: ns.slice(0, dot), collection: ns.slice(dot + 1) }
  }
  throw fail('InvalidNamespace', `Invalid namespace specified '${ns}'`)
}

/** Whether an option is absent or `{}`, which means the same. */
export function isEmpty(document: Document | undefined): document is undefined {
  return document === undefined || document.length === emptyDocument.length
}
