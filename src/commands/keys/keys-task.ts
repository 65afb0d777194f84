// The commands with which a wallet's session manages its API keys, and the public view of the
// registry that a client needs for signing. They wait for the chain, so all are tasks.

import { fail } from '../../base/errors.js'
import { anyValue, number, optional, string, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import type { Services } from '../../bus/services.js'
import { requireAddress } from '../../identity/address.js'
import type { MadeKey } from '../../identity/keys/key-service.js'
import { shownPermissions, type WalletKey } from '../../identity/keys/wallet-keys.js'
import { numberValue, stringValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import {
  onChainPart,
  ownerOf,
  permissionList,
  readChanges,
  readWishes,
  relayPart,
  requireHash,
  requireOnChain,
  requireRelay,
  serviceOf,
} from './arguments.js'
import { writeConnection } from './connection-lines.js'

/** The reply while the chain does not know yet that a key has ended. */
const pending = 'pending-signature'
/** Digits of a hash in the audit: enough to tell the keys of one wallet apart. */
const hashDigitsShown = 8

const generateKey = documentRow({
  name: 'generateKey',
  ...plain,
  access: 'session',
  grain: 'task',
  target: anyValue,
  params: {
    label: string,
    permissions: permissionList,
    rateLimit: withDefault(number, 0),
    onChain: optional(onChainPart),
  },
  secrets: ['onChain'],
  help:
    "Creates an API key of the caller's wallet, on the chain if the wallet has signed for " + 'it.',
  audit: ({ args }) => ({
    label: args.label,
    permissions: args.permissions.join(' '),
    onChain: args.onChain !== undefined,
  }),
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const { onChain, ...wishes } = call.args
    const made = await service.generate(owner, readWishes(wishes), requireOnChain(onChain))
    return reply((writer) => writeMade(writer, made, call.services))
  },
})

const listKeys = documentRow({
  name: 'listKeys',
  ...plain,
  access: 'session',
  grain: 'task',
  target: anyValue,
  params: {},
  help: "Lists the active API keys of the caller's wallet, with their prefixes only.",
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const keys = await service.list(owner)
    return reply((writer) => {
      writer.openArray('keys')
      for (const key of keys) writeListed(writer.pushOpenDocument(), key)
      writer.close()
    })
  },
})

const rotateKey = documentRow({
  name: 'rotateKey',
  ...plain,
  access: 'session',
  grain: 'task',
  target: string,
  params: { onChain: optional(onChainPart) },
  secrets: ['onChain'],
  help: 'Replaces an API key with a new one. The old key fails at once.',
  audit: ({ args, target }) => ({
    key: target.slice(0, hashDigitsShown),
    onChain: args.onChain !== undefined,
  }),
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const part = requireOnChain(call.args.onChain)
    const made = await service.rotate(owner, requireHash(call.target), part)
    return reply((writer) => writeMade(writer, made, call.services))
  },
})

const revokeKey = documentRow({
  name: 'revokeKey',
  ...plain,
  access: 'session',
  grain: 'task',
  target: string,
  params: { onChain: optional(relayPart) },
  secrets: ['onChain'],
  help: 'Ends an API key. It fails from the next request on, on every protocol.',
  audit: ({ target }) => ({ key: target.slice(0, hashDigitsShown) }),
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const part = requireRelay(call.args.onChain)
    const isPending = await service.revoke(owner, requireHash(call.target), part)
    return reply((writer) => {
      writer.bool('revoked', true)
      if (isPending) writer.string('onChain', pending)
    })
  },
})

const setKeyPermissions = documentRow({
  name: 'setKeyPermissions',
  ...plain,
  access: 'session',
  grain: 'task',
  target: string,
  params: {
    permissions: permissionList,
    label: optional(string),
    rateLimit: optional(number),
  },
  help: 'Sets the permissions of an API key, and its label and limit, from the next request on.',
  audit: ({ args, target }) => ({
    key: target.slice(0, hashDigitsShown),
    permissions: args.permissions.join(' '),
  }),
  run: async (call) => {
    const { service, owner } = ownerOf(call)
    const changes = readChanges(call.args)
    await service.setPermissions(owner, requireHash(call.target), changes)
    return reply((writer) => writer.bool('updated', true))
  },
})

const keyRegistry = documentRow({
  name: 'keyRegistry',
  ...plain,
  access: 'anonymous',
  grain: 'task',
  target: string,
  params: {},
  help:
    'Returns what the chain has of a wallet, and what the wallet needs to sign for the ' +
    'registry.',
  run: async (call) => {
    // Chain data is public, but before login only HTTP limits the rate of these queries.
    if (call.identity.kind === 'anonymous' && call.session.protocol !== 'http') {
      throw fail('Unauthorized', 'Command keyRegistry requires authentication')
    }
    const address = requireAddress(call.target, 'address')
    const service = serviceOf(call)
    const { registry } = service
    await registry.ready()
    const { nextIndex, nonce } = await registry.account(address)
    const keys = await service.activeOnChain(address)
    const { domain } = registry.typedData()
    return reply((writer) => {
      writer.value('chainId', numberValue(registry.chainId)).string('contract', registry.contract)
      writer.openDocument('domain').string('name', domain.name).string('version', domain.version)
      writer.value('chainId', numberValue(domain.chainId))
      writer.string('verifyingContract', domain.verifyingContract).close()
      writer.string('address', address).value('nextIndex', numberValue(nextIndex))
      writer.value('nonce', numberValue(Number(nonce)))
      writer.value('chainTime', numberValue(registry.chainTime())).bool('relays', registry.relays)
      writer.string('keyMode', service.mode)
      writer.openArray('keys')
      for (const { index, commitment, createdAt } of keys) {
        writer.pushOpenDocument().value('index', numberValue(index))
        writer.string('commitment', `0x${commitment}`).value('createdAt', numberValue(createdAt))
        writer.close()
      }
      writer.close()
    })
  },
})

function writeMade(
  writer: DocumentWriter,
  { apiKey, key, isPending }: MadeKey,
  { places, spaces }: Pick<Services, 'places' | 'spaces'>,
): void {
  const home = spaces?.defaultOf({ kind: 'session', address: key.address, sid: '', chainId: 0 })

  if (apiKey === undefined) writer.null('apiKey')
  else writer.string('apiKey', apiKey)
  writer.string('hash', key.hash).openDocument('metadata').string('label', key.label)
  writePermissions(writer, key)
  writer.value('rateLimit', numberValue(key.rateLimit))
  writer.value('createdAt', numberValue(key.createdAt)).close()
  if (places !== undefined) writeConnection(writer, 'connection', { apiKey, key }, places(), home)
  if (isPending) writer.string('onChain', pending)
}

function writeListed(writer: DocumentWriter, key: WalletKey): void {
  writer.string('hash', key.hash).string('label', key.label).string('prefix', key.prefix)
  writePermissions(writer, key)
  writer.value('rateLimit', numberValue(key.rateLimit))
  writer.value('createdAt', numberValue(key.createdAt))
  writer.string('source', key.source).value('index', numberValue(key.index)).close()
}

function writePermissions(writer: DocumentWriter, key: WalletKey): void {
  writer.openArray('permissions')
  for (const permission of shownPermissions(key)) writer.push(stringValue(permission))
  writer.close()
}

export const keyRows: readonly DocumentRow[] = [
  generateKey,
  listKeys,
  rotateKey,
  revokeKey,
  setKeyPermissions,
  keyRegistry,
]
