// What the store knows of wallets' keys. Of a server-issued key everything: its row is the key.
// Of an on-chain key what the chain does not know: label, permissions, limit, and whether it was
// denied here before the chain heard of it. Of a key that has ended a row stays for ever, or a
// thief could register it on the chain and become who it is. Rows are found by hash and wallet,
// since any wallet may put another wallet's commitment on the chain.

import { type Bytes, concatBytes, prefixEnd } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { scanEntriesMax, walletKeysMax } from '../../base/limits.js'
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

/** What a key was made to be allowed. */
export interface Granted {
  readonly permissions: readonly Permission[]
  /** They were named as `all`, which listings show as it was given. */
  readonly isAll?: boolean | undefined
}

export interface WalletKey extends KeyName, Granted {
  readonly index: number
  readonly label: string
  /** Requests a minute, 0 for no limit. */
  readonly rateLimit: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Since when it is denied here; 0 where it is not. */
  readonly revokedAt: number
  /** What listings show of the key; empty where this server never saw it. */
  readonly prefix: string
  /** Of an issued key: the chain keeps the others'. */
  readonly storedKey: Bytes | undefined
  readonly serverKey: Bytes | undefined
  /**
   * Of an issued key, under the salt of `<wallet>`: undefined where that is its own, and of keys
   * that were made before there was such a salt.
   */
  readonly byWallet?: Pick<ScramVerifier, 'storedKey' | 'serverKey'> | undefined
}

/** What counts at every use. */
export interface KeyState {
  readonly active: boolean
  readonly permissions: readonly Permission[]
  readonly rateLimit: number
}

/** Every set of permissions by its bits, so that reading one makes nothing. */
const permissionSets: readonly (readonly Permission[])[] = Array.from({ length: 8 }, (_, bits) =>
  allPermissions.filter((_permission, i) => (bits & (1 << i)) !== 0),
)

/** Of a key that was registered straight on the chain (docs/keys.md, "Routes"). */
export const defaultPermissions = permissionsOf(['read', 'write'])

const unknownOnChain: KeyState = { active: true, permissions: defaultPermissions, rateLimit: 0 }
const dead: KeyState = { active: false, permissions: [], rateLimit: 0 }

/** As they were given. */
export function shownPermissions({ permissions, isAll }: Granted): readonly string[] {
  return isAll === true ? ['all'] : permissions
}

/** The one array of those permissions. */
export function permissionsOf(given: Iterable<Permission>): readonly Permission[] {
  let bits = 0
  for (const permission of given) bits |= 1 << allPermissions.indexOf(permission)
  return permissionSets[bits] ?? []
}

/**
 * Whether this server lets the key in, and what it may do; read in the transaction of every
 * command. Of an on-chain key the chain has a word besides.
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

/** The issued key of that hash, of any wallet, also if it has ended. */
export function* findIssued(tx: ReadTx, hash: string): Program<WalletKey | undefined> {
  const prefix = concatBytes(Uint8Array.of(keyClass.identity, byHash), bytesOf(hash), issuedMark)
  const [entry] = yield* tx.scan({ start: prefix, end: prefixEnd(prefix) }, 1)
  if (entry === undefined) return undefined
  const address = addressOfBytes(entry.key.subarray(prefix.length))
  return decode({ hash, source: 'issued', address }, entry.value)
}

/** Keys of all wallets that this store knows of, from `start` on; `last` where more may follow. */
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

/** The issued key of the lowest index. */
export function* firstIssuedKey(tx: ReadTx, address: string): Program<WalletKey | undefined> {
  const start = listKey(address, 0)
  const [entry] = yield* tx.scan({ start, end: prefixEnd(start.subarray(0, -8)) }, 1)
  if (entry === undefined) return undefined
  return yield* readWalletKey(tx, { hash: hashIn(entry.value), source: 'issued', address })
}

/** The index that the next issued key of a wallet gets; never one that was given before. */
export function* nextIssuedIndex(tx: ReadTx, address: string): Program<number> {
  const row = yield* tx.get(counterKey(address))
  return row === undefined ? 0 : numberIn(row, 'next')
}

/** Keeps a key; an issued one takes its index for good. */
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

/** Takes an index for good. */
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

/** Forgets an on-chain key that has not come to be. */
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
    // First what is read at every use.
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
