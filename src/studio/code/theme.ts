// How editors look: the colours and typefaces of the page, which reach into their shadow trees as
// custom properties, so that light and dark are said once.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.propertyName, tags.function(tags.name)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--faint)' },
])

const look = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--page)',
    border: '1px solid var(--faint)',
    borderRadius: '4px',
    font: '13px / 20px var(--data-face)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { font: 'inherit', overflow: 'auto' },
  '.cm-content': { padding: '5px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--mark)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--removed)' },
  '.cm-tooltip': {
    maxWidth: 'calc(100vw - 16px)',
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--faint)',
    borderRadius: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '168px',
    font: '13px / 20px var(--data-face)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { marginLeft: '16px', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '4px 8px', font: '13px / 20px var(--text-face)' },
})

export const appearance = [look, syntaxHighlighting(colours)]

/** A field of one line scrolls without a bar. */
export const lineLook = EditorView.theme({ '.cm-scroller': { scrollbarWidth: 'none' } })
