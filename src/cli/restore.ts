// `sigil restore <file>`: makes the data folder, or the tables, of these settings from a backup.
// They must be absent or empty, and Sigil stopped.

import { createReadStream, statSync } from 'node:fs'
import { systemClock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { silentLog } from '../base/log.js'
import { withoutPassword } from '../base/setting-kinds.js'
import type { Settings } from '../base/settings.js'
import { rightsReport } from '../identity/rights/rights-report.js'
import { secretRows } from '../identity/secret-rows.js'
import {
  type Restored,
  type RestoreTarget,
  restoreInto,
  restoreStore,
} from '../store/backup/restore.js'
import { openStore } from '../store/open.js'
import { type Address, parseAddress } from '../store/postgres/address.js'
import { openProgress, sizeText } from './progress.js'

const pieceBytes = 1 << 20

/** Returns the exit code. */
export async function runRestore(settings: Settings, file: string): Promise<number> {
  const total = sizeOf(file)
  const { head, pairs, bytes } = await restore(settings.STORE, file, total)
  const place = withoutPassword(settings.STORE.replace(/^lmdb:/, ''))
  const taken = new Date(head.time).toISOString()
  const made = `made ${taken} by Sigil ${head.sigil}`
  process.stdout.write(
    `${pairs} entries, ${sizeText(bytes)}, restored to ${place} from a backup ${made}\n`,
  )
  process.stdout.write(`${(await rightsOf(settings, taken)).join('\n')}\n`)
  return 0
}

/** Rights to check after a restore: the file is older than later changes. */
async function rightsOf(settings: Settings, taken: string): Promise<string[]> {
  const { STORE, DURABILITY } = settings
  const options = { durability: DURABILITY, clock: systemClock, log: silentLog }
  const store = await openStore(STORE, options)
  try {
    return [
      'All sessions have ended, and there is no operator key: the first start makes one, or takes',
      `API_KEY. Rights are those of ${taken}: rights that were removed since are back.`,
      ...(await store.read(rightsReport)),
    ]
  } finally {
    await store.close()
  }
}

/** Rejects with InvalidOptions for a store that keeps nothing. */
async function restore(store: string, file: string, total: number): Promise<Restored> {
  const folder = /^lmdb:(.+)$/.exec(store)?.[1]
  const address = parseAddress(store)
  if (folder === undefined && address === undefined) {
    throw fail('InvalidOptions', `setting STORE=${store}: not a data folder, nor PostgreSQL`)
  }
  const tables = address === undefined ? undefined : await openTables(address)
  const bar = openProgress(total, '{entries} entries', { entries: 0 })
  const options = {
    without: secretRows,
    pieces: createReadStream(file, { highWaterMark: pieceBytes }),
    progress: (done: number, entries: number) => bar.update(done, { entries }),
  }
  try {
    if (tables !== undefined) return await restoreInto(tables, options)
    return await restoreStore({ folder: folder ?? '', ...options })
  } finally {
    bar.stop()
  }
}

async function openTables(address: Address): Promise<RestoreTarget> {
  const { TablesRestore } = await import('../store/postgres/copy/restore-target.js')
  return TablesRestore.open(address)
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw fail('BadValue', error instanceof Error ? error.message : String(error))
  }
}
