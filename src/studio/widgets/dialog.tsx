// Dialogs of the browser: modal, closed by Escape, and focus returns to where it was. What cannot
// be taken back is confirmed by typing its name.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { visible } from '../lib/format.js'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  /** Escape does not close it. */
  readonly isHeld?: boolean
  readonly children: ComponentChildren
}

export function Dialog({ title, close, isHeld = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  // Before anything is painted: a key that is pressed at once is for the dialog.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => {
      isGone.current = true
      current?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="form"
      aria-label={title}
      onCancel={(event) => {
        if (isHeld) event.preventDefault()
      }}
      onClose={() => {
        if (!isGone.current) close()
      }}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  /** What must be typed. */
  readonly name: string
  readonly run: () => Promise<unknown>
  readonly close: () => void
  /** Further choices. */
  readonly children?: ComponentChildren
}

export function Confirm({ title, text, name, run, close, children }: ConfirmProps) {
  const typed = useSignal('')
  const { problem, isBusy, start } = useAction(run, close)
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <label for="typed">Type {visible(name)} to confirm</label>
        <input
          id="typed"
          class="data"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
        {children}
        <Actions problem={problem.value}>
          <button type="submit" class="bad" disabled={typed.value !== name || isBusy.value}>
            {title}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </Actions>
      </form>
    </Dialog>
  )
}

/** The buttons of a form, below what went wrong. */
export function Actions({ problem, children }: { problem: string; children: ComponentChildren }) {
  return (
    <>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="actions">{children}</div>
    </>
  )
}

/** Runs once at a time, then calls `done`, or tells what went wrong. */
export function useAction<T>(run: () => Promise<T>, done: (value: T) => void) {
  const problem = useSignal('')
  const isBusy = useSignal(false)
  const start = () => {
    if (isBusy.value) return
    problem.value = ''
    isBusy.value = true
    run()
      .then(done, (error: unknown) => {
        problem.value = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        isBusy.value = false
      })
  }
  return { problem, isBusy, start }
}
