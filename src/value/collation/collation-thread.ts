// Asks the thread that makes tables of collations (collation-worker.ts): one table after the other,
// in the order in which they were asked for.

import { IdleThread } from '../../base/work/idle-thread.js'
import type { LevelsOptions, TableData } from './collation-levels.js'

/** How long the thread that makes them waits for the next one. */
const collationThreadIdleMs = 60_000

const thread = new IdleThread<LevelsOptions, TableData | undefined>({
  file: new URL('./collation-worker.js', import.meta.url),
  name: 'collation',
  idleMs: collationThreadIdleMs,
  gone: 'the table of a collation could not be made',
})

/** The table's data; undefined where the thread could not make it: then its user makes it. */
export async function tableDataFor(options: LevelsOptions): Promise<TableData | undefined> {
  try {
    return await thread.ask(options)
  } catch {
    return undefined
  }
}
