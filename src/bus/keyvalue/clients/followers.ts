// Observers of every command that has run: MONITOR and SLOWLOG. They see this interface, so that
// they do not import types of the executor.

import type { Arguments } from '../arguments.js'
import type { KeyValueFacts } from '../row-facts.js'
import type { KeyValueSession } from './session.js'

/** A command that has run. */
export interface Followed {
  readonly now: number
  readonly args: Arguments
  readonly session: KeyValueSession
  readonly command: { readonly row: KeyValueFacts }
  /** Number of the database that MONITOR prints. */
  readonly shownDatabase: number
}

/** Each is called with every command and its milliseconds. */
export type Followers = Set<(call: Followed, ms: number) => void>
