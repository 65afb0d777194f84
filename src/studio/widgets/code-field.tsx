// A field for a query or a document. It is a plain one at first, and an editor with completion when
// the editor's code has come; a text too large for an editor stays plain.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { CodeEditor, CodeKind } from '../code/editor.js'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { isTooLarge } from '../lib/large-text.js'
import './code-field.css'

interface CodeFieldProps {
  readonly kind: CodeKind
  readonly label: string
  readonly text: Signal<string>
  readonly placeholder?: string
  readonly collection?: CollectionPlace
  /** A field of a form: one line, whose editor comes when it has the focus. */
  readonly isLine?: boolean
  readonly hasShortcut?: boolean
  /** What Ctrl+Enter does, or Enter in a field of one line. */
  readonly run?: () => void
}

type Code = typeof import('../code/editor.js')

/** Once it has come, fields are editors from the start. */
let loadedCode: Code | undefined

export function CodeField(props: CodeFieldProps) {
  const { text, isLine = false } = props
  const place = useRef<HTMLDivElement>(null)
  const isWanted = useSignal(!isLine)
  const opened = useSignal(loadedCode)
  useEffect(() => {
    if (!isWanted.value) return
    // Without the editor's code the plain field does all but complete.
    import('../code/editor.js').then(
      (code) => {
        loadedCode = code
        opened.value = code
      },
      () => undefined,
    )
  }, [isWanted.value])
  const code = opened.value
  const hadFocus = place.current?.contains(document.activeElement) === true
  const isPlain = code === undefined || isTooLarge(text.value)
  return (
    <div ref={place} class={isLine ? 'code line-of-code' : 'code'}>
      {isPlain ? (
        <PlainField
          {...props}
          focused={() => {
            isWanted.value = true
          }}
        />
      ) : (
        <EditedField {...props} open={code.openEditor} hadFocus={hadFocus} />
      )}
    </div>
  )
}

interface EditedProps extends CodeFieldProps {
  readonly open: Code['openEditor']
  readonly hadFocus: boolean
}

function EditedField({ open, hadFocus, ...props }: EditedProps) {
  const { kind, label, text, placeholder = '', collection, isLine = false, hasShortcut } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | undefined>(undefined)
  const latest = useRef(props.run)
  latest.current = props.run
  useLayoutEffect(() => {
    if (host.current === null) return
    const made = open(host.current, {
      kind,
      label,
      text: text.peek(),
      placeholder,
      collection,
      isLine,
      run: () => {
        if (latest.current !== undefined) latest.current()
        else host.current?.closest('form')?.requestSubmit()
      },
      changed: (next) => {
        text.value = next
      },
    })
    editor.current = made
    if (hadFocus) made.focus()
    return () => made.close()
  }, [])
  useEffect(() => editor.current?.setText(text.value), [text.value])
  return <div ref={host} data-shortcut={hasShortcut === true ? '/' : undefined} />
}

function PlainField({ focused, ...props }: CodeFieldProps & { readonly focused: () => void }) {
  const { label, text, placeholder = '', isLine = false, hasShortcut, run } = props
  const shared = {
    class: 'data',
    'aria-label': label,
    'data-shortcut': hasShortcut === true ? '/' : undefined,
    spellcheck: false,
    placeholder,
    value: text.value,
    onFocus: focused,
  }
  if (isLine) {
    return (
      <input
        {...shared}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
      />
    )
  }
  return (
    <textarea
      {...shared}
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || run === undefined) return
        event.preventDefault()
        run()
      }}
    />
  )
}
