// Whether a part of a page has come into view: what is below is asked for when a user gets there,
// so that the first view of a page takes few requests.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

export function useSeen<T extends Element>(): {
  readonly place: RefObject<T | null>
  /** Once, and from then on. */
  readonly wasSeen: boolean
} {
  const place = useRef<T>(null)
  const [wasSeen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = place
    if (current === null || wasSeen) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setSeen(true)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [wasSeen])
  return { place, wasSeen }
}
