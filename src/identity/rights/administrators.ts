// The wallets of ADMIN_ADDRESSES: they keep the whitelist, the protocols, the metrics and the
// audit, and have no access to the data of others.

import { fail } from '../../base/errors.js'
import { parseAddress } from '../address.js'

/** In EIP-55 form. Throws InvalidOptions that names the setting. */
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
