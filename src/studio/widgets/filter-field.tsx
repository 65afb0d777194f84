// The filter of a collection's documents: one line of JSON, which completes the names of its fields
// and the operators.

import type { Signal } from '@preact/signals'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { CodeField } from './code-field.js'

export function FilterField({ at, text }: { at: CollectionPlace; text: Signal<string> }) {
  return (
    <div class="field">
      <span>Filter</span>
      <CodeField
        kind="filter"
        label="Filter"
        text={text}
        placeholder='{"year": {"$gt": 1900}}'
        collection={at}
        isLine
        hasShortcut
      />
    </div>
  )
}
