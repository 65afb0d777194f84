// A key-value command as a row of data: how it is called, what it touches and with which need, how
// its work is cut, and its documentation. The dispatcher, COMMAND and its subcommands, the
// authorization test and the reference pages all read the same rows.

import { assert } from '../../base/errors.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Need } from '../../engine/types.js'
import type { Awaitable, Step } from '../../store/store.js'
import type { Growth, RowAccess } from '../row-facts.js'
import type { Arguments } from './arguments.js'
import type { KeyValueCall } from './call.js'
import type { Reply } from './reply.js'

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

const growths = ['nothing', 'keys'] as const

export type KeyGrowth = Extract<Growth, (typeof growths)[number]>

interface Description {
  /** Lower-case; a subcommand is `container|name`, and its container has a row of its own. */
  readonly name: string
  /** Words with the name; negative: at least so many. A subcommand counts both words. */
  readonly arity: number
  readonly flags: readonly Flag[]
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
  readonly needs?: readonly Need[]
  /** What these words need besides: SET with GET answers what it replaces. */
  readonly alsoNeeds?: (call: KeyValueCall) => readonly Need[]
  /** Of the channels, whose rights are those of the collection `pubsub`. */
  readonly channels?: 'read' | 'write'
  /** An act of the server that the audit tells of, without its words. */
  readonly isAudited?: true
  /** Further databases (MOVE, COPY … DB, SWAPDB, FLUSHALL): their numbers. */
  readonly databases?: (call: KeyValueCall) => readonly number[]
  /** Of SELECT: which database it selects; undefined where it will fail. */
  readonly selects?: (call: KeyValueCall) => number | undefined
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

type Handler =
  /** Needs no store; runs when everything before it on its connection has been answered. */
  | { readonly grain: 'local'; readonly run: (call: KeyValueCall) => Awaitable<Reply> }
  /** One read program that may pause, on one snapshot. */
  | { readonly grain: 'read'; readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply> }
  /** One write program, perhaps shared with its neighbours: check before you write. */
  | { readonly grain: 'write'; readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply> }
  /** A write program that is tried again, in order of arrival, whenever one of its keys changes. */
  | {
      readonly grain: 'blocking'
      /** Undefined: nothing there yet. */
      readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply | undefined>
      /** Milliseconds; 0 waits for ever. Throws what the peer answers to a bad one. */
      readonly timeout: (call: KeyValueCall) => number
      /** What is answered when the time is over, and inside MULTI. */
      readonly timedOut: Reply
      /** What is answered inside MULTI, if it is something else. */
      readonly nothing?: Reply
      /** Indexes of the keys that it waits for; all its keys unless said. */
      readonly waitsFor?: readonly number[]
    }
  /** Runs programs and waits for other things; nothing else of its connection runs meanwhile. */
  | { readonly grain: 'task'; readonly run: (call: KeyValueCall) => Promise<Reply> }
  /** MULTI's end: runs what was queued. There is one. */
  | { readonly grain: 'exec' }
  /** A name that only has subcommands. */
  | { readonly grain: 'container' }

export type KeyValueRow = Description & Handler

/** Throws where a row cannot be right: at start. */
export function checkRow(row: KeyValueRow): void {
  const { name, arity, flags, grain, summary, keys } = row
  const check = (holds: boolean, text: string) => assert(holds, `command ${name}: ${text}`)
  check(/^[a-z0-9_-]+(\|[a-z0-9_-]+)?$/.test(name), 'a name is lower-case')
  check(arity !== 0 && Number.isInteger(arity), 'an arity')
  check(summary.endsWith('.'), 'the summary is a sentence')
  const writes = flags.includes('write')
  check(!(writes && flags.includes('readonly')), 'it writes or it reads')
  if (grain === 'write' || grain === 'blocking') check(writes, 'its grain writes, its flags do not')
  check(growths.includes(row.grows), 'it says what it makes larger')
  check(writes || row.grows === 'nothing', 'it makes something larger, and its flags do not write')
  const reads = flags.includes('readonly') || row.needs !== undefined
  if (grain === 'read') check(reads, 'its grain reads, its flags do not')
  if (grain === 'blocking') check(flags.includes('blocking'), 'it blocks')
  check(keys === undefined || (keys[0] > 0 && keys[2] > 0), 'keys come behind the name')
}

/** Who may send it. */
export function accessOf({ access, flags }: KeyValueRow): RowAccess {
  return access ?? (flags.includes('readonly') ? 'reader' : 'identity')
}

/** What it needs of the selected database. */
export function needsOf(row: KeyValueRow): readonly Need[] {
  if (row.needs !== undefined) return row.needs
  if (row.flags.includes('write')) return ['write']
  return row.flags.includes('readonly') ? ['read'] : []
}
