// Programs over one graph, found anew in each of them. Who runs them is passed in: a command checks
// the caller's rights again before each program, the server's own jobs use the store.

import type { Awaitable, Program, ReadTx, Tx } from '../../store/store.js'
import { findGraph } from '../graph/graph.js'
import type { AnchoredGraph } from './anchors/anchor-batch.js'

/** Programs over one graph; undefined where it is gone. */
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
