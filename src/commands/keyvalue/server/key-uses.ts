// How each command uses its keys, as COMMAND INFO and GETKEYSANDFLAGS of 7.0.15 report it. Proxies
// and clients route commands by it. The rows say it (`uses`).

import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueFacts } from '../../../bus/keyvalue/row-facts.js'

/** A place of keys, as the last word of a use. */
const placePattern = /^(?:\?|#\d|\d(?:\.\.-?\d)?)$/

/** The positions of the keys of one use: from `first` to `last` (after it), or a count. */
export interface KeyUse {
  /** `RO`, `RW`, `OW` or `RM`, then the kind of access. */
  readonly flags: readonly string[]
  readonly place:
    | {
        readonly kind: 'range'
        readonly first: number
        readonly last: number
        readonly step: number
      }
    /** The word at `at` is the number of keys that follow. */
    | { readonly kind: 'counted'; readonly at: number }
    /** Only the command itself knows. */
    | { readonly kind: 'unknown' }
}

/** How a command uses its keys; empty without keys. */
export function keyUsesOf({ uses, keys, flags }: KeyValueFacts): readonly KeyUse[] {
  if (uses === undefined && keys === undefined) return []
  const text = uses ?? (flags.includes('write') ? 'RW update' : 'RO access')
  return text.split('; ').map((use) => parseUse(use, keys))
}

/**
 * The use of the key at `index`. `indexes` are all keys of the command. Among keys in places that
 * only the command knows, the last one is written and the others are read.
 */
export function useAt(
  row: KeyValueFacts,
  args: Arguments,
  indexes: readonly number[],
  index: number,
): readonly string[] {
  const uses = keyUsesOf(row)
  for (const { flags, place } of uses) {
    if (holds(place, args, index)) {
      const isPlain = row.name === 'set' && !hasGet(args)
      return isPlain ? ['OW', 'update'] : flags.filter((flag) => flag !== 'variable_flags')
    }
  }
  const last = uses.at(-1)
  const isLast = index === indexes.at(-1)
  return (isLast ? last?.flags : uses[0]?.flags) ?? []
}

/** Whether the words that count keys are valid. */
export function countsRightly(row: KeyValueFacts, args: Arguments): boolean {
  return keyUsesOf(row).every(({ place }) => {
    if (place.kind !== 'counted') return true
    const count = Number(args.text(place.at))
    return Number.isInteger(count) && count > 0 && place.at + count < args.count
  })
}

function hasGet(args: Arguments): boolean {
  for (let i = 3; i < args.count; i++) if (args.is(i, 'get')) return true
  return false
}

function holds(place: KeyUse['place'], args: Arguments, index: number): boolean {
  if (place.kind === 'unknown') return false
  if (place.kind === 'counted') {
    return index > place.at && index <= place.at + Number(args.text(place.at))
  }
  const { first, step } = place
  const last = place.last < 0 ? args.count + place.last : place.last
  return index >= first && index <= last && (index - first) % step === 0
}

function parseUse(text: string, keys: KeyValueFacts['keys']): KeyUse {
  const words = text.split(' ')
  const [place] = placePattern.exec(words.at(-1) ?? '') ?? []
  if (place === undefined) {
    const [first, last, step] = keys ?? [0, 0, 1]
    return { flags: words, place: { kind: 'range', first, last, step } }
  }
  const flags = words.slice(0, -1)
  if (place === '?') return { flags, place: { kind: 'unknown' } }
  if (place.startsWith('#'))
    return { flags, place: { kind: 'counted', at: Number(place.slice(1)) } }
  const [first = '', last = first] = place.split('..')
  return { flags, place: { kind: 'range', first: Number(first), last: Number(last), step: 1 } }
}
