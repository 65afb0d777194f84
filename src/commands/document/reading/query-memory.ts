// What a command may use for stages that hold documents: memory, counted for its owner, and the
// disk if the command allows it.

import type { Engine } from '../../../engine/engine.js'
import { QueryMemory } from '../../../engine/sources/query-memory.js'

interface QueryCall {
  readonly engine: Engine
  /** The key of the owner's identity. */
  readonly owner: string
  readonly args: { readonly allowDiskUse: boolean }
}

export function queryMemory({ engine, owner, args }: QueryCall): QueryMemory {
  const { memory, spills } = engine
  return new QueryMemory({ shares: memory.shares, spills, owner, allowsDisk: args.allowDiskUse })
}
