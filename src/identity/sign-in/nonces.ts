// Nonces of sign-in messages: made here, bound to one browser and one address, valid for one
// attempt within five minutes. Taking a nonce ends it whatever the outcome, so two concurrent
// attempts cannot both use it. (docs/sign-in.md, "The routes")

import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { assert } from '../../base/errors.js'
import { nonceChars, nonceMs, noncesPerSessionMax } from '../../base/limits/identity.js'
import { keyClass } from '../../store/layout.js'
import type { Entry, Program, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { numberValue, stringOf } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { putExpiring, removeExpiring } from './expiring-rows.js'

export const nonceKind = 0x21
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 62 below 256; larger bytes would favour some digits. */
const evenBelow = 248

interface NonceUse {
  /** The browser's session id, before or after sign-in. */
  readonly sid: string
  readonly nonce: string
  /** EIP-55. */
  readonly address: string
  readonly now: number
}

/** 22 letters and digits: 130 bits. */
export function makeNonce(random: Random): string {
  let nonce = ''
  while (nonce.length < nonceChars) {
    for (const byte of random.bytes(nonceChars)) {
      if (byte < evenBelow && nonce.length < nonceChars) nonce += digits[byte % digits.length]
    }
  }
  return nonce
}

/** Stores a new nonce; drops the oldest of a session at its bound. */
export function* issueNonce(tx: Tx, { sid, nonce, address, now }: NonceUse): Program<void> {
  const prefix = keyOf(sid, '')
  const range = { start: prefix, end: concatBytes(prefix, Uint8Array.of(0xff)) }
  const known = (yield* tx.scan(range, noncesPerSessionMax)).map(decode)
  known.sort((one, other) => one.expires - other.expires)
  const surplus = Math.max(0, known.length + 1 - noncesPerSessionMax)
  for (const { key, expires } of known.slice(0, surplus)) removeExpiring(tx, key, expires)
  const expires = now + nonceMs
  const row = writeDocument((writer) => {
    writer.string('address', address).value('expires', numberValue(expires))
  })
  putExpiring(tx, keyOf(sid, nonce), row, expires)
}

/** Ends the nonce; returns whether it was valid for this session and address. */
export function* takeNonce(tx: Tx, { sid, nonce, address, now }: NonceUse): Program<boolean> {
  const key = keyOf(sid, nonce)
  const value = yield* tx.get(key)
  if (value === undefined) return false
  const row = decode({ key, value })
  removeExpiring(tx, key, row.expires)
  return row.address === address && now < row.expires
}

function keyOf(sid: string, nonce: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, nonceKind), utf8(sid), utf8(nonce))
}

interface NonceRow {
  readonly key: Bytes
  readonly address: string
  readonly expires: number
}

function decode({ key, value }: Entry): NonceRow {
  const [address, expires] = [field(value, 'address'), field(value, 'expires')]
  assert(address !== undefined && expires !== undefined, 'a nonce row has its fields')
  return { key, address: stringOf(address), expires: numberOf(expires) }
}
