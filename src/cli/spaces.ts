// `sigil spaces move`: gives the wallets of a folder that was made with one space for all homes of
// their own. Opens the folder itself, so Sigil has to be stopped; what was ended can be run again.

import { parseArgs } from 'node:util'
import { systemClock, systemRandom } from '../base/clock.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { Engine } from '../engine/engine.js'
import { requireAddress } from '../identity/address.js'
import { Audit } from '../identity/audit.js'
import { operator } from '../identity/identity.js'
import { openStore } from '../store/open.js'
import { moveSpaces } from './move-spaces.js'

const help = `Usage:
  sigil spaces move [--keys <wallet> [--match <pattern>]]

  Moves the graphs of wallets from DATABASE into their homes, and writes down that each wallet has a
  space of its own. Keys of a shared database do not tell their owner: --keys gives them to one
  wallet, --match only those whose names match; the others stay where they are, with the mode that
  they have, for users whose names end with ~DATABASE. Sigil must be stopped. A move that was ended
  is run again.
`

interface Given {
  readonly keys?: string
  readonly match?: string
}

/** Returns the exit code. */
export async function runSpaces(settings: Settings, args: readonly string[]): Promise<number> {
  const given = read(args)
  if (given === undefined) {
    process.stderr.write(help)
    return 2
  }
  const keys =
    given.keys === undefined
      ? undefined
      : { wallet: requireAddress(given.keys, '--keys'), pattern: given.match }
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
    await audit.record({ act: 'moveSpaces', identity: operator, protocol: 'cli', peer: '' })
    return 0
  } finally {
    await engine.close()
    await store.close()
  }
}

/** Undefined where it is not what the help says. */
function read(args: readonly string[]): Given | undefined {
  const [word, ...rest] = args
  if (word !== 'move') return undefined
  try {
    const { values } = parseArgs({
      args: rest,
      options: { keys: { type: 'string' }, match: { type: 'string' } },
    })
    return values.match !== undefined && values.keys === undefined ? undefined : { ...values }
  } catch {
    return undefined
  }
}
