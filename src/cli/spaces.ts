// `sigil spaces move`: moves the wallets of a folder with one shared space to separate homes. It
// opens the folder itself, so Sigil must be stopped; an interrupted run continues.

import { systemClock, systemRandom } from '../base/clock.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { Engine } from '../engine/engine.js'
import { requireAddress } from '../identity/address.js'
import { Audit } from '../identity/audit.js'
import { operator } from '../identity/identity.js'
import { openStore } from '../store/open.js'
import { requireFolder } from './data-folder.js'
import { moveSpaces } from './spaces/move-spaces.js'

interface Given {
  readonly keys?: string
  readonly match?: string
}

/** Returns the exit code; the command line refuses `match` without `keys`. */
export async function runSpaces(settings: Settings, given: Given): Promise<number> {
  requireFolder(settings)
  const keys =
    given.keys === undefined
      ? null
      : { wallet: requireAddress(given.keys, '--keys'), pattern: given.match ?? null }
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = await openStore(settings.STORE, options)
  const parts = { store, clock: systemClock, random: systemRandom, log: silentLog }
  const engine = new Engine(parts)
  try {
    await engine.start()
    const say = (line: string) => process.stdout.write(`${line}\n`)
    const { DATABASE: database } = settings
    await moveSpaces({ store, database, now: systemClock.now(), say }, keys)
    const audit = new Audit({ store, database, clock: systemClock })
    await audit.record({
      act: 'moveSpaces',
      identity: operator,
      protocol: 'cli',
      remoteAddress: '',
    })
    return 0
  } finally {
    await engine.close()
    await store.close()
  }
}
