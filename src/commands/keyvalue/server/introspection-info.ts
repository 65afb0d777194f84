// A command in the form of COMMAND INFO: the row in ten fields, with flags and categories in Redis'
// order.

import { map, type Reply, set, simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueFacts } from '../../../bus/keyvalue/row-facts.js'
import type { KnownCommand } from '../../../bus/keyvalue/services.js'
import { type KeyUse, keyUsesOf } from './key-uses.js'

const flagOrder = [
  'write',
  'readonly',
  'denyoom',
  'admin',
  'pubsub',
  'noscript',
  'blocking',
  'loading',
  'stale',
  'skip_monitor',
  'skip_slowlog',
  'asking',
  'fast',
  'no_auth',
  'no_mandatory_keys',
  'no_async_loading',
  'no_multi',
  'movablekeys',
  'allow_busy',
]

/** All ACL categories, in Redis' order. */
export const categories = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
] as const

/** Redis never prints `may_replicate`. */
function flagsOf(row: KeyValueFacts): readonly string[] {
  const flags: string[] = row.flags.filter((flag) => flag !== 'may_replicate')
  if (row.movableKeys !== undefined) flags.push('movablekeys')
  return flags.sort((a, b) => flagOrder.indexOf(a) - flagOrder.indexOf(b))
}

/** The categories that the row names, and those that follow from its flags. */
export function categoriesOf({ flags, categories: named }: KeyValueFacts): readonly string[] {
  const has = new Set<string>(named)
  const isScripting = has.has('scripting')
  if (flags.includes('write')) has.add('write')
  if (flags.includes('readonly') && !isScripting) has.add('read')
  if (flags.includes('admin')) has.add('admin').add('dangerous')
  if (flags.includes('pubsub')) has.add('pubsub')
  if (flags.includes('blocking')) has.add('blocking')
  has.add(flags.includes('fast') ? 'fast' : 'slow')
  return categories.filter((category) => has.has(category))
}

export function describe(command: KnownCommand): Reply {
  const { row } = command
  const [first, last, step] = row.keys ?? [0, 0, 0]
  return [
    row.name,
    row.arity,
    set(flagsOf(row).map(simple)),
    ...[first, last, step],
    set(categoriesOf(row).map((category) => simple(`@${category}`))),
    set(row.tips ?? []),
    set(keyUsesOf(row).map(describeUse)),
    set([...command.subcommands.values()].map(describe)),
  ]
}

function describeUse({ flags, place }: KeyUse): Reply {
  return map(['flags', set(flags.map(simple)), ...placeOf(place)])
}

function placeOf(place: KeyUse['place']): Reply[] {
  const search = (type: string, spec: readonly Reply[]): Reply =>
    map(['type', type, 'spec', map(spec)])
  switch (place.kind) {
    case 'range': {
      const { first, last, step } = place
      // A last key before the end is given relative to the first.
      const lastKey = last < 0 ? last : last - first
      const spec = ['lastkey', lastKey, 'keystep', step, 'limit', 0]
      return ['begin_search', search('index', ['index', first]), 'find_keys', search('range', spec)]
    }
    case 'counted': {
      const spec = ['keynumidx', 0, 'firstkey', 1, 'keystep', 1]
      const start = search('index', ['index', place.at])
      return ['begin_search', start, 'find_keys', search('keynum', spec)]
    }
    case 'unknown':
      return ['begin_search', search('unknown', []), 'find_keys', search('unknown', [])]
    default:
      return place satisfies never
  }
}
