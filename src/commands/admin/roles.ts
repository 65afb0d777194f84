// The roles that an owner gives to other wallets: 1 may read, 2 may read and write.
// (docs/rights.md, "Collections")

import { fail } from '../../base/errors.js'
import { rolesMax } from '../../base/limits/identity.js'
import { collection, oneOf, optional, string, wholeNumber } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import type { Access, Namespace } from '../../engine/types.js'
import { requireAddress } from '../../identity/address.js'
import { ownedResource, saveOwnership } from './owned.js'
import { writeRoles } from './privacy.js'

const getRoles = documentRow({
  name: 'getRoles',
  ...plain,
  grain: 'read',
  access: 'identity',
  target: collection,
  params: {},
  resources: ownedResource('admin'),
  help: 'Returns the roles of a collection to its owner.',
  *run(tx, { db, target }) {
    const { access } = present(tx.namespace(), db, target)
    return reply((writer) => writeRoles(writer, access))
  },
})

const setRole = documentRow({
  name: 'setRole',
  ...plain,
  grain: 'point',
  access: 'identity',
  target: collection,
  params: {
    address: string,
    action: oneOf(['grant', 'revoke']),
    role: optional(wholeNumber),
  },
  resources: ownedResource('admin'),
  audit: ({ args: { address, action, role } }) => ({ address, action, role: role ?? null }),
  help: 'Grants a wallet a role on a collection (1 reads, 2 writes too), or revokes it.',
  *run(tx, { db, target, args }) {
    const ns = present(tx.namespace(), db, target)
    const address = requireAddress(args.address, 'address')
    const roles = { ...ns.access.roles }
    if (args.action === 'revoke') delete roles[address]
    else roles[address] = requireRole(args.role)
    if (Object.keys(roles).length > rolesMax) {
      throw fail('BadValue', `a collection has at most ${rolesMax} roles`)
    }
    const access: Access = { ...ns.access, roles }
    yield* saveOwnership(tx, ns, access)
    return reply((writer) => writeRoles(writer, access))
  },
})

function requireRole(role: number | undefined): 1 | 2 {
  if (role === 1 || role === 2) return role
  throw fail('BadValue', "field 'role' must be 1 (read) or 2 (write)")
}

function present(ns: Namespace | undefined, db: string, name: string): Namespace {
  if (ns !== undefined) return ns
  throw fail('NamespaceNotFound', `ns not found: ${db}.${name}`)
}

export const roleRows = [getRoles, setRole]
