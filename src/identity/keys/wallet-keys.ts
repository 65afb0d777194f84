// What the store knows of wallets' keys. The row of a server-issued key is the key itself. The row
// of an on-chain key has what the chain lacks: label, permissions, limit, and a local revocation
// before the chain confirms it. Rows of ended keys stay forever: otherwise a thief could register
// such a key on the chain and act as its owner. Rows are found by hash and wallet, since any wallet
// may put another wallet's commitment on the chain.

import { type Bytes, concatBytes, prefixEnd } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { walletKeysMax } from '../../base/limits/identity.js'
import type { ScramVerifier } from '../../protocol/scram/verifier.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { binaryValue, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { addressOfBytes, bytesOfAddress } from '../address.js'
import { allPermissions, type KeyIdentity, type Permission } from '../identity.js'
import { hexOf } from './key-derivation.js'

/** Kinds of rows of the identity class. */
const byHash = 0x10
const byWallet = 0x11
const sources = ['issued', 'onchain'] as const
const hashBytes = 32

/** Names one wallet's key. */
export type KeyName = Pick<KeyIdentity, 'hash' | 'source' | 'address'>

/** The grants of a key at its creation. */
export interface Granted {
  readonly permissions: readonly Permission[]
  /** The request named `all`; listings show it as given. */
  readonly isAll?: boolean | undefined
}

export interface WalletKey extends KeyName, Granted {
  readonly index: number
  readonly label: string
  /** Requests a minute, 0 for no limit. */
  readonly rateLimit: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Time of the local revocation; 0 if it is not revoked here. */
  readonly revokedAt: number
  /** The shown prefix of the key; empty if this server never saw the key. */
  readonly prefix: string
  /** Only for issued keys: the chain has those of the others. */
  readonly storedKey: Bytes | undefined
  readonly serverKey: Bytes | undefined
  /**
   * Only for issued keys, under the salt of `<wallet>`. Undefined if that is the key's own salt, or
   * if the key is older than that salt.
   */
  readonly byWallet?: Pick<ScramVerifier, 'storedKey' | 'serverKey'> | undefined
}

/** What is read at every use. */
export interface KeyState {
  readonly active: boolean
  readonly permissions: readonly Permission[]
  readonly rateLimit: number
}

/** Every set of permissions by its bits, so that reading a key allocates none. */
const permissionSets: readonly (readonly Permission[])[] = Array.from({ length: 8 }, (_, bits) =>
  allPermissions.filter((_permission, i) => (bits & (1 << i)) !== 0),
)

/** For a key registered directly on the chain (docs/keys.md, "Routes"). */
export const defaultPermissions = permissionsOf(['read', 'write'])

const unknownOnChain: KeyState = { active: true, permissions: defaultPermissions, rateLimit: 0 }
const dead: KeyState = { active: false, permissions: [], rateLimit: 0 }

/** The permissions as the request named them. */
export function shownPermissions({ permissions, isAll }: Granted): readonly string[] {
  return isAll === true ? ['all'] : permissions
}

/** The shared array of these permissions. */
export function permissionsOf(given: Iterable<Permission>): readonly Permission[] {
  let bits = 0
  for (const permission of given) bits |= 1 << allPermissions.indexOf(permission)
  return permissionSets[bits] ?? []
}

/**
 * Whether this server accepts the key, and its permissions; read in the transaction of every
 * command. For an on-chain key the chain decides too.
 */
export function* readKeyState(tx: ReadTx, name: KeyName): Program<KeyState> {
  const row = yield* tx.get(rowKey(name))
  if (row === undefined) return name.source === 'onchain' ? unknownOnChain : dead
  return {
    active: numberIn(row, 'revokedAt') === 0,
    permissions: permissionSets[numberIn(row, 'permissions')] ?? [],
    rateLimit: numberIn(row, 'rateLimit'),
  }
}

