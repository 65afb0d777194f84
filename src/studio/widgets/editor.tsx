// The editor of one document: nothing is written without a look at the difference, and nothing over
// what another client has written meanwhile.

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApiError } from '../lib/api.js'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import type { Newer } from '../lib/collections/documents.js'
import { type DiffLine, diffLines } from '../lib/diff.js'
import { counted } from '../lib/format.js'
import { charsMax, isTooLarge } from '../lib/large-text.js'
import { CodeField } from './code-field.js'
import { Problem } from './form.js'
import { ShowAs, type TitledQuery } from './show-as.js'

const refused = 'The document was changed or removed meanwhile. Nothing was written.'

interface EditorProps {
  readonly title: string
  /** What the editor opens with. */
  readonly text: string
  /** Whose fields complete the names. */
  readonly collection: CollectionPlace
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
  const { collection, queriesOf, newer, take, reopen, close, children } = rest
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
            <DocumentText text={text} collection={collection} isShown={isTooLarge(before)} />
          )}
          <Problem text={isRefused ? refused : (problem.value?.message ?? newerWords(newer))} />
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

interface TextProps {
  readonly text: Signal<string>
  readonly collection: CollectionPlace
  /** Shown, as far as a page can, and not edited. */
  readonly isShown: boolean
}

function DocumentText({ text, collection, isShown }: TextProps) {
  const label = 'Document as Extended JSON'
  if (!isShown) {
    return <CodeField kind="document" label={label} text={text} collection={collection} />
  }
  const missing = text.value.length - charsMax
  return (
    <>
      <textarea
        class="data"
        aria-label={label}
        spellcheck={false}
        readOnly
        value={text.value.slice(0, charsMax)}
      />
      <p class="faint">
        {missing > 0 && `${counted(missing, 'more character')} are not shown. `}
        Documents above 256 kB, or with a line above 10 kB, are not edited here.
      </p>
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
