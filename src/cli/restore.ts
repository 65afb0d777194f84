// `sigil restore <file>`: makes the data folder of these settings from a backup. The folder must be
// absent or empty, and Sigil stopped.

import { createReadStream, statSync } from 'node:fs'
import { systemClock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { rightsReport } from '../identity/rights/rights-report.js'
import { secretRows } from '../identity/secret-rows.js'
import { type Restored, restoreStore } from '../store/backup/restore.js'
import { openStore } from '../store/open.js'
import { openProgress, sizeText } from './progress.js'

const pieceBytes = 1 << 20

/** Returns the exit code. */
export async function runRestore(settings: Settings, file: string): Promise<number> {
  const folder = /^lmdb:(.+)$/.exec(settings.STORE)?.[1]
  if (folder === undefined) {
    throw fail('InvalidOptions', `setting STORE=${settings.STORE}: not a data folder`)
  }
  const total = sizeOf(file)
  const { head, pairs, bytes } = await restore(folder, file, total)
  const taken = new Date(head.time).toISOString()
  const made = `made ${taken} by Sigil ${head.sigil}`
  process.stdout.write(
    `${pairs} entries, ${sizeText(bytes)}, restored to ${folder} from a backup ${made}\n`,
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

async function restore(folder: string, file: string, total: number): Promise<Restored> {
  const bar = openProgress(total, '{entries} entries', { entries: 0 })
  try {
    return await restoreStore({
      folder,
      without: secretRows,
      pieces: createReadStream(file, { highWaterMark: pieceBytes }),
      progress: (done, entries) => bar.update(done, { entries }),
    })
  } finally {
    bar.stop()
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw fail('BadValue', error instanceof Error ? error.message : String(error))
  }
}
