// A hint for a refusal, if the name belongs to another identity. It names the owner, and the same
// free name in the wallet's home. (docs/rights.md, "Spaces")

import { homeOf } from '../../engine/collection/catalog/homes.js'
import type { Access } from '../../engine/types.js'
import { type Identity, walletOf } from '../../identity/identity.js'

/** Empty if the caller has no home, or if the name is free or its own. */
export function wayOutOf(identity: Identity, name: string, access: Access | undefined): string {
  const home = homeBeside(identity, access)
  if (home === undefined) return ''
  const free = `the same name in your own database ${home} is free`
  return `: ${name} belongs to ${ownerIn(access)}; ${free}`
}

/** As wayOutOf, for a space of keys or channels. */
export function wayOutOfSpace(identity: Identity, db: string, access: Access | undefined): string {
  const home = homeBeside(identity, access)
  if (home === undefined || db === home) return ''
  return `: space ${db} belongs to ${ownerIn(access)}; your own is ${home}`
}

function homeBeside(identity: Identity, access: Access | undefined): string | undefined {
  const wallet = walletOf(identity)
  if (wallet === undefined || access === undefined || access.owner === wallet) return undefined
  return homeOf(wallet)
}

function ownerIn(access: Access | undefined): string {
  return access?.owner === null ? 'the operator' : 'another wallet'
}
