// What a list shows before, beside and instead of its rows: every list of the Studio has all of
// them.

import type { ComponentChildren } from 'preact'
import { ApiError } from '../lib/api.js'

export function Loading() {
  return (
    <p class="state" role="status">
      Loading…
    </p>
  )
}

/** With the request's name, by which its line in the log is found. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : ''
  return (
    <div class="state failure" role="alert">
      <p>{error.message}</p>
      {requestId !== '' && <p class="faint">request {requestId}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="state">{children}</div>
}

/** Beside a title: whether the page follows changes. */
export function LiveSign({ isLive }: { isLive: boolean }) {
  return (
    <p class={isLive ? 'live' : 'faint'} role="status">
      {isLive ? 'live' : 'not live'}
    </p>
  )
}
