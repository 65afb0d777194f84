// A field of data that is typed, such as a filter or a sort: in the typeface of data, and not
// spell-checked.

import type { Signal } from '@preact/signals'

interface DataFieldProps {
  readonly label: string
  readonly typed: Signal<string>
  readonly placeholder?: string
  /** The key that moves to the field. */
  readonly shortcut?: string
  /** A form is not sent without it, and the browser does not complete it. */
  readonly isRequired?: boolean
}

export function DataField({ label, typed, placeholder, shortcut, isRequired }: DataFieldProps) {
  return (
    <label>
      {label}
      <input
        class="data"
        data-shortcut={shortcut}
        required={isRequired === true}
        autocomplete={isRequired === true ? 'off' : undefined}
        spellcheck={false}
        placeholder={placeholder}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
        }}
      />
    </label>
  )
}