export function* readWalletKey(tx: ReadTx, name: KeyName): Program<WalletKey | undefined> {
  const row = yield* tx.get(rowKey(name))
  return row === undefined ? undefined : decode(name, row)
}

/** The issued key with this hash, of any wallet, also if it has ended. */
export function* findIssued(tx: ReadTx, hash: string): Program<WalletKey | undefined> {
  const prefix = concatBytes(Uint8Array.of(keyClass.identity, byHash), bytesOf(hash), issuedMark)
  const [entry] = yield* tx.scan({ start: prefix, end: prefixEnd(prefix) }, 1)
  if (entry === undefined) return undefined
  const address = addressOfBytes(entry.key.subarray(prefix.length))
  return decode({ hash, source: 'issued', address }, entry.value)
}

/** Keys of all wallets in this store, from `start` on; `last` is set if more may follow. */
export function* scanWalletKeys(
  tx: ReadTx,
  start: Bytes = Uint8Array.of(keyClass.identity, byHash),
): Program<{ keys: WalletKey[]; last: Bytes | undefined }> {
  const end = Uint8Array.of(keyClass.identity, byHash + 1)
  const entries = yield* tx.scan({ start, end }, scanEntriesMax)
  const keys = entries.map(({ key, value }) => {
    const hash = hexOf(key.subarray(2, 2 + hashBytes))
    const source = sources[key[2 + hashBytes] ?? 0] ?? 'issued'
    return decode({ hash, source, address: addressOfBytes(key.subarray(3 + hashBytes)) }, value)
  })
  return { keys, last: entries.length < scanEntriesMax ? undefined : entries.at(-1)?.key }
}

/** The issued key `sN` of a wallet. */
export function* issuedKeyOf(
  tx: ReadTx,
  address: string,
  index: number,
): Program<WalletKey | undefined> {
  const hash = yield* tx.get(listKey(address, index))
  if (hash === undefined) return undefined
  return yield* readWalletKey(tx, { hash: hashIn(hash), source: 'issued', address })
}

/** All issued keys of a wallet, lowest index first. */
export function* issuedKeys(tx: ReadTx, address: string): Program<WalletKey[]> {
  const start = listKey(address, 0)
  const entries = yield* tx.scan({ start, end: prefixEnd(start.subarray(0, -8)) }, walletKeysMax)
  const found: WalletKey[] = []
  for (const { value } of entries) {
    const key = yield* readWalletKey(tx, { hash: hashIn(value), source: 'issued', address })
    if (key !== undefined) found.push(key)
  }
  return found
}

/** The issued key with the lowest index. */
export function* firstIssuedKey(tx: ReadTx, address: string): Program<WalletKey | undefined> {
  const start = listKey(address, 0)
  const [entry] = yield* tx.scan({ start, end: prefixEnd(start.subarray(0, -8)) }, 1)
  if (entry === undefined) return undefined
  return yield* readWalletKey(tx, { hash: hashIn(entry.value), source: 'issued', address })
}

/** The index for a wallet's next issued key; indexes are never reused. */
export function* nextIssuedIndex(tx: ReadTx, address: string): Program<number> {
  const row = yield* tx.get(counterKey(address))
  return row === undefined ? 0 : numberIn(row, 'next')
}

/** Stores a key; the index of an issued one stays taken. */
export function putWalletKey(tx: Tx, key: WalletKey): void {
  tx.put(rowKey(key), encode(key))
  if (key.source !== 'issued') return
  tx.put(
    listKey(key.address, key.index),
    writeDocument((writer) => {
      writer.value('hash', binaryValue(0, bytesOf(key.hash)))
    }),
  )
}

/** Marks an index as taken forever. */
export function takeIssuedIndex(tx: Tx, address: string, index: number): void {
  tx.put(
    counterKey(address),
    writeDocument((writer) => {
      writer.int64('next', index + 1)
    }),
  )
}

