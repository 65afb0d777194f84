// The lock of the operator's session: it reads, and changes are opened for ten minutes by the
// operator's key or a new code. (docs/studio.md, "Sign-in as the operator")

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { lock, unlock } from '../lib/session.js'
import { Actions } from './dialog.js'
import { Form } from './form.js'

/** A session of the operator reads; changes are opened for some minutes. */
export function LockButton({ until }: { until: string | null }) {
  if (until !== null) {
    return (
      <button type="button" class="quiet" onClick={() => void lock()}>
        Lock changes
      </button>
    )
  }
  return <UnlockButton class="quiet" />
}

/** Asks for the operator's key, or a new code. */
export function UnlockButton({ class: looks }: { class: 'quiet' | 'main' }) {
  const isAsking = useSignal(false)
  return (
    <>
      <button
        type="button"
        class={looks}
        onClick={() => {
          isAsking.value = true
        }}
      >
        Unlock changes
      </button>
      {isAsking.value && (
        <UnlockDialog
          close={() => {
            isAsking.value = false
          }}
        />
      )}
    </>
  )
}

function UnlockDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const secret = useSignal('')
  const problem = useSignal('')
  // Before anything is painted: a key that is pressed at once is for the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const submit = () => {
    unlock(secret.value.trim()).then(
      () => dialog.current?.close(),
      (error: Error) => {
        problem.value = error.message
      },
    )
  }
  return (
    <dialog ref={dialog} class="unlock" aria-label="Unlock changes" onClose={close}>
      <h2>Unlock changes for ten minutes</h2>
      <Form send={submit}>
        <label for="secret">The operator's key, or a new code</label>
        <input
          id="secret"
          class="data"
          type="password"
          autocomplete="off"
          required
          value={secret.value}
          onInput={({ currentTarget }) => {
            secret.value = currentTarget.value
          }}
        />
        <Actions problem={problem.value} close={() => dialog.current?.close()}>
          <button type="submit" class="main">
            Unlock
          </button>
        </Actions>
      </Form>
    </dialog>
  )
}
