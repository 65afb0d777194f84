// The operator's key: one secret with all rights except on wallets' keys. It is generated and shown
// once at the first start, or comes from API_KEY. The store keeps its SHA-256 (for HTTP and PLAIN),
// its SCRAM verifier, and the secret for the verifiers of unknown users.

import { hash, timingSafeEqual } from 'node:crypto'
import { type Bytes, equalBytes, utf8 } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { assert, fail, GatewayError } from '../../base/errors.js'
import { scramIterations } from '../../base/limits/identity.js'
import {
  decoyVerifier,
  makeVerifier,
  nameSalt,
  type ScramVerifier,
  sha256,
} from '../../protocol/scram/verifier.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { binaryValue, type Document, readInt32 } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { type Identity, operator } from '../identity.js'
import type { Credentials, ScramAccount } from '../sign-in/login.js'

/** User name of the operator on every protocol that has users. */
export const operatorName = 'operator'
const keyPrefix = 'svc_op_'
const keyRandomBytes = 32
const decoySecretBytes = 32

/** Catalog kind of the identity rows; namespaces have other kinds. */
const identityKind = 0x80
export const operatorRow = Uint8Array.of(keyClass.catalog, identityKind, ...utf8(operatorName))

interface OperatorOptions {
  readonly random: Random
  /** Setting API_KEY: replaces the current key. */
  readonly apiKey?: string | undefined
}

/** Hash of the key being checked: one shared buffer avoids an allocation. */
const given = Buffer.alloc(32)

interface OperatorRecord {
  /** SHA-256 of the key's UTF-8. */
  readonly hash: Bytes
  readonly verifier: ScramVerifier
  readonly decoySecret: Bytes
}

export class OperatorKey implements Credentials {
  private record: OperatorRecord

  private constructor(record: OperatorRecord) {
    this.record = record
  }

  /**
   * Reads the key's record, or creates it: `made` is the new key, to be shown once. An unchanged
   * hash is not derived again. Rejects with InvalidOptions if API_KEY has characters that no SCRAM
   * client can send.
   */
  static async open(
    store: Store,
    { random, apiKey }: OperatorOptions,
  ): Promise<{ key: OperatorKey; made?: string }> {
    const known = await store.read(readRecord)
    if (apiKey === undefined) {
      if (known !== undefined) return { key: new OperatorKey(known) }
      const made = makeKey(random)
      const record = makeRecord(made, random)
      const first = await keepFirst(store, record)
      // Another gateway of the store may have made one at the same time.
      return { key: new OperatorKey(first), ...(first === record ? { made } : {}) }
    }
    if (known !== undefined && equalBytes(known.hash, sha256(utf8(apiKey)))) {
      return { key: new OperatorKey(known) }
    }
    const record = makeRecord(apiKey, random, known?.decoySecret)
    const first = known === undefined ? await keepFirst(store, record) : known
    if (equalBytes(first.hash, record.hash)) return { key: new OperatorKey(first) }
    return { key: new OperatorKey(await save(store, record)) }
  }

  /** Reads the record again; whether the key is another one. */
  async reload(store: Store): Promise<boolean> {
    const found = await store.read(readRecord)
    if (found === undefined || equalBytes(found.hash, this.record.hash)) return false
    this.record = found
    return true
  }

  get verifier(): ScramVerifier {
    return this.record.verifier
  }

  /** The secret from which verifiers of unknown users are derived. */
  get decoySecret(): Bytes {
    return this.record.decoySecret
  }

  /** Whether this is the key; constant time. */
  matches(key: string): boolean {
    given.write(hash('sha256', key, 'binary'), 'latin1')
    return timingSafeEqual(given, this.record.hash)
  }

  /** Makes a new key, unknown to the holder of the old one; returns it, to be shown once. */
  async renew(store: Store, random: Random): Promise<string> {
    const made = makeKey(random)
    this.record = await save(store, makeRecord(made, random, this.record.decoySecret))
    return made
  }

  account(user: string): ScramAccount {
    if (user === operatorName)
      return { verifier: this.record.verifier, identity: operator, isGuessable: true }
    const verifier = decoyVerifier(this.record.decoySecret, user, scramIterations)
    return { verifier, identity: undefined, isGuessable: true }
  }

  identify(key: string): Identity | undefined {
    return this.matches(key) ? operator : undefined
  }

  identityOf(user: string, password: string): Identity | undefined {
    const isKey = this.matches(password)
    return isKey && user === operatorName ? operator : undefined
  }
}

function makeKey(random: Random): string {
  return keyPrefix + Buffer.from(random.bytes(keyRandomBytes)).toString('hex')
}

function makeRecord(
  key: string,
  random: Random,
  decoySecret = random.bytes(decoySecretBytes),
): OperatorRecord {
  try {
    const verifier = makeVerifier(key, nameSalt(decoySecret, operatorName), scramIterations)
    return { hash: sha256(utf8(key)), verifier, decoySecret }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw fail('InvalidOptions', `API_KEY: ${error.message}`)
  }
}

/** The record that is stored: this one, unless another is already there. */
function keepFirst(store: Store, record: OperatorRecord): Promise<OperatorRecord> {
  return store.write(function* (tx) {
    const found = yield* readRecord(tx)
    if (found !== undefined) return found
    tx.put(operatorRow, encodeRecord(record))
    return record
  })
}

async function save(store: Store, record: OperatorRecord): Promise<OperatorRecord> {
  await store.write((tx) => writeRecord(tx, encodeRecord(record)))
  return record
}

function* writeRecord(tx: Tx, value: Document): Program<void> {
  const before = yield* tx.get(operatorRow)
  if (before === undefined || !equalBytes(before, value)) tx.put(operatorRow, value)
}

function* readRecord(tx: ReadTx): Program<OperatorRecord | undefined> {
  const found = yield* tx.get(operatorRow)
  return found === undefined ? undefined : decodeRecord(found)
}

function encodeRecord({ hash, verifier, decoySecret }: OperatorRecord): Document {
  return writeDocument((writer) => {
    writer.value('hash', binaryValue(0, hash)).value('salt', binaryValue(0, verifier.salt))
    writer.int32('iterations', verifier.iterations)
    writer.value('storedKey', binaryValue(0, verifier.storedKey))
    writer.value('serverKey', binaryValue(0, verifier.serverKey))
    writer.value('decoySecret', binaryValue(0, decoySecret))
  })
}

function decodeRecord(document: Document): OperatorRecord {
  const iterations = field(document, 'iterations')
  assert(iterations !== undefined, 'the operator record has its fields')
  return {
    hash: bytesOf(document, 'hash'),
    verifier: {
      salt: bytesOf(document, 'salt'),
      iterations: readInt32(iterations.bytes, iterations.start),
      storedKey: bytesOf(document, 'storedKey'),
      serverKey: bytesOf(document, 'serverKey'),
    },
    decoySecret: bytesOf(document, 'decoySecret'),
  }
}

/** Body of a binary field: after its length and subtype. */
function bytesOf(document: Document, name: string): Bytes {
  const value = field(document, name)
  assert(value !== undefined, 'the operator record has its fields')
  return value.payload().subarray(5)
}
