// Compares what the server says about a graph on the chain with what this browser saw before, and
// warns until the user accepts the new state.

import { useSignal } from '@preact/signals'
import { Pins, type Seen } from '../../lib/memory/pins.js'
import type { GraphPlace } from '../../lib/memory/routes.js'
import { me } from '../../lib/session.js'

export function usePins({ graph, database }: GraphPlace) {
  const warning = useSignal<{ readonly text: string; readonly seen: Seen } | undefined>(undefined)
  const pins = new Pins(localStorage)
  const place = { space: database === '' ? (me.value?.home ?? '') : database, graph }
  const see = (seen: Seen) => {
    const text = pins.warning(place, seen)
    if (text === undefined) pins.keep(place, seen)
    else warning.value = { text, seen }
  }
  const accept = () => {
    if (warning.value !== undefined) pins.keep(place, warning.value.seen)
    warning.value = undefined
  }
  return { warning: warning.value?.text, see, accept }
}

interface PinWarningProps {
  readonly warning: string | undefined
  readonly accept: () => void
}

export function PinWarning({ warning, accept }: PinWarningProps) {
  if (warning === undefined) return null
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>This graph is not as this browser saw it before.</strong>
      </p>
      <p class="problem">{warning}</p>
      <p>
        An older store was restored, or its history was replaced. Accept this only if you know why.
      </p>
      <button type="button" onClick={accept}>
        Accept the present state
      </button>
    </div>
  )
}
