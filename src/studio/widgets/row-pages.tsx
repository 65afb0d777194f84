// Pages of a long list that is already read, so that a page of the Studio keeps few elements
// whatever the data.

import type { Signal } from '@preact/signals'
import { figure } from '../lib/format.js'

/** Rows that are shown at a time. */
export const rowsMax = 100

interface RowPagesProps {
  /** Of what there are rows, such as keys. */
  readonly name: string
  readonly from: Signal<number>
  readonly count: number
}

/** The first row that is shown: the list may have become shorter. */
export function startOf(from: Signal<number>, count: number): number {
  return from.value < count ? from.value : 0
}

/** Nothing where one page has all rows. */
export function RowPages({ name, from, count }: RowPagesProps) {
  if (count <= rowsMax) return null
  const start = startOf(from, count)
  const go = (to: number) => () => {
    from.value = to
  }
  return (
    <nav class="pages" aria-label={`Pages of ${name}`}>
      <button type="button" disabled={start === 0} onClick={go(start - rowsMax)}>
        Back
      </button>
      <button type="button" disabled={start + rowsMax >= count} onClick={go(start + rowsMax)}>
        Next
      </button>
      <p class="faint" role="status">
        Rows {figure(start + 1)} to {figure(Math.min(count, start + rowsMax))} of {figure(count)}
      </p>
    </nav>
  )
}
