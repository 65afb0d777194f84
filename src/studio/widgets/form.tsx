// What forms share: nothing is sent by the browser itself, and fields of names and values keep what
// is typed, without spelling or completion.

import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface FormProps {
  readonly class?: string
  readonly send: () => void
  readonly children: ComponentChildren
}

export function Form({ class: look, send, children }: FormProps) {
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {children}
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly id: string
  readonly typed: Signal<string>
  readonly isRequired?: boolean
}

export function Field({ label, id, typed, isRequired = false }: FieldProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        class="data"
        autocomplete="off"
        spellcheck={false}
        required={isRequired}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
        }}
      />
    </>
  )
}

/** What went wrong, told when it appears. */
export function Problem({ text }: { text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}
