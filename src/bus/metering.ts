// Counts of what the bus has run: for serverStatus now, for quotas and analytics later. They are
// kept in memory and start at zero with the process.

import type { CommandCounts, Counters, OperationKind } from './call.js'

const kinds: ReadonlyMap<string, OperationKind> = new Map([
  ['insert', 'insert'],
  ['find', 'query'],
  ['update', 'update'],
  ['findAndModify', 'update'],
  ['delete', 'delete'],
  ['getMore', 'getmore'],
])

export class Metering implements Counters {
  readonly operations: Record<OperationKind, number> = {
    insert: 0,
    query: 0,
    update: 0,
    delete: 0,
    getmore: 0,
    command: 0,
  }
  readonly commands = new Map<string, CommandCounts>()

  constructor(readonly startedMs: number) {}

  /** Counts one command that took `ms`. */
  record(command: string, ms: number, failed: boolean): void {
    this.operations[kinds.get(command) ?? 'command']++
    let counts = this.commands.get(command)
    if (counts === undefined) {
      counts = { total: 0, failed: 0, ms: 0 }
      this.commands.set(command, counts)
    }
    counts.total++
    counts.ms += ms
    if (failed) counts.failed++
  }
}
