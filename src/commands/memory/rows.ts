// The commands of graph memory: one list, for the command table and the tests of rights. A graph
// command that is not here does not exist.

import type { DocumentRow } from '../../bus/document/row.js'
import { edgeRows } from './edges.js'
import { graphNodeRows } from './graph-nodes.js'
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
  ...graphNodeRows,
  ...proofRows,
  ...graphRows,
]

/** Graphs are in spaces, and use their rights. */
export const memoryRows = rows.map((row): DocumentRow => ({ ...row, inSpaces: true }))
