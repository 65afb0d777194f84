// The option `changeStreamPreAndPostImages` of change streams, which a standalone server does not
// have. It is stored and listed, as MongoDB does, without any effect.

import { fail } from '../../../base/errors.js'
import type { Program, Tx } from '../../../store/store.js'
import { Elements, fieldsOf } from '../../../value/elements.js'
import { boolOf, bsonType, type Document, documentValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { Guarded } from '../../types.js'
import { findNamespace, saveNamespace } from '../catalog/catalog.js'

const optionName = 'changeStreamPreAndPostImages'

/** `enabled` of `{enabled: bool}`. Throws 40414, 40415, TypeMismatch. */
export function enabledImages(given: Document): boolean {
  let enabled: boolean | undefined
  const elements = new Elements(given)
  while (elements.next()) {
    const where = `${optionName}.${elements.name()}`
    if (elements.name() !== 'enabled') {
      throw fail('Location40415', `BSON field '${where}' is an unknown field.`)
    }
    const value = elements.value()
    if (value.type !== bsonType.bool) {
      throw fail('TypeMismatch', `BSON field '${where}' is the wrong type, expected type 'bool'`)
    }
    enabled = boolOf(value)
  }
  if (enabled !== undefined) return enabled
  const text = `BSON field '${optionName}.enabled' is missing but a required field`
  throw fail('Location40414', text)
}

/** The option in collMod: listed while it is enabled. */
export function* changeImages(
  tx: Tx & Guarded,
  db: string,
  name: string,
  given: Document,
): Program<void> {
  const isEnabled = enabledImages(given)
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) return
  const options = writeDocument((out) => {
    for (const [option, value] of fieldsOf(documentValue(ns.options))) {
      if (option !== optionName) out.value(option, value)
    }
    if (isEnabled) out.document(optionName, given)
  })
  saveNamespace(tx, { ...ns, options })
}
