// Follows the changes of a collection or graph. All tabs of one caller share one stream: the tab
// that holds a lock reads it for the others. A hidden tab listens to nothing; when it is seen
// again, its page is asked for anew.

import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { me } from '../session.js'
import { LiveFeed } from './live-feed.js'

/** A namespace such as `main.books`. */
export function namespaceOf(database: string, collection: string): string {
  return `${database === '' ? (me.value?.database ?? '') : database}.${collection}`
}

/** Calls `changed` after changes, once in `everyMs`; it is true while the stream is open. */
export function useLive(namespace: string, changed: () => void, everyMs = 0): Signal<boolean> {
  useEffect(() => {
    let feed: LiveFeed | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        changed()
      }, everyMs)
    }
    const start = () => {
      if (document.hidden) return
      const caller = me.value?.address ?? 'operator'
      feed = new LiveFeed(`sigil-studio-live ${caller}`, namespace, {
        changed: soon,
        opened: (isOpen) => {
          isLive.value = isOpen
        },
      })
    }
    const stop = () => {
      feed?.end()
      feed = undefined
      clearTimeout(timer)
      timer = undefined
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
    addEventListener('pagehide', stop)
    return () => {
      document.removeEventListener('visibilitychange', turn)
      removeEventListener('pagehide', stop)
      stop()
    }
  }, [namespace])
  return isLive
}

const isLive = signal(false)
