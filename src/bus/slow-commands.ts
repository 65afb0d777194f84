// The last slow commands, by shape: names and operators, no values. They are kept in memory for the
// page; the log has them too.

import { slowCommandsKept } from '../base/limits/http.js'
import type { SessionProtocol } from './session.js'

interface SlowCommand {
  /** When it ended, milliseconds since 1970. */
  readonly at: number
  readonly ms: number
  readonly command: string
  readonly ns: string
  readonly protocol: SessionProtocol
  readonly shape: string
  /** Of its error. */
  readonly code: number | undefined
  /** The identity that sent it. */
  readonly owner: string
}

export class SlowCommands {
  private readonly kept: SlowCommand[] = []

  add(command: SlowCommand): void {
    this.kept.push(command)
    if (this.kept.length > slowCommandsKept) this.kept.shift()
  }

  /** Newest first; those of one identity, or all. */
  list(owner: string | undefined): readonly SlowCommand[] {
    return this.kept.filter((one) => owner === undefined || one.owner === owner).reverse()
  }
}
