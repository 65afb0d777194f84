// The commands of graph memory: one list, which the table of commands takes in and the tests of
// rights go through.

import type { DocumentRow } from '../../bus/document/row.js'
import { edgeRows } from './edges.js'
import { graphSnapshotRow } from './graph-snapshot.js'
import { graphRows } from './graphs.js'
import { memoryItemRows } from './memories.js'
import { proofRows } from './proofs-task.js'
import { recallRow } from './recall.js'
import { rememberRow } from './remember.js'

const rows: readonly DocumentRow[] = [
  rememberRow,
  ...memoryItemRows,
  ...edgeRows,
  recallRow,
  graphSnapshotRow,
  ...proofRows,
  ...graphRows,
]

/** Graphs are in spaces, whose rights are asked as of all that lies there. */
export const memoryRows = rows.map((row): DocumentRow => ({ ...row, inSpaces: true }))
