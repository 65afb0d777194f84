// The stored values of a SCRAM-SHA-256 password (RFC 5802 section 3, RFC 7677): they check a login
// and cannot perform one. Unknown users get a decoy that looks the same to a client.

import { createHmac, hash, pbkdf2, pbkdf2Sync } from 'node:crypto'
import { promisify } from 'node:util'
import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import { saslPrep } from './saslprep.js'

export interface ScramVerifier {
  readonly salt: Bytes
  readonly iterations: number
  /** 32 bytes each. */
  readonly storedKey: Bytes
  readonly serverKey: Bytes
}

/** Length of PBKDF2's output: SHA-256's (RFC 5802, Hi). */
const saltedBytes = 32

export function hmacSha256(key: Bytes, ...parts: readonly Bytes[]): Bytes {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return new Uint8Array(hmac.digest())
}

export function sha256(bytes: Bytes): Bytes {
  return new Uint8Array(hash('sha256', bytes, 'buffer'))
}

/** Takes about 1 ms for 4,096 iterations. Throws BadValue if SASLprep refuses the password. */
export function makeVerifier(password: string, salt: Bytes, iterations: number): ScramVerifier {
  const salted = pbkdf2Sync(utf8(saslPrep(password)), salt, iterations, saltedBytes, 'sha256')
  return verifierOf(salted, salt, iterations)
}

/** As makeVerifier, off the event loop: for requests before a login. */
export async function deriveVerifier(
  password: string,
  salt: Bytes,
  iterations: number,
): Promise<ScramVerifier> {
  const prepared = utf8(saslPrep(password))
  return verifierOf(
    await pbkdf2Later(prepared, salt, iterations, saltedBytes, 'sha256'),
    salt,
    iterations,
  )
}

const pbkdf2Later = promisify(pbkdf2)

function verifierOf(salted: Bytes, salt: Bytes, iterations: number): ScramVerifier {
  return {
    salt,
    iterations,
    storedKey: sha256(hmacSha256(salted, utf8('Client Key'))),
    serverKey: hmacSha256(salted, utf8('Server Key')),
  }
}

/**
 * The salt of a user name, the same for known and unknown users and after a new password, so it
 * reveals nothing before a login. `secret` is kept forever.
 */
export function nameSalt(secret: Bytes, user: string): Bytes {
  return hmacSha256(secret, concatBytes(utf8('salt\0'), utf8(user)))
}

/**
 * The verifier of an unknown user: stable for the name, and no password matches it. `secret` must
 * be stored with the real verifiers; otherwise a restart would reveal which users exist.
 */
export function decoyVerifier(secret: Bytes, user: string, iterations: number): ScramVerifier {
  const derive = (what: string) => hmacSha256(secret, concatBytes(utf8(`${what}\0`), utf8(user)))
  return {
    salt: nameSalt(secret, user),
    iterations,
    storedKey: derive('stored key'),
    serverKey: derive('server key'),
  }
}
