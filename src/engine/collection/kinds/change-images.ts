// Changes the option `changeStreamPreAndPostImages` of a collection. While it is enabled, the
// collection is recorded without a watcher too, as MongoDB keeps images. (docs/design/changes.md)

import type { Program, Tx } from '../../../store/store.js'
import { fieldsOf } from '../../../value/elements.js'
import { type Document, documentValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { isCovered } from '../../changes/recording.js'
import type { Guarded } from '../../types.js'
import { findNamespace, saveNamespace } from '../catalog/catalog.js'
import { enabledImages, imagesOption } from './image-options.js'

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
      if (option !== imagesOption) out.value(option, value)
    }
    if (isEnabled) out.document(imagesOption, given)
  })
  // The flag of a decoded descriptor may stem from the option.
  const { recorded: _recorded, hasImages: _hasImages, ...rest } = ns
  const isRecorded = isEnabled || (yield* isCovered(tx, db, name))
  saveNamespace(tx, { ...rest, options, ...(isRecorded ? { recorded: true } : {}) })
}
