// Those who are told of each command that has run: MONITOR and SLOWLOG. What they see of it does
// not name the executor's own types.

import type { Arguments } from '../arguments.js'
import type { KeyValueFacts } from '../row-facts.js'
import type { KeyValueSession } from './session.js'

/** A command that has run. */
export interface Followed {
  readonly now: number
  readonly args: Arguments
  readonly session: KeyValueSession
  readonly command: { readonly row: KeyValueFacts }
  /** Number of the database that MONITOR shows it with. */
  readonly shownDatabase: number
}

/** Each is told of every command, with its milliseconds. */
export type Followers = Set<(call: Followed, ms: number) => void>
