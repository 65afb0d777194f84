// Messages between the checkpoint worker and its owner, and the words of shared memory they use: a
// busy worker does not receive messages.

import type { CodeName } from '../../base/errors.js'
import type { PageDamage } from '../pages/page-damage.js'
import type { AppliedSegment } from './checkpoint.js'

/** 1 when the worker must end after the current commit. */
export const closingAt = 0
/** 1 when the worker has closed the environment after a permanent failure. */
export const droppedAt = 1
export const controlWords = 2

export interface WorkerStart {
  readonly folder: string
  readonly control: Int32Array
}

export type ToWorker =
  | { readonly kind: 'apply'; readonly path: string; readonly lastGroup: number }
  | { readonly kind: 'close' }

export type FromWorker =
  /** Pages of the tables are damaged and checkpoints have ended. Sent without a request. */
  | { readonly kind: 'damaged'; readonly damages: readonly PageDamage[] }
  /** A scrub has verified all pages once more. Sent without a request. */
  | { readonly kind: 'scrubbed' }
  | { readonly kind: 'applied'; readonly done: AppliedSegment }
  | {
      readonly kind: 'failed'
      readonly code: CodeName
      readonly text: string
      /** `passing`: a retry may succeed. Otherwise checkpoints have ended. */
      readonly cause: 'passing' | 'sync' | 'other'
    }
