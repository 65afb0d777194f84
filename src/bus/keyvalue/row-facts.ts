// What a row says of a key-value command without its handler: how it is called, what it touches
// and with which privilege, and its documentation. COMMAND and its subcommands, MONITOR and the
// policy of the executors read these facts.

import type { Privilege } from '../../engine/types.js'
import type { CommandFacts, Growth, RowAccess } from '../policy/facts.js'
import type { Arguments } from './arguments.js'

/** As COMMAND INFO prints them; `movablekeys` follows from `movableKeys`. */
export type Flag =
  | 'write'
  | 'readonly'
  | 'denyoom'
  | 'admin'
  | 'pubsub'
  | 'noscript'
  | 'blocking'
  | 'loading'
  | 'stale'
  | 'skip_monitor'
  | 'skip_slowlog'
  | 'asking'
  | 'fast'
  | 'no_auth'
  | 'may_replicate'
  | 'no_mandatory_keys'
  | 'no_async_loading'
  | 'no_multi'
  | 'allow_busy'

/** ACL categories that do not follow from the flags. */
export type Category =
  | 'keyspace'
  | 'string'
  | 'bitmap'
  | 'hash'
  | 'list'
  | 'set'
  | 'sortedset'
  | 'connection'
  | 'transaction'
  | 'scripting'
  | 'admin'
  | 'dangerous'

export type Group =
  | 'string'
  | 'bitmap'
  | 'hash'
  | 'list'
  | 'set'
  | 'sorted-set'
  | 'generic'
  | 'connection'
  | 'transactions'
  | 'pubsub'
  | 'scripting'
  | 'server'

export const growths = ['nothing', 'keys'] as const

export type KeyGrowth = Extract<Growth, (typeof growths)[number]>

/** How the work is cut: see the handlers of row.ts. */
export type KeyValueGrain = 'local' | 'read' | 'write' | 'blocking' | 'task' | 'exec' | 'container'

export interface KeyValueFacts extends CommandFacts {
  /** Lower-case; a subcommand is `container|name`, and its container has a row of its own. */
  readonly name: string
  /** It is not `fast`, but what it does is bounded by its words. */
  readonly isBrief?: boolean
  /** With BY or GET it reads keys whose names it makes of what it finds. */
  readonly readsByPattern?: boolean
  /** Words with the name; negative: at least so many. A subcommand counts both words. */
  readonly arity: number
  readonly flags: readonly Flag[]
  readonly grain: KeyValueGrain
  /** What it may make larger of what counts as the owner's of its database. */
  readonly grows: KeyGrowth
  readonly categories: readonly Category[]
  /** First and last key and the step between them; last below 0 counts from the end. */
  readonly keys?: readonly [first: number, last: number, step: number]
  /** Where the keys stand, if the arguments decide: their indexes. */
  readonly movableKeys?: (args: Arguments) => readonly number[]
  /** Who may send it; unless said, `reader` where its flags are `readonly`, else `identity`. */
  readonly access?: RowAccess
  /** Of the selected database; from the flags `write` and `readonly` unless said. */
  readonly privileges?: readonly Privilege[]
  /** Of the channels, whose rights are those of the collection `pubsub`. */
  readonly channels?: 'read' | 'write'
  /** An act of the server that the audit tells of, without its words. */
  readonly isAudited?: true
  /** Of a row that writes: whether these words only read; then it runs as a read. */
  readonly isRead?: (args: Arguments) => boolean
  /** Words that no log, MONITOR or SLOWLOG may show, from this index on. */
  readonly secretsFrom?: number
  /** Works while subscribed in RESP2. */
  readonly whileSubscribed?: boolean
  /** Runs at once inside MULTI instead of being queued. */
  readonly insideMulti?: boolean
  /** One sentence of ours. */
  readonly summary: string
  readonly since: string
  readonly group: Group
  readonly complexity: string
  /** What follows the name: `key value [NX | XX] [GET] [EX seconds | PX milliseconds]`. */
  readonly syntax: string
  /** Hints of COMMAND INFO: `nondeterministic_output` … */
  readonly tips?: readonly string[]
}

/** Who may send it. */
export function accessOf({ access, flags }: KeyValueFacts): RowAccess {
  return access ?? (flags.includes('readonly') ? 'reader' : 'identity')
}

/** What it needs of the selected database. */
export function privilegesOf(row: KeyValueFacts): readonly Privilege[] {
  if (row.privileges !== undefined) return row.privileges
  if (row.flags.includes('write')) return ['write']
  return row.flags.includes('readonly') ? ['read'] : []
}

/** Indexes of the words that are keys. */
export function keysOf(row: KeyValueFacts, args: Arguments): readonly number[] {
  const { keys, movableKeys } = row
  if (movableKeys !== undefined) return movableKeys(args)
  if (keys === undefined) return []
  const [first, last, step] = keys
  const end = last < 0 ? args.count + last : last
  const found: number[] = []
  for (let i = first; i <= end; i += step) found.push(i)
  return found
}
