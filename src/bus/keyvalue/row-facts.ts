// The facts of a key-value command's row, without its handler: its syntax, what it uses with which
// privilege, and its documentation. COMMAND, MONITOR and the policy of the executors read these
// facts.

import type { Privilege } from '../../engine/types.js'
import type { RoleMark } from '../../identity/rights/user-rights.js'
import { type CommandFacts, type Growth, plain, type RowAccess } from '../policy/facts.js'
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
type Category =
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

type Group =
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

type KeyGrowth = Extract<Growth, (typeof growths)[number]>

/** How the work is cut; row.ts describes each grain at its handler. */
type KeyValueGrain = 'local' | 'read' | 'write' | 'blocking' | 'task' | 'exec' | 'container'

/** `overHttp` of a command that HTTP has nothing for. */
export const onlyOnConnections =
  'needs a connection of its own: use the key-value port (redis-cli, any client library)'

/** What a row says. The policy reads the facts of the command (factsOf). */
export interface KeyValueFacts {
  /** Lower-case. A subcommand is `container|name`; its container has its own row. */
  readonly name: string
  /** Not flagged `fast`, but its work is bounded by its words. */
  readonly isBrief?: boolean
  /** With BY or GET it reads keys whose names it builds from values. */
  readonly readsByPattern?: boolean
  /**
   * Number of words with the name; a negative number is a minimum. A subcommand counts both words.
   */
  readonly arity: number
  readonly flags: readonly Flag[]
  readonly grain: KeyValueGrain
  /** Which data of the database's owner it may make larger. */
  readonly grows: KeyGrowth
  readonly categories: readonly Category[]
  /** First and last key and the step between them; last below 0 counts from the end. */
  readonly keys?: readonly [first: number, last: number, step: number]
  /** Indexes of the keys, if the arguments decide them. */
  readonly movableKeys?: (args: Arguments) => readonly number[]
  /**
   * How it uses its keys, as COMMAND INFO of 7.0.15 reports it: flags, then the place if it is not
   * `keys`: `1`; `2..-1` up to the last word; `#2` as many as word 2 states; `?` unknown. A
   * semicolon separates several uses. Default: `RW update` with the flag `write`, else `RO access`.
   */
  readonly uses?: string
  /** Which callers may send it. Default: `reader` with the flag `readonly`, else `identity`. */
  readonly access?: RowAccess
  /** How roles of service users treat it, beyond its privileges. */
  readonly roles?: readonly RoleMark[]
  /** Privileges on the selected database. Default: from the flags `write` and `readonly`. */
  readonly privileges?: readonly Privilege[]
  /** Privilege on the channels; their rights are those of the collection `pubsub`. */
  readonly channels?: 'read' | 'write'
  /** The audit records this command, without its words. */
  readonly isAudited?: true
  /** For a writing row: whether these words only read. The command then runs as a read. */
  readonly isRead?: (args: Arguments) => boolean
  /** Index of the first word that logs, MONITOR and SLOWLOG must not show. */
  readonly secretsFrom?: number
  /** It needs a connection of its own; what to use instead over HTTP. */
  readonly overHttp?: string
  /** What its event stream over HTTP has: messages of channels or patterns, or commands. */
  readonly events?: 'channels' | 'patterns' | 'commands'
  /** Allowed while subscribed in RESP2. */
  readonly whileSubscribed?: boolean
  /** Runs at once inside MULTI instead of being queued. */
  readonly insideMulti?: boolean
  /** One sentence of Sigil's own. */
  readonly summary: string
  readonly since: string
  readonly group: Group
  readonly complexity: string
  /** What follows the name: `key value [NX | XX] [GET] [EX seconds | PX milliseconds]`. */
  readonly syntax: string
  /** Hints of COMMAND INFO: `nondeterministic_output` … */
  readonly tips?: readonly string[]
}

/** The facts of a command. All are atomic, and none ends a name. */
export function factsOf({ name, access, flags, grows, roles = [] }: KeyValueFacts): CommandFacts {
  const usual = flags.includes('readonly') ? 'reader' : 'identity'
  return { ...plain, name, access: access ?? usual, grows, roles }
}

/** Its privileges on the selected database. */
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
