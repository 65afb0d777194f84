// collMod of a collection's validator or a view's definition. Stored documents are not checked: a
// new validator applies from the next write.

import { fail } from '../../base/errors.js'
import { collectionOptionsBytesMax } from '../../base/limits/documents.js'
import type { Tx } from '../../store/store.js'
import { field, fieldsOf } from '../../value/elements.js'
import { type Document, documentValue, stringValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Namespace } from '../types.js'
import { saveNamespace } from './catalog/catalog.js'

interface ValidationChange {
  readonly validator?: Document | undefined
  readonly validationLevel?: string | undefined
  readonly validationAction?: string | undefined
}

/** Changes the given options; afterwards all three are stored. */
export function changeValidation(tx: Tx, ns: Namespace, change: ValidationChange): Namespace {
  const { validator, validationLevel: level, validationAction: action } = change
  const { options } = ns
  const rules = validator === undefined ? field(options, 'validator') : documentValue(validator)
  const text = (given: string | undefined, name: string, otherwise: string): Value => {
    if (given !== undefined) return stringValue(given)
    return field(options, name) ?? stringValue(otherwise)
  }
  return saveOptions(tx, ns, [
    ['validator', rules === undefined || isEmpty(rules) ? undefined : rules],
    ['validationLevel', text(level, 'validationLevel', 'strict')],
    ['validationAction', text(action, 'validationAction', 'error')],
  ])
}

function isEmpty(object: Value): boolean {
  return fieldsOf(object).next().done === true
}

/** Replaces the definition of a view; the new one is already checked. */
export function changeView(
  tx: Tx,
  ns: Namespace,
  { viewOn, pipeline }: { readonly viewOn: string; readonly pipeline: Value },
): Namespace {
  return saveOptions(tx, ns, [
    ['viewOn', stringValue(viewOn)],
    ['pipeline', pipeline],
  ])
}

/** Throws InvalidOptions for options that a view, or a collection, does not have. */
export function requireOptionsOf(
  ns: Namespace,
  given: { readonly ofCollections: readonly string[]; readonly ofViews: readonly string[] },
): void {
  const [wrong] = ns.view === undefined ? given.ofViews : given.ofCollections
  if (wrong === undefined) return
  const what = ns.view === undefined ? 'only' : 'not'
  throw fail('InvalidOptions', `option ${what} supported on a view: ${wrong}`)
}

function saveOptions(
  tx: Tx,
  ns: Namespace,
  changed: readonly (readonly [name: string, value: Value | undefined])[],
): Namespace {
  const names = new Set(changed.map(([name]) => name))
  const options = writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(ns.options))) {
      if (!names.has(name)) out.value(name, value)
    }
    for (const [name, value] of changed) if (value !== undefined) out.value(name, value)
  })
  requireOptionsSize(options)
  return saveNamespace(tx, { ...ns, options })
}

/** Throws BSONObjectTooLarge for large options, since every command loads them. */
export function requireOptionsSize(options: Document): void {
  if (options.length <= collectionOptionsBytesMax) return
  const limit = `the limit of ${collectionOptionsBytesMax} bytes`
  throw fail('BSONObjectTooLarge', `the options of a collection exceed ${limit}`)
}
