// The tables of a shared store as the target of a restore. No gateway starts on them before the
// whole backup is verified.

import { withoutPassword } from '../../../base/setting-kinds.js'
import type { RestoreTarget } from '../../backup/restore.js'
import { partBytes, unframed } from '../../copy/ends.js'
import type { Entry } from '../../store.js'
import type { Applied } from '../../tables/lmdb-environment.js'
import type { Address } from '../address.js'
import { openingError } from '../failures.js'
import { PostgresTarget } from './copy-ends.js'

export class TablesRestore implements RestoreTarget {
  readonly commitBytes = partBytes
  private isFinished = false

  private constructor(
    readonly name: string,
    private readonly target: PostgresTarget,
  ) {}

  /** Rejects with OperationFailed unless the schema is empty, or has an unfinished restore. */
  static async open(address: Address): Promise<TablesRestore> {
    const target = await PostgresTarget.openEmpty(address, 'a backup')
    const { connectionString, schema } = address
    return new TablesRestore(`schema ${schema} of ${withoutPassword(connectionString)}`, target)
  }

  async put(pairs: readonly Entry[]): Promise<void> {
    await told(this.target.put(pairs.map(unframed)))
  }

  async finish({ version }: Applied): Promise<void> {
    await told(this.target.finish(version))
    this.isFinished = true
  }

  async end(): Promise<void> {
    try {
      // Without PostgreSQL the unfinished tables stay, and no gateway starts on them.
      if (!this.isFinished) await this.target.abandon().catch(() => undefined)
    } finally {
      await this.target.close()
    }
  }
}

async function told(done: Promise<void>): Promise<void> {
  try {
    await done
  } catch (error) {
    throw openingError(error)
  }
}
