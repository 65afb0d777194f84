// `sigil restore <file>`: makes the data folder of these settings out of a backup. The folder must
// be absent or empty, and Sigil stopped.

import { createReadStream, statSync } from 'node:fs'
import { fail } from '../base/errors.js'
import type { Settings } from '../base/settings.js'
import { type Restored, restoreStore } from '../store/restore.js'
import { openProgress, sizeText } from './progress.js'

const help = `Usage:
  sigil restore <file>

  Makes the data folder of setting STORE out of a backup. The folder must be absent or empty, and
  Sigil stopped. Nothing is there until all of the backup is verified.
`

const pieceBytes = 1 << 20

/** Returns the exit code. */
export async function runRestore(settings: Settings, args: readonly string[]): Promise<number> {
  const [file, ...more] = args
  if (file === undefined || more.length > 0 || file.startsWith('--')) {
    process.stderr.write(help)
    return 2
  }
  const folder = /^lmdb:(.+)$/.exec(settings.STORE)?.[1]
  if (folder === undefined) {
    throw fail('InvalidOptions', `setting STORE=${settings.STORE}: not a data folder`)
  }
  const total = sizeOf(file)
  const { head, pairs, bytes } = await restore(folder, file, total)
  const made = `made ${new Date(head.time).toISOString()} by Sigil ${head.sigil}`
  process.stdout.write(
    `${pairs} entries, ${sizeText(bytes)}, restored to ${folder} from a backup ${made}\n`,
  )
  return 0
}

async function restore(folder: string, file: string, total: number): Promise<Restored> {
  const bar = openProgress(total, '{entries} entries', { entries: 0 })
  try {
    return await restoreStore({
      folder,
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
