// Messages between the backup worker and its owner. The worker answers each request once and in
// order, so it never runs ahead of the client that reads.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { CodeName } from '../../base/errors.js'
import type { Damage } from '../tables/stored-pairs.js'

/** Beside what the worker needs to reach its store. */
export interface BackupWorkerStart {
  /** Version of Sigil and the time, for the header of the file. */
  readonly sigil: string
  readonly time: number
  /** Key prefixes to leave out. */
  readonly without: readonly Bytes[]
}

/** The worker of a kind of store. */
export interface BackupScript {
  readonly script: URL
  /** Plain data, by which it reaches the store. */
  readonly store: object
}

/**
 * `open` opens the tables, `pin` fixes the state to back up, and `next` requests a section. `stop`
 * ends the worker and has no answer.
 */
export type ToBackupWorker = 'open' | 'pin' | 'next' | 'stop'

export type FromBackupWorker =
  | { readonly kind: 'opened' }
  | { readonly kind: 'pinned'; readonly head: Bytes; readonly pairs: number }
  | { readonly kind: 'block'; readonly section: Bytes /** Until now. */; readonly pairs: number }
  | { readonly kind: 'tail'; readonly section: Bytes }
  | {
      readonly kind: 'failed'
      readonly code: CodeName
      readonly text: string
      /** Set if a damaged pair is the reason. */
      readonly damage?: Damage
    }
