// What a page asks for, in the three states that it shows: loading, an error with what to do, and a
// value. An answer that has been overtaken by a newer question is dropped.

import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'

interface Loaded<T> {
  /** Kept while it is asked for again, so nothing flickers. */
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
}

/** Asks at once, and again when one of `keys` changes or `reload` is called. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): { readonly loaded: Signal<Loaded<T>>; readonly reload: () => void } {
  const loaded = useSignal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true })
  const turn = useSignal(0)
  const reload = useCallback(() => {
    turn.value++
  }, [turn])
  useEffect(() => {
    const aborting = new AbortController()
    const { signal } = aborting
    loaded.value = { ...loaded.peek(), isLoading: true }
    load(signal).then(
      (value) => {
        if (!signal.aborted) loaded.value = { value, error: undefined, isLoading: false }
      },
      (error: Error) => {
        if (!signal.aborted) loaded.value = { value: undefined, error, isLoading: false }
      },
    )
    return () => aborting.abort()
  }, [...keys, turn.value])
  return { loaded, reload }
}
