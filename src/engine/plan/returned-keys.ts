// returnKey: returns the index key by which a document was found, in place of the document. It is
// computed from plan and document, as a walk does to drop duplicates, so a sort in between carries
// no extra data.

import { compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { field } from '../../value/elements.js'
import type { Document, Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { recordKey } from '../collection/collections.js'
import { entryRowsOf, keyFieldsOf } from '../index/index-keys.js'
import type { Namespace } from '../types.js'
import { type Access, keysHold, type Plan, spansHold } from './plan.js'

type EntriesAccess = Extract<Access, { kind: 'entries' }>

/** The result if no index was used. */
export const noKey = writeDocument(() => {})

export class ReturnedKeys {
  constructor(
    private readonly ns: Namespace,
    private readonly plan: Plan,
  ) {}

  /** The fields of the index with their values; empty if no index was used. */
  keyOf(document: Document): Document {
    for (const access of this.plan.accesses) {
      const key =
        access.kind === 'entries' ? entryKey(access, document) : this.idKey(access, document)
      if (key !== undefined) return key
    }
    return noKey
  }

  /** The `_id` key, if the records themselves are the index. */
  private idKey(access: Exclude<Access, EntriesAccess>, document: Document): Document | undefined {
    if (access.kind === 'nothing' || access.bounds === undefined) return undefined
    const id = field(document, '_id')
    if (id === undefined) return undefined
    const key = recordKey(this.ns, id)
    const isFound =
      access.kind === 'points' ? keysHold(access.keys, key) : spansHold(access.spans, key)
    if (!isFound) return undefined
    requireShown(id, this.ns.collation !== undefined)
    return writeDocument((out) => out.value('_id', id))
  }
}

function entryKey(
  { index, spans, reverse }: EntriesAccess,
  document: Document,
): Document | undefined {
  let first: { readonly key: Uint8Array; readonly values: readonly Value[] } | undefined
  for (const entry of entryRowsOf(index, document)) {
    if (!spansHold(spans, entry.key)) continue
    if (first === undefined || compareBytes(entry.key, first.key) < 0 !== reverse) first = entry
  }
  if (first === undefined) return undefined
  const { values } = first
  return writeDocument((out: DocumentWriter) => {
    keyFieldsOf(index).forEach((path, i) => {
      const value = values[i]
      if (value === undefined) return
      requireShown(value, index.collation !== undefined && i !== index.wildcard?.at)
      out.value(path, value)
    })
  })
}

/**
 * Collation keys differ from MongoDB's: their bytes only define an order, so they are not shown.
 */
function requireShown(value: Value, isCollated: boolean): void {
  if (!isCollated || !isCollatable(value)) return
  throw fail('CommandNotSupported', 'returnKey is not supported for strings under a collation')
}
