// What the checkpoint worker and its owner say to each other, and the words of memory they share:
// a worker that is at work hears no messages.

import type { CodeName } from '../../base/errors.js'
import type { PageDamage } from '../pages/page-damage.js'
import type { AppliedSegment } from './checkpoint.js'

/** 1 when the worker is to end after the running commit. */
export const closingAt = 0
/** 1 when the worker has let the environment go, because it failed for good. */
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
  /** Pages of the tables are damaged: nothing is applied any more. No answer to a question. */
  | { readonly kind: 'damaged'; readonly damages: readonly PageDamage[] }
  /** All pages were gone through once more. No answer either. */
  | { readonly kind: 'scrubbed' }
  | { readonly kind: 'applied'; readonly done: AppliedSegment }
  | {
      readonly kind: 'failed'
      readonly code: CodeName
      readonly text: string
      /** `passing`: another try may succeed. Else nothing is applied any more. */
      readonly cause: 'passing' | 'sync' | 'other'
    }
