// How each command uses its keys, as COMMAND INFO and GETKEYSANDFLAGS of 7.0.15 report it. Proxies
// and clients route commands by it. A command that is not listed reads or changes the keys of its
// row.

import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueFacts } from '../../../bus/keyvalue/row-facts.js'

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

/**
 * Flags, then the place: `1`; `1..-1` up to the last word; `1..-1/2` every second word; `#2` as
 * many as word 2 states; `?` unknown. A semicolon separates several uses.
 */
const uses: readonly [uses: string, names: string][] = [
  ['RO 1', 'hexists hlen scard strlen llen sismember hstrlen type zcard'],
  ['RO 1..-1', 'touch watch exists'],
  ['RO access 1..2', 'lcs'],
  ['RO access #1', 'sintercard zdiff zinter zintercard zunion'],
  ['RO 2', 'object|encoding object|idletime object|freq object|refcount memory|usage'],
  ['RW update 1', 'lset hmset hset persist expireat zadd setrange expire pexpire pexpireat'],
  ['RW delete 1', 'lrem ltrim zrem srem zremrangebyscore zremrangebyrank zremrangebylex hdel'],
  [
    'RW access update 1',
    'move hincrbyfloat decr incrby zincrby getset hincrby decrby setbit incrbyfloat incr getex',
  ],
  ['RW access update variable_flags 1', 'set bitfield'],
  ['RW insert 1', 'sadd lpushx append linsert rpush rpushx lpush hsetnx'],
  ['RW access delete 1', 'rpop getdel zpopmin lpop zpopmax spop'],
  ['RW access delete 1..-2', 'bzpopmin bzpopmax blpop brpop'],
  ['RW access delete #1', 'zmpop lmpop'],
  ['RW access delete #2', 'blmpop bzmpop'],
  ['RW access delete 1; RW insert 2', 'brpoplpush blmove smove lmove rpoplpush'],
  ['RW access delete 1; OW update 2', 'rename'],
  ['RW access delete 1; OW insert 2', 'renamenx'],
  ['RM delete 1..-1', 'del unlink'],
  ['OW update 1', 'setex restore psetex'],
  ['OW insert 1', 'setnx'],
  ['OW update 1..-1/2', 'mset'],
  ['OW insert 1..-1/2', 'msetnx'],
  ['OW update 1; RO access #2', 'zinterstore zunionstore zdiffstore'],
  ['OW update 1; RO access 2..-1', 'sdiffstore sunionstore'],
  ['RW update 1; RO access 2..-1', 'sinterstore'],
  ['OW update 1; RO access 2', 'zrangestore'],
  ['OW update 2; RO access 3..-1', 'bitop'],
  ['RO access 1; OW update 2', 'copy'],
  ['RO access 1; RO access ?; OW update ?', 'sort'],
  ['RO access 1; RO access ?', 'sort_ro'],
]

const byName: ReadonlyMap<string, readonly KeyUse[]> = new Map(
  uses.flatMap(([text, names]) => {
    const parsed = text.split('; ').map(parseUse)
    return names.split(' ').map((name) => [name, parsed] as const)
  }),
)

/** How a command uses its keys; empty without keys. */
export function keyUsesOf({ name, keys, flags }: KeyValueFacts): readonly KeyUse[] {
  const known = byName.get(name)
  if (known !== undefined) return known
  if (keys === undefined) return []
  const [first, last, step] = keys
  const use = flags.includes('write') ? ['RW', 'update'] : ['RO', 'access']
  return [{ flags: use, place: { kind: 'range', first, last, step } }]
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

function parseUse(text: string): KeyUse {
  const words = text.split(' ')
  const place = words.pop() ?? ''
  if (place === '?') return { flags: words, place: { kind: 'unknown' } }
  if (place.startsWith('#'))
    return { flags: words, place: { kind: 'counted', at: Number(place.slice(1)) } }
  const [range = '', step = '1'] = place.split('/')
  const [first = '', last = first] = range.split('..')
  return {
    flags: words,
    place: { kind: 'range', first: Number(first), last: Number(last), step: Number(step) },
  }
}
