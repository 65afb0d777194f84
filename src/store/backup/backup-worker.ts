// Entry point of the backup worker of a data folder: a thread with its own handle on the tables. It
// pins one state and walks it in key order, one block per request. It reads and verifies the pages
// itself, so a damaged page ends the backup and not the server.

import { parentPort, workerData } from 'node:worker_threads'
import { type Bytes, beginsWith, compareBytes, prefixEnd } from '../../base/bytes/bytes.js'
import { assert, GatewayError } from '../../base/errors.js'
import { damageAt, type PageDamage } from '../pages/page-damage.js'
import { PairReader } from '../pages/pair-reader.js'
import {
  type Environment,
  openEnvironment,
  type ReadTransaction,
} from '../tables/lmdb-environment.js'
import type { Damage } from '../tables/stored-pairs.js'
import { readState, TablesWalk } from '../tables/tables-walk.js'
import { BackupBlocks } from './backup-blocks.js'
import { encodeHead } from './backup-format.js'
import type { BackupWorkerStart, FromBackupWorker, ToBackupWorker } from './backup-messages.js'

class Damaged extends Error {
  constructor(readonly damage: Damage) {
    super(damage.text)
  }
}

/** The sections of one state, in order. */
class Sections {
  readonly head: Bytes
  /** Number of pairs in the state. */
  readonly pairs: number
  private readonly walk: TablesWalk
  private readonly without: readonly Bytes[]
  private readonly blocks = new BackupBlocks()

  constructor(reader: PairReader, start: BackupWorkerStart) {
    const { format, applied, pairs: all } = readState(reader)
    const { sigil, time, without } = start
    const pairs = all - countUnder(reader, without)
    this.without = without
    this.head = encodeHead({ tablesFormat: format, applied, time, pairs, sigil })
    this.pairs = pairs
    this.walk = new TablesWalk(reader, applied.version)
  }

  /** The next block, or the end of the file. Throws Damaged. */
  next(): FromBackupWorker {
    const block = this.blocks.begin()
    this.walk.step(
      ({ key, value }) => beginsWith(key, this.without) || block.add(key, value),
      (damage) => {
        throw new Damaged(damage)
      },
    )
    return this.blocks.end(block)
  }
}

function countUnder(reader: PairReader, beginnings: readonly Bytes[]): number {
  let count = 0
  const refuse = (damage: PageDamage) => {
    throw new Damaged(damageAt(damage))
  }
  for (const start of beginnings) {
    const end = prefixEnd(start)
    for (const { key } of reader.entries(refuse, start)) {
      if (compareBytes(key, end) >= 0) break
      count++
    }
  }
  return count
}

const port = parentPort
assert(port !== null, 'backup-worker runs as a worker only')
const start = workerData as BackupWorkerStart & { readonly folder: string }
let environment: Environment | undefined
let transaction: ReadTransaction | undefined
let reader: PairReader | undefined
let sections: Sections | undefined

port.on('message', (message: ToBackupWorker) => {
  if (message === 'stop') {
    port.close()
    reader?.close()
    transaction?.done()
    void environment?.close()
    return
  }
  const answer = answerTo(message)
  const moved = answer.kind === 'block' ? [answer.section.buffer as ArrayBuffer] : []
  port.postMessage(answer, moved)
})

function answerTo(question: 'open' | 'pin' | 'next'): FromBackupWorker {
  try {
    environment ??= openEnvironment(start.folder)
    if (question === 'open') return { kind: 'opened' }
    if (question === 'pin') {
      transaction = environment.useReadTransaction()
      reader = new PairReader(start.folder)
      sections = new Sections(reader, start)
      return { kind: 'pinned', head: sections.head, pairs: sections.pairs }
    }
    assert(sections !== undefined, 'a state is pinned before it is read')
    return sections.next()
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): FromBackupWorker {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof Damaged) {
    return { kind: 'failed', code: 'ChecksumMismatch', text, damage: error.damage }
  }
  const code = error instanceof GatewayError ? error.kind : 'OperationFailed'
  return { kind: 'failed', code, text }
}
