// Dialogs of the browser: modal, closed by Escape, and focus returns to where it was. What cannot
// be taken back is confirmed by typing its name.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { visible } from '../lib/format.js'
import { Field, Form, Problem } from './form.js'

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
      <Form send={start}>
        <Field label={`Type ${visible(name)} to confirm`} id="typed" typed={typed} />
        {children}
        <Actions problem={problem.value} close={close}>
          <button type="submit" class="bad" disabled={typed.value !== name || isBusy.value}>
            {title}
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}

interface ActionsProps {
  readonly problem: string
  /** What Cancel does; without it there is no such button. */
  readonly close?: () => void
  readonly children: ComponentChildren
}

/** The buttons of a form, below what went wrong. */
export function Actions({ problem, close, children }: ActionsProps) {
  return (
    <>
      <Problem text={problem} />
      <div class="actions">
        {children}
        {close && (
          <button type="button" onClick={close}>
            Cancel
          </button>
        )}
      </div>
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
