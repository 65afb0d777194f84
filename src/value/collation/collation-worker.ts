// The thread that makes tables of collations: to put all characters in a language's order takes 80
// to 240 ms, in which no other client could be answered.

import { parentPort } from 'node:worker_threads'
import { type LevelsOptions, levelsOf, type TableData } from './collation-levels.js'
import { CollationTable } from './collation-table.js'

/** Undefined where it failed: who needs the table makes it. */
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
