// The keyboard ways of the page. Single keys can be switched off, for those who dictate or whose
// keys are pressed by mistake. (WCAG 2.1.4)

import { signal } from '@preact/signals'
import { linkTo } from '../route.js'
import { places } from './places.js'

const name = 'sigil-studio-single-keys'
/** How long the key after `g` may take. */
const secondKeyMs = 1_500

export const hasSingleKeys = signal(localStorage.getItem(name) !== 'off')

/** Whether the list of the keyboard ways is open. */
export const isHelpOpen = signal(false)

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(name, isOn ? 'on' : 'off')
  hasSingleKeys.value = isOn
}

/** What the list shows. */
export const ways: readonly (readonly [keys: string, what: string])[] = [
  ['?', 'these keyboard ways'],
  ['/', "the page's filter or editor"],
  ...places.map(({ letter, title }) => [`g ${letter}`, title] as const),
  ['Ctrl+Enter', 'runs the statement of the console'],
  ['Ctrl+Space', 'asks an editor for completions; Tab or Enter takes one, Escape closes the list'],
  ['Escape', 'closes a dialog; focus returns to where it was'],
]

export function followShortcuts(): void {
  let before: number | undefined
  addEventListener('keydown', (event) => {
    const { key, timeStamp } = event
    if (!hasSingleKeys.value || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event) || document.querySelector('dialog[open]') !== null) return
    const isSecond = before !== undefined && timeStamp - before < secondKeyMs
    before = key === 'g' ? timeStamp : undefined
    const place = isSecond ? places.find(({ letter }) => letter === key) : undefined
    if (place !== undefined) location.hash = linkTo([place.name])
    else if (key === '?') isHelpOpen.value = true
    else if (key === '/') document.querySelector<HTMLElement>('[data-shortcut="/"]')?.focus()
    else return
    event.preventDefault()
  })
}

/** Editors are in shadow trees: the event's own path knows what has the focus. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  const fields = 'input:not([type=radio], [type=checkbox]), textarea, select'
  return target.isContentEditable || target.matches(fields)
}
