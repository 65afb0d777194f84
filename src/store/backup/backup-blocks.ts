// The blocks of a backup in order, and the end of the file that agrees with them. The workers of
// all kinds of stores share it, so that their files are alike.

import { Block, encodeTail, nextBlocksCrc } from './backup-format.js'
import type { FromBackupWorker } from './backup-messages.js'

export class BackupBlocks {
  private readonly seen = { blocks: 0, blocksCrc: 0, pairs: 0, bytes: 0 }

  /** The caller fills it. */
  begin(): Block {
    return new Block(this.seen.blocks)
  }

  /** An empty block is the end. */
  end(block: Block): FromBackupWorker {
    const { seen } = this
    if (block.pairs === 0) return { kind: 'tail', section: encodeTail(seen) }
    const { section, crc } = block.close()
    seen.blocks++
    seen.blocksCrc = nextBlocksCrc(seen.blocksCrc, crc)
    seen.pairs += block.pairs
    seen.bytes += block.bytes
    return { kind: 'block', section, pairs: seen.pairs }
  }
}
