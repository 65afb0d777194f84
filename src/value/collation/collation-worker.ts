// The worker thread that builds collation tables: sorting all characters takes 80 to 240 ms, which
// would block all other clients.

import { parentPort } from 'node:worker_threads'
import { type LevelsOptions, levelsOf, type TableData } from './collation-levels.js'
import { CollationTable } from './collation-table.js'

/** Undefined on failure: then the caller builds the table. */
function dataOf(options: LevelsOptions): TableData | undefined {
  try {
    return new CollationTable(levelsOf(options)).data
  } catch {
    return undefined
  }
}

parentPort?.on('message', (options: LevelsOptions) => {
  const data = dataOf(options)
  const moved = data === undefined ? [] : [data.sorted.buffer, data.starts.buffer]
  parentPort?.postMessage(data, moved as ArrayBuffer[])
})
