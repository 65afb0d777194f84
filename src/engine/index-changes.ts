// What collMod changes of an index: when its documents expire, and whether plans may use it. Its
// entries stay as they are, so that one commit does it. Source: facts/document-wire.md 4, collMod;
// 9, TTL.

import { fail } from '../base/errors.js'
import type { Program, Tx } from '../store/store.js'
import { equalValues } from '../value/compare.js'
import { field, fieldsOf } from '../value/elements.js'
import { shellText } from '../value/shell.js'
import { type Document, documentValue, type Value } from '../value/value.js'
import { writeDocument } from '../value/writer.js'
import { findNamespace, saveNamespace } from './catalog.js'
import { expirySeconds, optionsOf } from './index-options.js'
import { idIndexName, idIndexSpec } from './index-spec.js'
import type { Guarded, IndexDescriptor, Namespace } from './types.js'

/** One of `name` and `keyPattern`, and what is to become of that index. */
export interface IndexChange {
  readonly name?: string | undefined
  readonly keyPattern?: Document | undefined
  readonly expireAfterSeconds?: Value | undefined
  readonly hidden?: boolean | undefined
}

interface Changed<T> {
  readonly before: T
  readonly after: T
}

export interface IndexChanges {
  /** Undefined before: it was no TTL index. */
  readonly seconds?: Changed<number | undefined>
  /** Absent where it was so before. */
  readonly hidden?: Changed<boolean>
}

/**
 * Changes an index, and answers what there was. Throws NamespaceNotFound, IndexNotFound,
 * AmbiguousIndexKeyPattern, InvalidOptions, BadValue (hiding `_id_`).
 */
export function* modifyIndex(
  tx: Tx & Guarded,
  db: string,
  name: string,
  change: IndexChange,
): Program<IndexChanges> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${db}.${name}`)
  requireChange(change)
  const index = meantIndex(ns, change)
  const { expireAfterSeconds, hidden } = change
  const seconds =
    expireAfterSeconds === undefined ? undefined : newSeconds(index, expireAfterSeconds)
  if (index === undefined) throw fail('BadValue', "can't hide _id index")
  const spec = respecified(index.spec, seconds, hidden)
  const { id, unique, state, multikey, inexact, fields } = index
  const same = { id, name: index.name, fields, unique, state, multikey, inexact }
  const changed: IndexDescriptor = { ...same, spec, ...optionsOf(spec) }
  const indexes = ns.indexes.map((other) => (other === index ? changed : other))
  saveNamespace(tx, { ...ns, indexes })
  const before = index.expireAfterSeconds
  const wasHidden = index.hidden === true
  return {
    ...(seconds === undefined ? {} : { seconds: { before, after: seconds } }),
    ...(hidden === undefined || hidden === wasHidden
      ? {}
      : { hidden: { before: wasHidden, after: hidden } }),
  }
}

function requireChange(change: IndexChange): void {
  const { name, keyPattern, expireAfterSeconds, hidden } = change
  if (name !== undefined && keyPattern !== undefined) {
    throw fail('InvalidOptions', 'Cannot specify both key pattern and name.')
  }
  if (name === undefined && keyPattern === undefined) {
    throw fail('InvalidOptions', 'Must specify either index name or key pattern.')
  }
  if (expireAfterSeconds !== undefined || hidden !== undefined) return
  throw fail('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field')
}

/** Undefined: the one on `_id`. */
function meantIndex(ns: Namespace, { name, keyPattern }: IndexChange): IndexDescriptor | undefined {
  if (keyPattern === undefined) {
    if (name === idIndexName) return undefined
    const index = ns.indexes.find((candidate) => candidate.name === name)
    if (index !== undefined) return index
    throw fail('IndexNotFound', `cannot find index ${name} for ns ${ns.db}.${ns.name}`)
  }
  const wanted = documentValue(keyPattern)
  if (hasKey(idIndexSpec, wanted)) return undefined
  const [index, ...others] = ns.indexes.filter(({ spec }) => hasKey(spec, wanted))
  const shown = shellText(wanted)
  if (index === undefined) {
    throw fail('IndexNotFound', `cannot find index ${shown} for ns ${ns.db}.${ns.name}`)
  }
  if (others.length === 0) return index
  throw fail(
    'AmbiguousIndexKeyPattern',
    `index keyPattern ${shown} matches ${others.length + 1} indexes, must use index name. ` +
      `Conflicting indexes: ${[index, ...others].map((one) => one.name).join(', ')}`,
  )
}

function hasKey(spec: Document, key: Value): boolean {
  const own = field(spec, 'key')
  return own !== undefined && equalValues(own, key)
}

function newSeconds(index: IndexDescriptor | undefined, value: Value): number {
  if (index === undefined) {
    throw fail('InvalidOptions', 'the _id field does not support TTL indexes')
  }
  if (index.fields.length > 1) {
    throw fail(
      'InvalidOptions',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    )
  }
  return expirySeconds(value, 'InvalidOptions')
}

/** The specification with other options; each stays where it stands. */
function respecified(
  spec: Document,
  seconds: number | undefined,
  hidden: boolean | undefined,
): Document {
  return writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(spec))) {
      const isReplaced =
        name === 'expireAfterSeconds'
          ? seconds !== undefined
          : name === 'hidden' && hidden !== undefined
      if (!isReplaced) out.value(name, value)
    }
    if (hidden === true) out.bool('hidden', true)
    if (seconds !== undefined) out.int32('expireAfterSeconds', seconds)
  })
}
