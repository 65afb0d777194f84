// The filter of a collection's documents: one line of JSON, which completes the names of its fields
// and the operators.

import type { Signal } from '@preact/signals'
import { CodeField } from './code-field.js'

export function FilterField({ name, text }: { name: string; text: Signal<string> }) {
  return (
    <div class="field">
      <span>Filter</span>
      <CodeField
        kind="filter"
        label="Filter"
        text={text}
        placeholder='{"year": {"$gt": 1900}}'
        collection={name}
        isLine
        hasShortcut
      />
    </div>
  )
}
