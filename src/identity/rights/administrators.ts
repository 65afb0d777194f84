// The wallets of ADMIN_ADDRESSES. They manage the whitelist, protocols, metrics and audit, and
// cannot access the data of other wallets.

import { fail } from '../../base/errors.js'
import { parseAddress } from '../address.js'

/** In EIP-55 form. Throws InvalidOptions with the name of the setting. */
export function readAdministrators(addresses: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const text of addresses) {
    const address = parseAddress(text)
    if (address === undefined) {
      throw fail('InvalidOptions', `ADMIN_ADDRESSES: ${text} is no address, or mistyped`)
    }
    found.add(address)
  }
  return found
}
