// Programs over one graph, which each of them looks up again. The caller provides how to run them:
// a command checks its rights before each program; the server's jobs use the store directly.

import type { Awaitable, Program, ReadTx, Tx } from '../../store/store.js'
import { findGraph } from '../graph/graph.js'
import type { AnchoredGraph } from './anchors/anchor-batch.js'

/** Programs over one graph; the graph is undefined if it was dropped. */
export interface GraphPrograms {
  read<T>(program: (tx: ReadTx, graph: AnchoredGraph) => Program<T>): Awaitable<T | undefined>
  write<T>(program: (tx: Tx, graph: AnchoredGraph) => Program<T>): Promise<T | undefined>
}

interface Runner {
  read<T>(program: (tx: ReadTx) => Program<T>): Awaitable<T>
  write<T>(program: (tx: Tx) => Program<T>): Promise<T>
}

export function graphPrograms(runner: Runner, database: string, name: string): GraphPrograms {
  return {
    read: (program) =>
      runner.read(function* (tx) {
        const graph = yield* findGraph(tx, database, name)
        return graph === undefined ? undefined : yield* program(tx, graph)
      }),
    write: (program) =>
      runner.write(function* (tx) {
        const graph = yield* findGraph(tx, database, name)
        return graph === undefined ? undefined : yield* program(tx, graph)
      }),
  }
}
