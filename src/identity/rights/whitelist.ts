// The list of wallets that may sign in and use their keys under WHITELIST=enforce. It is kept in
// any mode, one row an address, in the class that no command can name, and read at every use.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { whitelistAddressesMax } from '../../base/limits/identity.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { addressOfBytes, bytesOfAddress } from '../address.js'

const kind = 0x30
const start = Uint8Array.of(keyClass.identity, kind)
const end = Uint8Array.of(keyClass.identity, kind + 1)
/** The value of a row: its presence is the only information. */
const present = Uint8Array.of(1)

/** Whether a wallet (EIP-55) is on the list. */
function* isWhitelisted(tx: ReadTx, address: string): Program<boolean> {
  return (yield* tx.get(keyOf(address))) !== undefined
}

export interface EntryRule {
  /** WHITELIST=enforce. */
  readonly enforces: boolean
  /** Administrators are always admitted. */
  readonly isAdministrator: (address: string) => boolean
}

/** Whether a wallet may use the server. */
export function* mayEnter(tx: ReadTx, address: string, rule: EntryRule): Program<boolean> {
  if (!rule.enforces || rule.isAdministrator(address)) return true
  return yield* isWhitelisted(tx, address)
}

/** The whole list, in byte order of the addresses. */
export function* listWhitelist(tx: ReadTx): Program<string[]> {
  const found: string[] = []
  let from: Bytes = start
  for (;;) {
    const entries = yield* tx.scan({ start: from, end }, scanEntriesMax)
    for (const { key } of entries) found.push(addressOfBytes(key.subarray(2)))
    const last = entries.at(-1)
    if (last === undefined || entries.length < scanEntriesMax) return found
    from = Uint8Array.from([...last.key, 0])
  }
}

/** Adds an address; does nothing if it is listed. Throws BadValue if the list is full. */
export function* addToWhitelist(tx: Tx, address: string): Program<void> {
  if (yield* isWhitelisted(tx, address)) return
  const { length } = yield* listWhitelist(tx)
  if (length >= whitelistAddressesMax) {
    throw fail('BadValue', `the whitelist has ${whitelistAddressesMax} addresses, no more fit`)
  }
  tx.put(keyOf(address), present)
}

/** Removes an address; does nothing if it is not listed. */
export function removeFromWhitelist(tx: Tx, address: string): void {
  tx.remove(keyOf(address))
}

function keyOf(address: string): Bytes {
  const bytes = bytesOfAddress(address)
  const key = new Uint8Array(2 + bytes.length)
  key.set(start)
  key.set(bytes, 2)
  return key
}
