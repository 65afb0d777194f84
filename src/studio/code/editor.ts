// An editor for queries and documents, in a shadow tree: there its styles are constructed sheets,
// which the policy of the page allows, and no element with styles is made. (docs/studio.md)

import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { commandCompletion } from './command-completion.js'
import { commandLanguage } from './command-language.js'
import { type JsonKind, jsonCompletion } from './json-completion.js'
import { sqlCompletion } from './sql-completion.js'
import { appearance, lineLook } from './theme.js'

export type CodeKind = JsonKind | 'sql' | 'redis'

interface CodeOptions {
  readonly kind: CodeKind
  readonly label: string
  readonly text: string
  readonly placeholder: string
  /** The collection whose fields complete the text. */
  readonly collection: CollectionPlace | undefined
  /** One line; Enter calls `run`. Otherwise Ctrl+Enter does. */
  readonly isLine: boolean
  readonly run: () => void
  readonly changed: (text: string) => void
}

export interface CodeEditor {
  setText(text: string): void
  focus(): void
  close(): void
}

export function openEditor(host: HTMLElement, options: CodeOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const state = EditorState.create({ doc: options.text, extensions: extensionsOf(options) })
  const view = new EditorView({ state, root, parent: root })
  // For what focuses the field without knowing of the editor.
  host.focus = () => view.focus()
  return {
    setText: (text) => {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    focus: () => {
      view.focus()
      view.dispatch({ selection: { anchor: view.state.doc.length } })
    },
    close: () => view.destroy(),
  }
}

function extensionsOf(options: CodeOptions): Extension {
  const { kind, label, isLine, run, changed } = options
  const { source, language } = languageOf(options)
  const runs = {
    key: isLine ? 'Enter' : 'Mod-Enter',
    run: () => {
      run()
      return true
    },
  }
  return [
    history(),
    language,
    closeBrackets(),
    bracketMatching(),
    autocompletion({ override: [source], icons: false, interactionDelay: 0 }),
    placeholder(options.placeholder),
    // The chosen completion comes before what Enter does otherwise. Without one, Tab leaves.
    keymap.of([
      ...completionKeymap,
      { key: 'Tab', run: acceptCompletion },
      runs,
      ...closeBracketsKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    isLine ? [oneLine, lineLook] : kind === 'document' ? [] : EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-multiline': String(!isLine),
      spellcheck: 'false',
      // What scrolls is reached by the keyboard.
      tabindex: '0',
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString())
    }),
    appearance,
  ]
}

/**
 * Replaces the selection itself: a browser would give the new text the colours of the old one by a
 * style attribute, which the policy of the page stops.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event
  if (inputType !== 'insertText' || data === null || isComposing) return false
  const { from, to } = selectedOn(view)
  if (from === to) return false
  const selection = { anchor: from + data.length }
  const insert = () =>
    view.state.update({ changes: { from, to, insert: data }, selection, userEvent: 'input.type' })
  event.preventDefault()
  const handlers = view.state.facet(EditorView.inputHandler)
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
  return true
}

/** The page's selection: that of the editor may not have followed it yet. */
function selectedOn(view: EditorView): { readonly from: number; readonly to: number } {
  // A shadow tree has a selection of its own in Chromium alone.
  const seen = (view.root as Partial<Document>).getSelection?.()
  const { anchorNode, focusNode } = seen ?? { anchorNode: null, focusNode: null }
  const isInside = (node: Node | null) => node !== null && view.contentDOM.contains(node)
  if (!seen || !isInside(anchorNode) || !isInside(focusNode)) return view.state.selection.main
  const ends = [
    view.posAtDOM(anchorNode as Node, seen.anchorOffset),
    view.posAtDOM(focusNode as Node, seen.focusOffset),
  ]
  return { from: Math.min(...ends), to: Math.max(...ends) }
}

/** What is pasted with line breaks becomes one line. */
const oneLine = EditorState.transactionFilter.of((change) => {
  if (change.newDoc.lines === 1) return change
  const text = change.newDoc.toString().replace(/\s*\n\s*/g, ' ')
  const changes = { from: 0, to: change.startState.doc.length, insert: text }
  return { changes, selection: { anchor: text.length } }
})

interface Language {
  readonly language: Extension
  readonly source: CompletionSource
}

function languageOf({ kind, collection }: CodeOptions): Language {
  if (kind === 'sql') return { language: sql({ dialect: PostgreSQL }), source: sqlCompletion }
  if (kind === 'redis') return { language: commandLanguage, source: commandCompletion }
  return { language: json(), source: jsonCompletion(kind, collection) }
}
