// The place of a table that may be wider than the screen and has no buttons: the keyboard reaches
// what it scrolls.

import type { ComponentChildren } from 'preact'

export function Scroll({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <section class="scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  )
}
