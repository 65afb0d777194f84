// One answer for several programs that ask at the same time: each owns its part of it, and they are
// resumed in turns.

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'
import type { Clock } from '../../../base/clock.js'
import { getEach } from '../../programs/fetching.js'
import type { Ask, Versioned } from '../../store.js'
import { copy } from '../asks.js'

/** Programs resumed in one turn at first, and the time in which more may follow, milliseconds. */
const resumedAtFirst = 4
const resumedMsMax = 2

/** A question for more keys has a statement of its own. */
export const sharedKeysMax = 16

/** The keys of a question by key; undefined for another one, or one for many keys. */
export function keysOf(ask: Ask): readonly Bytes[] | undefined {
  if (ask.kind === 'get') return [ask.key]
  const isMany = ask.kind === 'getMany' || ask.kind === 'ahead'
  return isMany && ask.keys.length <= sharedKeysMax ? ask.keys : undefined
}

/** The answer to a question by key, by what was found for its keys. */
export function toldOf(ask: Ask, found: readonly (Versioned | undefined)[]): unknown {
  if (ask.kind === 'get') return found[0]
  if (ask.kind !== 'getMany') return found
  let at = 0
  return getEach(ask.keys, ask.bytesMax, () => copy(found[at++]?.value))
}

export function distinct(keys: readonly Bytes[]): Map<string, Bytes> {
  return new Map(keys.map((key) => [mapKey(key), key]))
}

/** What was found for a key. Each program owns what it gets, so further ones have a copy. */
export function handOut(
  found: ReadonlyMap<string, Versioned>,
): (key: Bytes) => Versioned | undefined {
  const given = new Set<string>()
  return (key) => {
    const name = mapKey(key)
    const point = found.get(name)
    if (point === undefined || !given.has(name)) {
      given.add(name)
      return point
    }
    return { value: copy(point.value), version: point.version }
  }
}

/**
 * Resumes programs: more and more in a turn as long as they take little time, because each runs as
 * soon as it is told.
 */
export function resume<W>(
  waiting: readonly W[],
  act: (one: W, at: number) => void,
  clock: Clock,
): void {
  let at = 0
  let atOnce = resumedAtFirst
  const some = () => {
    const beganMs = clock.elapsed()
    for (const end = Math.min(at + atOnce, waiting.length); at < end; at++) {
      act(waiting[at] as W, at)
    }
    if (at === waiting.length) return
    setImmediate(() => {
      atOnce = clock.elapsed() - beganMs < resumedMsMax ? 2 * atOnce : 1
      some()
    })
  }
  some()
}
