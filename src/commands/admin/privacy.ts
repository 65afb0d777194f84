// The owner and the mode of a collection. Every client may read them. The owner, a wallet that
// claims an unowned collection, and the operator may change them; the operator may also name the
// owner. (docs/rights.md, "Collections")

import { fail } from '../../base/errors.js'
import type { Call } from '../../bus/document/call.js'
import type { CommandReadTx, CommandTx } from '../../bus/document/command-tx.js'
import {
  bool,
  collection,
  oneOf,
  optional,
  string,
  withDefault,
} from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { createNamespace, findNamespace } from '../../engine/collection/catalog/catalog.js'
import { accessIn, homeAccess } from '../../engine/collection/catalog/homes.js'
import { findReserved } from '../../engine/collection/catalog/reservations.js'
import type { Access, Namespace } from '../../engine/types.js'
import { requireAddress } from '../../identity/address.js'
import { walletOf } from '../../identity/identity.js'
import type { Program } from '../../store/store.js'
import type { DocumentWriter } from '../../value/writer.js'
import { namedResource } from '../document/arguments.js'
import { ownedResource, releaseOwned, saveOwnership } from './owned.js'

const getPrivacy = documentRow({
  name: 'getPrivacy',
  ...plain,
  grain: 'read',
  access: 'anonymous',
  target: collection,
  params: {},
  resources: namedResource(),
  help:
    'Returns the privacy mode and the owner of a collection or of the name of a dropped ' +
    'one; to the owner also the roles.',
  *run(tx, call) {
    const { db, target } = call
    const access = yield* toldAccess(tx, call)
    if (access === undefined) throw missing(call)
    return reply((writer) => {
      writer.openDocument('privacy').string('mode', access.mode)
      writeOwner(writer, access.owner)
      if (call.may('admin', access, { db, collection: target })) {
        writeRoles(writer, access)
        const contract = call.services.contractAddress?.()
        if (contract === undefined) writer.null('contractAddress')
        else writer.string('contractAddress', contract)
      }
      writer.close()
    })
  },
})

/** In a home, other callers cannot tell unused names from private ones. */
function* toldAccess(
  tx: CommandReadTx,
  call: Pick<Call<unknown, string>, 'db' | 'target' | 'may'>,
): Program<Access | undefined> {
  const { db, target } = call
  const known = tx.namespace()?.access ?? (yield* findReserved(tx, db, target))
  if (known !== undefined) return known
  const ofHome = homeAccess(db)
  return call.may('admin', ofHome, { db, collection: target }) ? undefined : ofHome
}

const privacyParams = {
  mode: optional(oneOf(['private', 'public', 'shared'])),
  ownerAddress: optional(string),
  release: withDefault(bool, false),
} as const

const setPrivacy = documentRow({
  name: 'setPrivacy',
  ...plain,
  grows: 'ownership',
  grain: 'point',
  access: 'identity',
  target: collection,
  params: privacyParams,
  resources: ownedResource('claim'),
  audit: ({ args: { mode, ownerAddress, release } }) => ({
    mode: mode ?? null,
    ownerAddress: ownerAddress ?? null,
    ...(release ? { release } : {}),
  }),
  help:
    'Sets the privacy mode of a collection, and creates it if it is missing. The first ' +
    'wallet to do so owns an unowned collection if CLAIM_UNOWNED allows it; the operator ' +
    'may name the owner. `release` frees the name of a dropped collection.',
  *run(tx, call) {
    const { args, db, target } = call
    if (args.release) {
      yield* releaseName(tx, call)
      return reply((writer) => writer.string('collection', target).bool('released', true))
    }
    const { mode, ownerAddress } = args
    if (mode === undefined && ownerAddress === undefined) {
      throw fail('BadValue', "one of 'mode', 'ownerAddress' and 'release' is required")
    }
    const ns =
      (yield* findNamespace(tx, db, target)) ??
      (yield* createNamespace(tx, db, target, call.creation()))
    const access = changed(call, ns)
    yield* saveOwnership(tx, ns, access)
    return reply((writer) => {
      writer.string('collection', target).string('mode', access.mode)
      writeOwner(writer, access.owner)
    })
  },
})

interface PrivacyCall extends Pick<Call<unknown, string>, 'db' | 'target'> {
  readonly identity: Call<unknown, string>['identity']
  readonly args: {
    readonly mode: 'private' | 'public' | 'shared' | undefined
    readonly ownerAddress: string | undefined
  }
  readonly unauthorized: Call<unknown, string>['unauthorized']
  readonly services: Pick<Call<unknown, string>['services'], 'spaces'>
}

/** The access with the requested changes; setting the mode of an unowned collection claims it. */
function changed(call: PrivacyCall, { access }: Namespace): Access {
  const { mode = access.mode, ownerAddress } = call.args
  if (ownerAddress !== undefined && call.identity.kind !== 'operator') throw call.unauthorized()
  const owner =
    ownerAddress === undefined
      ? (access.owner ?? walletOf(call.identity) ?? null)
      : requireAddress(ownerAddress, 'ownerAddress')
  call.services.spaces?.requireMaySet(call.identity, call.db, call.args.mode, access.mode)
  const made = owner === null && access.madeBy !== undefined ? { madeBy: access.madeBy } : {}
  return accessIn(call.db, { owner, mode, roles: access.roles, isSettled: true, ...made })
}

/**
 * Releases a reserved name without a collection; an existing collection must be dropped instead.
 */
function* releaseName(tx: CommandTx, call: PrivacyCall): Program<void> {
  const { db, target, args } = call
  if (args.mode !== undefined || args.ownerAddress !== undefined) {
    throw fail('BadValue', "'release' stands alone")
  }
  if ((yield* findNamespace(tx, db, target)) !== undefined) {
    const text = `${db}.${target} is there: drop it with release, or drop it first`
    throw fail('IllegalOperation', text)
  }
  if ((yield* findReserved(tx, db, target)) === undefined) throw missing(call)
  releaseOwned(tx, call)
}

function missing({ db, target }: Pick<Call<unknown, string>, 'db' | 'target'>): Error {
  return fail('NamespaceNotFound', `ns not found: ${db}.${target}`)
}

function writeOwner(writer: DocumentWriter, owner: string | null): void {
  if (owner === null) writer.null('ownerAddress')
  else writer.string('ownerAddress', owner)
}

/** `accessRoles`: address to 1 (read) or 2 (write). */
export function writeRoles(writer: DocumentWriter, { roles }: Access): void {
  writer.openDocument('accessRoles')
  for (const [address, role] of Object.entries(roles)) writer.int32(address, role)
  writer.close()
}

export const privacyRows = [getPrivacy, setPrivacy]
