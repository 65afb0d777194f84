// The key-value databases that one program has open, and what is left to be written of them when it
// ends.

import type { Bytes } from '../../base/bytes.js'
import { usageKey } from '../../engine/collection/counters.js'
import { payerOf } from '../../engine/collection/descriptors.js'
import { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Keyspaces } from '../../engine/keyspace/keyspaces.js'
import type { Work } from '../../engine/keyspace/work.js'
import type { Program, ReadTx } from '../../store/store.js'

/** The keyspaces of one program, each opened once. */
export class Spaces {
  private readonly opened: (Keyspace | undefined)[] = []

  constructor(
    readonly tx: ReadTx,
    readonly now: number,
    private readonly work: Work,
    private readonly keyspaces: Keyspaces,
  ) {}

  known(database: number): Keyspace | undefined {
    return this.opened[database]
  }

  /** The sums of their owners. */
  usages(): readonly Bytes[] {
    const payers = new Set<string>()
    for (const ks of this.opened) {
      const payer = ks === undefined ? null : payerOf(ks.ns.access)
      if (payer !== null) payers.add(payer)
    }
    return [...payers].map(usageKey)
  }

  /** Writes what commands have left open. */
  settle(): void {
    for (const ks of this.opened) ks?.settle()
  }

  *open(database: number): Program<Keyspace> {
    const ns = yield* this.keyspaces.find(this.tx, database)
    const ks = new Keyspace(this.tx, ns, database, this.now, this.work)
    this.opened[database] = ks
    return ks
  }
}
