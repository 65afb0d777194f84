// A document that is opened: its JSON in the editor, with its other forms beside it. What another
// client changes is shown at once, unless the user has typed: then the editor says so.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CollectionPlace } from '../../lib/collections/collection-place.js'
import {
  insertDocument,
  type Newer,
  newerOf,
  type OpenDocument,
  saveDocument,
} from '../../lib/collections/documents.js'
import type { Ejson } from '../../lib/ejson.js'
import { changesShown } from '../../lib/show-as/changes.js'
import { Editor } from '../editor.js'
import { DocumentForms } from './document-forms.js'

/** What stands in the editor. */
export interface Editing {
  /** Another number, another opening: nothing that was typed stays. */
  readonly opening: number
  readonly title: string
  readonly text: string
  /** Missing for a new document. */
  readonly stored?: { readonly id: Ejson; readonly tag: string }
}

interface DocumentEditorProps {
  readonly at: CollectionPlace
  readonly editing: Signal<Editing | undefined>
  /** Changes when a client has changed the collection. */
  readonly turn: number
  readonly reload: () => void
  readonly open: (id: Ejson) => void
}

export function DocumentEditor({ at, editing, turn, reload, open }: DocumentEditorProps) {
  const newer = useSignal<Newer | undefined>(undefined)
  const { value } = editing
  const { text = '', stored } = value ?? {}
  useEffect(() => {
    if (stored === undefined) return
    const ending = new AbortController()
    void newerOf(at, stored, ending.signal).then((found) => {
      if (!ending.signal.aborted) newer.value = found
    })
    return () => ending.abort()
  }, [turn, stored?.tag])
  if (value === undefined) return null
  const save = async (edited: string) => {
    if (stored === undefined) await insertDocument(at, edited)
    else await saveDocument(at, stored.id, { text: edited, tag: stored.tag })
    reload()
  }
  const take = ({ text: given, tag }: OpenDocument) => {
    if (stored !== undefined) {
      editing.value = { ...value, text: given, stored: { id: stored.id, tag } }
    }
    newer.value = undefined
  }
  return (
    <Editor
      collection={at}
      title={value.title}
      text={text}
      isNew={stored === undefined}
      save={save}
      queriesOf={(edited) => changesShown(at.name, stored?.id, { before: text, edited })}
      newer={newer.value}
      take={take}
      {...(stored === undefined ? {} : { reopen: () => open(stored.id) })}
      close={() => {
        editing.value = undefined
      }}
    >
      {stored !== undefined && <DocumentForms at={at} id={stored.id} turn={turn} />}
    </Editor>
  )
}
