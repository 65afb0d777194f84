// Entry point of the backup worker of a shared store: a thread with a connection of its own. One
// transaction pins the state, so no gateway waits, and it is that of one moment: what is committed
// is in it, whichever gateway did. Pages are bounded in bytes, so the thread holds little.

import { parentPort, workerData } from 'node:worker_threads'
import { type Bytes, beginsWith } from '../../../base/bytes/bytes.js'
import { assert, toGatewayError } from '../../../base/errors.js'
import { BackupBlocks } from '../../backup/backup-blocks.js'
import { encodeHead } from '../../backup/backup-format.js'
import type {
  BackupWorkerStart,
  FromBackupWorker,
  ToBackupWorker,
} from '../../backup/backup-messages.js'
import { framed, type Pair, pairsAtOnce } from '../../copy/ends.js'
import { keyClass } from '../../layout.js'
import { tablesFormat } from '../../tables/lmdb-format.js'
import { firstKey } from '../../tables/tables-walk.js'
import { sumOf, sums } from '../asks.js'
import { clientError } from '../failures.js'
import { Link, type LinkOptions } from '../link.js'
import { packOne } from '../packed.js'
import type { Row, Statement } from '../statement.js'
import { afterCounters, highestIn, pairOf, pairsIn, sizes } from './copy-ends.js'

/** Bytes of the values of a page; the last one may exceed it. */
const pageBytes = 1_048_576
const firstCounter = Uint8Array.of(keyClass.count)
const endOfKeys = Uint8Array.of(0xff)

/** The sums read lengths only: PostgreSQL reads a large value when it is sent. */
const pairsOfPage: Statement = {
  name: 'backup_pairs',
  text: `SELECT key, version, value FROM (
      SELECT key, version, value, sum(octet_length(value)) OVER (ORDER BY key
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM (SELECT key, version, value FROM pairs WHERE key > $1::bytea AND key < $2::bytea
        ORDER BY key LIMIT ${pairsAtOnce}) AS page) AS sized
    WHERE before IS NULL OR before < ${pageBytes} ORDER BY key`,
}
const countsOfPage: Statement = {
  name: 'backup_counts',
  text: `SELECT key, ${sums} FROM counts WHERE key > $1::bytea AND key < $2::bytea
    GROUP BY key ORDER BY key LIMIT ${pairsAtOnce}`,
}

/** Counters have a table of their own, and their place among the keys. */
const ranges = [
  { from: firstKey, end: firstCounter, of: pairsOfPage, pairOf },
  { from: firstCounter, end: afterCounters, of: countsOfPage, pairOf: counterOf },
  { from: firstCounter, end: endOfKeys, of: pairsOfPage, pairOf },
] as const

function counterOf(row: Row): Pair {
  return { key: row[0] as Bytes, value: sumOf(row), version: 0 }
}

/** All pairs in key order. */
async function* pairsOf(link: Link): AsyncGenerator<Pair> {
  for (const { from, end, of, pairOf } of ranges) {
    for (let after: Bytes | undefined = from; after !== undefined; ) {
      const rows: readonly Row[] = await link.run(of, [packOne(after), packOne(end)])
      const page: readonly Pair[] = rows.map(pairOf)
      yield* page
      after = page.at(-1)?.key
    }
  }
}

/** The sections of one state, in order. */
class Sections {
  private readonly blocks = new BackupBlocks()
  private readonly pairs: AsyncGenerator<Pair>
  /** Did not fit into the block before. */
  private kept: Pair | undefined

  constructor(
    link: Link,
    private readonly without: readonly Bytes[],
  ) {
    this.pairs = pairsOf(link)
  }

  async next(): Promise<FromBackupWorker> {
    const block = this.blocks.begin()
    for (let pair = this.kept ?? (await this.read()); ; pair = await this.read()) {
      this.kept = pair
      if (pair === undefined || !block.add(pair.key, framed(pair))) break
    }
    return this.blocks.end(block)
  }

  private async read(): Promise<Pair | undefined> {
    for (;;) {
      const { value, done } = await this.pairs.next()
      if (done === true) return undefined
      if (!beginsWith(value.key, this.without)) return value
    }
  }
}

const port = parentPort
assert(port !== null, 'backup-worker runs as a worker only')
const start = workerData as BackupWorkerStart & { readonly links: LinkOptions }
let link: Link | undefined
let sections: Sections | undefined
let isStopped = false

port.on('message', (message: ToBackupWorker) => {
  if (message === 'stop') {
    isStopped = true
    port.close()
    void link?.close()
    return
  }
  void answerTo(message).then((answer) => {
    if (isStopped) return
    const moved = answer.kind === 'block' ? [answer.section.buffer as ArrayBuffer] : []
    port.postMessage(answer, moved)
  })
})

async function answerTo(question: 'open' | 'pin' | 'next'): Promise<FromBackupWorker> {
  try {
    if (question === 'open') {
      const opened = await Link.open(start.links, 'sigil backup')
      if (isStopped) await opened.close()
      link = opened
      return { kind: 'opened' }
    }
    assert(link !== undefined, 'a connection is opened before it is used')
    if (question === 'pin') return await pin(link)
    assert(sections !== undefined, 'a state is pinned before it is read')
    return await sections.next()
  } catch (thrown) {
    const { kind, message } = toGatewayError(clientError(thrown))
    return { kind: 'failed', code: kind, text: message }
  }
}

async function pin(link: Link): Promise<FromBackupWorker> {
  const { sigil, time, without } = start
  await link.command('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const [row] = await link.command(sizes)
  const [pairs, version] = [pairsIn(row), highestIn(row)]
  sections = new Sections(link, without)
  const head = encodeHead({ tablesFormat, applied: { group: 0, version }, time, pairs, sigil })
  return { kind: 'pinned', head, pairs }
}
