// A key-value command as a row of data: its syntax, what it uses with which privilege, its grain,
// and its documentation. The dispatcher, COMMAND, the authorization test and the reference pages
// all read the same rows.

import { assert } from '../../base/errors.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Privilege } from '../../engine/types.js'
import type { Awaitable, Step } from '../../store/store.js'
import type { KeyValueCall } from './call.js'
import type { Reply } from './reply.js'
import { growths, type KeyValueFacts } from './row-facts.js'

interface Description extends KeyValueFacts {
  /** Further privileges that these words need: SET with GET also reads. */
  readonly alsoRequires?: (call: KeyValueCall) => readonly Privilege[]
  /** Numbers of further databases (MOVE, COPY … DB, SWAPDB, FLUSHALL). */
  readonly databases?: (call: KeyValueCall) => readonly number[]
  /** For SELECT: the database that it selects; undefined if it will fail. */
  readonly selects?: (call: KeyValueCall) => number | undefined
}

type Handler =
  /** Needs no store; runs when everything before it on its connection is answered. */
  | { readonly grain: 'local'; readonly run: (call: KeyValueCall) => Awaitable<Reply> }
  /** One read program that may pause, on one snapshot. */
  | { readonly grain: 'read'; readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply> }
  /** One write program, possibly shared with other commands: check before you write. */
  | { readonly grain: 'write'; readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply> }
  /** A write program that is tried again, in order of arrival, when one of its keys changes. */
  | {
      readonly grain: 'blocking'
      /** Undefined: nothing found yet. */
      readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply | undefined>
      /** Milliseconds; 0 waits for ever. Throws Redis' error for an invalid one. */
      readonly timeout: (call: KeyValueCall) => number
      /** The reply at the timeout, and inside MULTI. */
      readonly timedOut: Reply
      /** The reply inside MULTI, if it differs. */
      readonly nothing?: Reply
      /** Indexes of the keys that it waits for; by default all its keys. */
      readonly waitsFor?: readonly number[]
    }
  /** Runs programs and waits between them; no other command of its connection runs meanwhile. */
  | { readonly grain: 'task'; readonly run: (call: KeyValueCall) => Promise<Reply> }
  /** EXEC: runs the queued commands. */
  | { readonly grain: 'exec' }
  /** A name that only has subcommands. */
  | { readonly grain: 'container' }

export type KeyValueRow = Description & Handler

/** Throws at start if a row is invalid. */
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
  const reads = flags.includes('readonly') || row.privileges !== undefined
  if (grain === 'read') check(reads, 'its grain reads, its flags do not')
  if (grain === 'blocking') check(flags.includes('blocking'), 'it blocks')
  check(keys === undefined || (keys[0] > 0 && keys[2] > 0), 'keys come behind the name')
}
