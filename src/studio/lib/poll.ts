// Asks again while the tab is seen, and at once when it is seen again, so that a hidden tab costs
// the server nothing.

import { useEffect } from 'preact/hooks'

export function usePoll(ask: () => void, everyMs: number): void {
  useEffect(() => {
    const turn = () => {
      if (!document.hidden) ask()
    }
    const timer = setInterval(turn, everyMs)
    document.addEventListener('visibilitychange', turn)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [ask, everyMs])
}
