// What the backup's worker and its owner say to each other. The owner asks, the worker answers each
// question once and in order: so it is never further than the client that reads.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { CodeName } from '../../base/errors.js'
import type { Damage } from '../tables/stored-pairs.js'

export interface BackupWorkerStart {
  readonly folder: string
  /** Version of Sigil, and the time, for the head of the file. */
  readonly sigil: string
  readonly time: number
  /** Beginnings of keys that are left out. */
  readonly without: readonly Bytes[]
}

/**
 * `open` opens the tables, `pin` fixes the state that the backup is of, `next` asks for a section;
 * `stop` ends the worker and has no answer.
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
      /** Where a damaged pair is the reason. */
      readonly damage?: Damage
    }
