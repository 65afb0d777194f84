// Lists the rights that a store contains. An operator must check them after a restore, because
// rights that were removed after the backup are valid again.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { rightsListedMax } from '../../base/limits/identity.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { eachNamespace } from '../../engine/collection/catalog/catalog-walk.js'
import type { Program, ReadTx } from '../../store/store.js'
import { scanWalletKeys, shownPermissions, type WalletKey } from '../keys/wallet-keys.js'
import { listUsers, type UserRecord } from '../users/users.js'
import { listWhitelist } from './whitelist.js'

/** Lines to print. */
export function* rightsReport(tx: ReadTx): Program<string[]> {
  const keys = yield* activeKeys(tx)
  const [owned, grants] = yield* grantsOf(tx)
  const listed = yield* listWhitelist(tx)
  const users = yield* listUsers(tx)
  return [
    `${count(keys.total, 'API key')} of wallets, ${count(owned, 'collection')} with an owner, ` +
      `${count(grants.length, 'role')}, ${count(users.length, 'service user')}, ` +
      count(listed.length, 'whitelisted address', 'es'),
    ...some(keys.shown.map(keyLine), keys.total),
    ...some(grants, grants.length),
    ...some(users.map(userLine), users.length),
  ]
}

function* activeKeys(tx: ReadTx): Program<{ total: number; shown: WalletKey[] }> {
  const shown: WalletKey[] = []
  let total = 0
  let start: Bytes | undefined
  for (;;) {
    const { keys, last } = yield* scanWalletKeys(tx, start)
    for (const key of keys) {
      if (key.revokedAt !== 0) continue
      total++
      if (shown.length < rightsListedMax) shown.push(key)
    }
    if (last === undefined) return { total, shown }
    yield* tx.pause(scanEntriesMax * entryUnits)
    start = concatBytes(last, Uint8Array.of(0))
  }
}

function* grantsOf(tx: ReadTx): Program<[owned: number, grants: string[]]> {
  const grants: string[] = []
  let owned = 0
  yield* eachNamespace(tx, ({ db, name, access }) => {
    if (access.owner !== null) owned++
    for (const [address, role] of Object.entries(access.roles)) {
      grants.push(`  role ${role} in ${db}.${name} for ${address}`)
    }
    return undefined
  })
  return [owned, grants]
}

function keyLine(key: WalletKey): string {
  const { address, source, index, label } = key
  const name = `${address}:${source === 'issued' ? 's' : ''}${index}`
  return `  key ${name} ${JSON.stringify(label)}: ${shownPermissions(key).join(', ')}`
}

function userLine({ identity: { name, database, roles } }: UserRecord): string {
  return `  user ${name} of ${database}: ${roles.join(', ')}`
}

function some(lines: readonly string[], total: number): string[] {
  const shown = lines.slice(0, rightsListedMax)
  return total > shown.length ? [...shown, `  and ${total - shown.length} more`] : shown
}

function count(n: number, what: string, plural = 's'): string {
  return `${n} ${what}${n === 1 ? '' : plural}`
}
