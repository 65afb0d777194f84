// Whether what an optimistic write has read is still so when its changes are made. A store that
// owns its data tells which keys have changed meanwhile. Otherwise other gateways change some too,
// and the program of the changes reads the states again, which the store validates with it.
// (docs/design/transactions.md, rule 2)

import type { Program, ReadTx } from '../store.js'
import { ChangedKeys, type TransactionStore } from './changed-keys.js'
import { ReadSet } from './read-set.js'
import { NotedReads, type Reads } from './reads.js'

/** Of one command, which may begin again. */
export interface Validation {
  /** Forgets everything before an attempt. */
  begin(): void
  /** Notes the reads of one part of an attempt. */
  reads(): Reads
  /** Which parts still hold; asked in a write program. */
  whichHold(tx: ReadTx, parts: readonly Reads[]): Program<boolean[]>
  /** Whether nothing has changed that could explain an error; asked in a write program. */
  isUndisturbed(tx: ReadTx): Program<boolean>
  /** Changes of this writer are the command's own. */
  own(writer: object | undefined): void
  end(): void
}

export function beginValidation(store: TransactionStore): Validation {
  const changed = ChangedKeys.of(store)
  return changed === undefined ? new ByStates() : new ByChanges(changed)
}

class ByChanges implements Validation {
  constructor(private readonly changed: ChangedKeys) {}

  begin(): void {
    this.changed.clear()
  }

  reads(): NotedReads {
    return new NotedReads()
  }

  *whichHold(_tx: ReadTx, parts: readonly Reads[]): Program<boolean[]> {
    const { keys, areTooMany } = this.changed
    if (keys.size === 0) return parts.map(() => true)
    return parts.map((part) => !areTooMany && !(part as NotedReads).hasAny(keys))
  }

  *isUndisturbed(): Program<boolean> {
    return this.changed.keys.size === 0
  }

  own(writer: object | undefined): void {
    this.changed.own = writer
  }

  end(): void {
    this.changed.end()
  }
}

class ByStates implements Validation {
  private readonly parts: ReadSet[] = []

  begin(): void {
    this.parts.length = 0
  }

  reads(): ReadSet {
    const part = new ReadSet()
    this.parts.push(part)
    return part
  }

  whichHold(tx: ReadTx, parts: readonly Reads[]): Program<boolean[]> {
    return ReadSet.whichHold(tx, parts as readonly ReadSet[])
  }

  *isUndisturbed(tx: ReadTx): Program<boolean> {
    return (yield* this.whichHold(tx, this.parts)).every((holds) => holds)
  }

  own(): void {}

  end(): void {}
}
