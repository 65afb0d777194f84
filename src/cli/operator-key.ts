// `sigil operator-key`: makes a new operator key for a data folder and prints it once. Only one
// process may open the store, so Sigil must be stopped. `sigil studio`: asks a running Sigil for a
// one-time code instead, and prints the address that signs a browser in with it.

import { systemClock, systemRandom } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { Audit } from '../identity/audit.js'
import { operator } from '../identity/identity.js'
import { OperatorKey } from '../identity/keys/operator.js'
import { openStore } from '../store/open.js'
import { openClient } from './client.js'
import { requireFolder } from './data-folder.js'

export async function runOperatorKey(settings: Settings): Promise<number> {
  requireFolder(settings)
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = await openStore(settings.STORE, options)
  try {
    const { key } = await OperatorKey.open(store, { random: systemRandom })
    const made = await key.renew(store, systemRandom)
    const audit = new Audit({ store, database: settings.DATABASE, clock: systemClock })
    await audit.record({
      act: 'operatorKey',
      identity: operator,
      protocol: 'cli',
      remoteAddress: '',
    })
    process.stdout.write(`The new operator key, shown once:\n\n  ${made}\n`)
    return 0
  } finally {
    await store.close()
  }
}

export async function runStudio({ url }: { readonly url: string }): Promise<number> {
  const client = openClient(url)
  const { status, body } = await client.post('/api/v1/studio/code', '{}')
  const { code, expiresAt, errmsg } = body
  if (status !== 200) throw fail('Unauthorized', `Sigil refused: ${String(errmsg)}`)
  process.stdout.write(`${client.origin}/#code=${String(code)}\n`)
  process.stderr.write(`It signs the operator in once, until ${String(expiresAt)}.\n`)
  return 0
}
