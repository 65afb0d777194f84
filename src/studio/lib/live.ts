// Follows the changes of one collection by server-sent events. A hidden tab listens to nothing;
// when it is seen again, the page is asked for anew.

import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { listen } from './events.js'

const againMs = 3_000
/** Changes within this time are one, so a busy collection is asked for four times a second. */
const gatherMs = 250

/** Calls `changed` after changes; the signal is true while the stream is open. */
export function useLive(path: string, changed: () => void): Signal<boolean> {
  useEffect(() => {
    let ending: AbortController | undefined
    const start = () => {
      if (document.hidden) return
      ending = new AbortController()
      void follow(path, changed, ending.signal)
    }
    const stop = () => {
      ending?.abort()
      isLive.value = false
    }
    const turn = () => {
      stop()
      if (document.hidden) return
      changed()
      start()
    }
    start()
    document.addEventListener('visibilitychange', turn)
    return () => {
      document.removeEventListener('visibilitychange', turn)
      stop()
    }
  }, [path])
  return isLive
}

const isLive = signal(false)

async function follow(path: string, changed: () => void, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  signal.addEventListener('abort', () => clearTimeout(timer))
  while (!signal.aborted) {
    try {
      const opened = () => {
        isLive.value = true
      }
      const told = () => {
        timer ??= setTimeout(() => {
          timer = undefined
          changed()
        }, gatherMs)
      }
      await listen(path, { opened, told }, signal)
    } catch {
      // A stream that breaks is opened again; the sign says that nothing is live meanwhile.
    }
    if (signal.aborted) return
    isLive.value = false
    await new Promise((resolve) => setTimeout(resolve, againMs))
    if (!signal.aborted) changed()
  }
}
