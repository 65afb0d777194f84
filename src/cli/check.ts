// `sigil check`: verifies everything that the engine promises about a data folder, and names what
// does not hold. Opens the folder itself, so Sigil has to be stopped.

import { systemClock } from '../base/clock.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { checkStore } from '../engine/check.js'
import { openStore } from '../store/open.js'

/** Returns the exit code: 1 where anything was found. */
export async function runCheck(settings: Settings): Promise<number> {
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = await openStore(settings.STORE, options)
  try {
    const problems = await checkStore(store, (ns, records, found) => {
      const outcome = found === 0 ? 'sound' : `${found} problems`
      process.stdout.write(`${ns}: ${records} documents, ${outcome}\n`)
    })
    for (const { ns, kind, text } of problems) {
      process.stderr.write(`${ns === '' ? 'store' : ns}: ${kind}: ${text}\n`)
    }
    const words = problems.length === 0 ? 'Nothing is wrong.' : `${problems.length} problems.`
    process.stdout.write(`${words}\n`)
    return problems.length === 0 ? 0 : 1
  } finally {
    await store.close()
  }
}
