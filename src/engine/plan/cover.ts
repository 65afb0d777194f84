// Covered queries: the projected fields come from the index entry, and the record is read only if
// an entry does not identify a value's type. Fields come in index order, `_id` first, as on
// MongoDB.

import type { Bytes } from '../../base/bytes/bytes.js'
import { findElement } from '../../value/elements.js'
import { readKeyPart } from '../../value/key-reader.js'
import { parsePath } from '../../value/path.js'
import type { Document, Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { isHashedKey } from '../collection/collections.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import { entryHeadBytes } from '../index/index-keys.js'
import type { IndexDescriptor, IndexField, Namespace } from '../types.js'
import { isMultikey, type Plan } from './plan.js'

export class Cover {
  private readonly keepsId: boolean
  /** Whether each field of the index is kept, up to the last kept one. */
  private readonly kept: readonly boolean[]

  constructor(
    private readonly fields: readonly IndexField[],
    paths: ReadonlySet<string>,
  ) {
    this.keepsId = paths.has('_id')
    const kept = fields.map(({ path }) => path !== '_id' && paths.has(path))
    this.kept = kept.slice(0, kept.lastIndexOf(true) + 1)
  }

  /** The projected document; undefined if the record must be read. */
  documentOf(entry: Bytes, recordKey: Bytes): Document | undefined {
    const writer = new DocumentWriter()
    if (this.keepsId) {
      const id = isHashedKey(recordKey) ? undefined : readKeyPart(recordKey, entryHeadBytes)?.value
      if (id === undefined) return undefined
      writer.value('_id', id)
    }
    let at = entryHeadBytes
    for (let i = 0; i < this.kept.length; i++) {
      const field = this.fields[i] as IndexField
      const part = readKeyPart(entry, at, field.direction === -1)
      if (part === undefined) return undefined
      if (this.kept[i] === true) {
        if (part.value === undefined) return undefined
        writer.value(field.path, part.value)
      }
      at = part.end
    }
    return writer.finish()
  }

  /** The same, from a whole document. */
  cut(document: Document): Document {
    const writer = new DocumentWriter()
    const put = (name: string): void => {
      const value: Value | undefined = findElement(document, 0, parsePath(name).names[0] as Bytes)
      if (value !== undefined) writer.value(name, value)
    }
    if (this.keepsId) put('_id')
    this.kept.forEach((isKept, i) => {
      if (isKept) put(this.fields[i]?.path ?? '')
    })
    return writer.finish()
  }
}

/** Undefined if the plan must read documents, or the projection is more than field names. */
export function coverOf(
  ns: Namespace,
  plan: Plan,
  wanted: Iterable<string> | undefined,
): Cover | undefined {
  const paths = wanted === undefined ? undefined : [...wanted]
  const [access, ...others] = plan.accesses
  if (paths === undefined || !plan.isExact || others.length > 0) return undefined
  if (access?.kind !== 'entries' || !isPlain(access.index)) return undefined
  // The expiry of keys is in their documents; sequence numbers do not contain `_id`.
  if (ns.keyspace === true || isSequenced(ns) || ns.collation !== undefined) {
    return undefined
  }
  const { fields } = access.index
  const isHeld = (path: string): boolean =>
    path === '_id' || fields.some((field) => field.path === path)
  return paths.every(isHeld) ? new Cover(fields, new Set(paths)) : undefined
}

/** Whether each entry represents one document with its complete field values. */
function isPlain(index: IndexDescriptor): boolean {
  return !isMultikey(index) && !index.inexact && index.collation === undefined
}
