// Question: how soon is Sigil ready when the log holds 64 MB that no checkpoint has taken, as after
// a crash under load? The bar is 1 s; beside it, the start of a store without a log.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { nodeFiles } from '../../src/store/files.js'
import { SegmentLog } from '../../src/store/log/log.js'
import { recordHeaderBytes } from '../../src/store/log/log-record.js'
import { Memtable } from '../../src/store/memtable/memtable.js'
import { logFolder } from '../../src/store/recovery.js'
import { benchValue, openBenchStore, spreadKey } from '../support/bench-store.js'
import { compare, type Figure } from '../support/figure.js'
import { startSigil } from '../support/processes.js'

const logBytes = 64 * 2 ** 20
const documentBytes = 300
const documentsPerGroup = 64

export async function storeStart(): Promise<Figure[]> {
  const ready = (prepare: (folder: string) => Promise<void>) => async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sigil-start-'))
    try {
      await prepare(folder)
      const sigil = await startSigil({ folder })
      await sigil.stop()
      return sigil.startMs
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const name = 'start with 64 MB of log over one without'
  return [await compare(name, 'ms', ready(fillLog), ready(makeTables))]
}

async function makeTables(folder: string): Promise<void> {
  await openBenchStore(folder).close()
}

/** Writes groups as a store does, whose checkpointer never comes, above tables that are there. */
async function fillLog(folder: string): Promise<void> {
  await makeTables(folder)
  const log = SegmentLog.open({
    folder: logFolder(folder),
    files: nodeFiles,
    clock: systemClock,
    log: silentLog,
    durability: 'none',
    after: { group: 0 },
  })
  let n = 0
  while (log.writtenBytes < logBytes) {
    const memtable = new Memtable({ hasFloor: true })
    memtable.begin(recordHeaderBytes)
    for (let i = 0; i < documentsPerGroup; i++, n++) {
      memtable.put(spreadKey(n), benchValue(n, documentBytes), n + 1)
    }
    log.append(memtable.pieces(), documentsPerGroup)
    memtable.keep()
    memtable.release()
  }
  await log.close()
}
