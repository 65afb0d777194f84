// Copies a text. Where the browser gives no clipboard (plain http of another host), it says so, and
// the text can be selected.

import { useSignal } from '@preact/signals'

export function CopyButton({ name, text }: { name: string; text: string }) {
  const told = useSignal('')
  const copy = () => {
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('none'))
    writing.then(
      () => {
        told.value = 'Copied'
      },
      () => {
        told.value = 'No clipboard here: select the text'
      },
    )
  }
  return (
    <>
      <span class="faint" role="status">
        {told.value}
      </span>
      <button type="button" aria-label={`Copy ${name}`} onClick={copy}>
        Copy
      </button>
    </>
  )
}
