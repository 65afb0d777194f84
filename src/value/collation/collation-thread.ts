// Requests collation tables from the worker thread (collation-worker.ts), one at a time in request
// order.

import { IdleThread } from '../../base/work/idle-thread.js'
import type { LevelsOptions, TableData } from './collation-levels.js'

/** How long the idle thread waits for a request before it ends, milliseconds. */
const collationThreadIdleMs = 60_000

const thread = new IdleThread<LevelsOptions, TableData | undefined>({
  file: new URL('./collation-worker.js', import.meta.url),
  name: 'collation',
  idleMs: collationThreadIdleMs,
  gone: 'the table of a collation could not be made',
})

/** The table's data; undefined if the thread failed: then the caller builds it. */
export async function tableDataFor(options: LevelsOptions): Promise<TableData | undefined> {
  try {
    return await thread.ask(options)
  } catch {
    return undefined
  }
}