/** Ends a key: it fails from the next request on. */
export function endWalletKey(tx: Tx, key: WalletKey, now: number): void {
  tx.put(rowKey(key), encode({ ...key, revokedAt: now, ...withoutVerifiers }))
  if (key.source === 'issued') tx.remove(listKey(key.address, key.index))
}

const withoutVerifiers = { storedKey: undefined, serverKey: undefined, byWallet: undefined }

/** Removes an on-chain key whose registration failed. */
export function* dropWalletKey(tx: Tx, name: KeyName): Program<void> {
  const row = yield* tx.get(rowKey(name))
  if (row !== undefined && numberIn(row, 'revokedAt') === 0) tx.remove(rowKey(name))
}

const issuedMark = Uint8Array.of(sources.indexOf('issued'))

function rowKey({ hash, source, address }: KeyName): Bytes {
  const key = new Uint8Array(2 + hashBytes + 1 + 20)
  key[0] = keyClass.identity
  key[1] = byHash
  key.set(bytesOf(hash), 2)
  key[2 + hashBytes] = sources.indexOf(source)
  key.set(bytesOfAddress(address), 3 + hashBytes)
  return key
}

function counterKey(address: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, byWallet), bytesOfAddress(address))
}

function listKey(address: string, index: number): Bytes {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(index))
  return concatBytes(counterKey(address), Uint8Array.of(0), place)
}

function bytesOf(hash: string): Bytes {
  return Buffer.from(hash, 'hex')
}

function hashIn(row: Document): string {
  return hexOf(binaryOf(field(row, 'hash')) ?? new Uint8Array(0))
}

function encode(key: WalletKey): Document {
  return writeDocument((writer) => {
    // The fields that every use reads come first.
    writer.int64('revokedAt', key.revokedAt)
    writer.int32('permissions', permissionSets.indexOf(permissionsOf(key.permissions)))
    writer.int32('rateLimit', key.rateLimit)
    writer.int64('index', key.index)
    writer.int64('createdAt', key.createdAt)
    writer.string('label', key.label).string('prefix', key.prefix)
    if (key.isAll === true) writer.bool('all', true)
    const { storedKey, serverKey } = key
    if (storedKey !== undefined) writer.value('storedKey', binaryValue(0, storedKey))
    if (serverKey !== undefined) writer.value('serverKey', binaryValue(0, serverKey))
    if (key.byWallet === undefined) return
    writer.value('walletStoredKey', binaryValue(0, key.byWallet.storedKey))
    writer.value('walletServerKey', binaryValue(0, key.byWallet.serverKey))
  })
}

function decode(name: KeyName, row: Document): WalletKey {
  return {
    hash: name.hash,
    source: name.source,
    address: name.address,
    index: numberIn(row, 'index'),
    label: textIn(row, 'label'),
    permissions: permissionSets[numberIn(row, 'permissions')] ?? [],
    isAll: field(row, 'all') !== undefined,
    rateLimit: numberIn(row, 'rateLimit'),
    createdAt: numberIn(row, 'createdAt'),
    revokedAt: numberIn(row, 'revokedAt'),
    prefix: textIn(row, 'prefix'),
    storedKey: binaryOf(field(row, 'storedKey')),
    serverKey: binaryOf(field(row, 'serverKey')),
    byWallet: verifierIn(row),
  }
}

function verifierIn(row: Document): WalletKey['byWallet'] {
  const storedKey = binaryOf(field(row, 'walletStoredKey'))
  const serverKey = binaryOf(field(row, 'walletServerKey'))
  return storedKey === undefined || serverKey === undefined ? undefined : { storedKey, serverKey }
}

function numberIn(row: Document, name: string): number {
  const value = field(row, name)
  assert(value !== undefined, 'a key row has its fields')
  return numberOf(value)
}

function textIn(row: Document, name: string): string {
  const value = field(row, name)
  assert(value !== undefined, 'a key row has its fields')
  return stringOf(value)
}

/** Body of a binary: after its length and subtype. */
function binaryOf(value: Value | undefined): Bytes | undefined {
  return value?.payload().subarray(5)
}
