// The editor of one document: nothing is written without a look at the difference, and nothing over
// what another client has written meanwhile.

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApiError } from '../lib/api.js'
import type { Newer } from '../lib/collections/documents.js'
import { type DiffLine, diffLines } from '../lib/diff.js'
import { ShowAs, type TitledQuery } from './show-as.js'

/** Above this an editor of a browser is too slow. */
const charsMax = 256 * 1024

const refused = 'The document was changed or removed meanwhile. Nothing was written.'

interface EditorProps {
  readonly title: string
  /** What the editor opens with. */
  readonly text: string
  readonly isNew: boolean
  readonly save: (text: string) => Promise<void>
  /** What the text as it is now would do, for other languages. */
  readonly queriesOf: (text: string) => readonly TitledQuery[]
  /** Reads the stored document again. */
  readonly reopen?: () => void
  /** What another client has written since, or `gone`. */
  readonly newer: Newer | undefined
  /** Shows it instead; called while the user has typed nothing. */
  readonly take: (newer: Exclude<Newer, 'gone'>) => void
  readonly close: () => void
  /** Beside the text. */
  readonly children?: ComponentChildren
}

export function Editor({ title, text: before, isNew, save, ...rest }: EditorProps) {
  const { queriesOf, newer, take, reopen, close, children } = rest
  const dialog = useRef<HTMLDialogElement>(null)
  const text = useSignal(before)
  const isReviewing = useSignal(isNew)
  const problem = useSignal<Error | undefined>(undefined)
  const isBusy = useSignal(false)
  // Before anything is painted: a key that is pressed at once is for the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => {
    if (newer === undefined || newer === 'gone' || text.value !== before) return
    text.value = newer.text
    take(newer)
  }, [newer])
  const isChanged = isNew || text.value !== before
  const isRefused = problem.value instanceof ApiError && problem.value.status === 412
  const isOutdated = isRefused || newer !== undefined
  const write = () => {
    problem.value = syntaxProblem(text.value)
    if (problem.value !== undefined) return
    if (!isReviewing.value) {
      isReviewing.value = true
      return
    }
    isBusy.value = true
    save(text.value)
      .then(close, (error: Error) => {
        problem.value = error
      })
      .finally(() => {
        isBusy.value = false
      })
  }
  const given = { type: 'button', disabled: !isChanged || isBusy.value } as const
  return (
    <dialog ref={dialog} class="editor" aria-label={title} onClose={close}>
      <h2>{title}</h2>
      <div class={children ? 'beside' : ''}>
        <div>
          {isReviewing.value && !isNew ? (
            <Difference lines={diffLines(before, text.value)} />
          ) : (
            <DocumentText text={text} isReadOnly={before.length > charsMax} />
          )}
          <p class="problem" role="alert">
            {isRefused ? refused : (problem.value?.message ?? newerWords(newer))}
          </p>
          <div class="actions">
            <button {...given} class="main" onClick={write}>
              {isNew ? 'Insert' : isReviewing.value ? 'Save' : 'Review the change'}
            </button>
            {isReviewing.value && !isNew && <FurtherButton isReviewing={isReviewing} />}
            {isOutdated && newer !== 'gone' && reopen !== undefined && (
              <button type="button" onClick={reopen}>
                Open the stored document
              </button>
            )}
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          <ShowAs queries={queriesOf(text.value)} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

function FurtherButton({ isReviewing }: { isReviewing: Signal<boolean> }) {
  return (
    <button
      type="button"
      onClick={() => {
        isReviewing.value = false
      }}
    >
      Edit further
    </button>
  )
}

function newerWords(newer: Newer | undefined): string {
  if (newer === undefined) return ''
  if (newer === 'gone') return 'Another client has removed the document meanwhile.'
  return 'Another client has changed the document meanwhile: it will not be written over.'
}

function DocumentText({ text, isReadOnly }: { text: Signal<string>; isReadOnly: boolean }) {
  return (
    <>
      <textarea
        class="data"
        aria-label="Document as Extended JSON"
        spellcheck={false}
        readOnly={isReadOnly}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
      />
      {isReadOnly && <p class="faint">Documents above 256 kB are shown, and not edited here.</p>}
    </>
  )
}

function syntaxProblem(text: string): Error | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : undefined
  }
}

const signs = { same: ' ', removed: '-', added: '+' } as const

function Difference({ lines }: { lines: readonly DiffLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <section class="difference" aria-label="Difference" tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} class={kind}>
          {signs[kind]} {text}
        </div>
      ))}
    </section>
  )
}
