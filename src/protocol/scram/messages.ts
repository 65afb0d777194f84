// Parses the messages of SCRAM (RFC 5802 section 7) and of PLAIN (RFC 4616). A malformed message
// gets the same error as a wrong password.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const clientFirstForm =
  /^((?:n|y),(?:a=([^,\0]+))?,)(n=([^,\0]*),r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?)$/su
const clientFinalForm =
  /^(c=([A-Za-z0-9+/=]+),r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?),p=([A-Za-z0-9+/=]+)$/su

export interface ClientFirst {
  /** `n,,`: the client returns it in base64. */
  readonly gs2Header: string
  /** From `n=` on, exactly as sent: the signature covers it. */
  readonly bare: string
  readonly user: string
  readonly nonce: string
}

interface ClientFinal {
  readonly withoutProof: string
  /** Base64 as sent. */
  readonly channelBinding: string
  readonly nonce: string
  readonly proof: Bytes
}

interface PlainCredentials {
  readonly user: string
  readonly password: string
}

/** The one reply to every failed login. It does not reveal which part was wrong. */
export function authenticationFailed(): GatewayError {
  return fail('AuthenticationFailed', 'Authentication failed.')
}

/**
 * `n,,n=user,r=nonce`. Channel binding (`p=`), mandatory extensions (`m=`) and an authorization
 * identity other than the user are refused with AuthenticationFailed. If the user is `known`, as on
 * the PostgreSQL protocol, the name in the message is ignored.
 */
export function parseClientFirst(payload: Bytes, known?: string): ClientFirst {
  const [, gs2Header = '', authzid, bare = '', name = '', nonce = ''] =
    clientFirstForm.exec(decode(payload)) ?? []
  if (bare === '' || (name === '' && known === undefined)) throw authenticationFailed()
  if (known !== undefined) return { gs2Header, bare, user: known, nonce }
  const user = unescapeName(name)
  if (authzid !== undefined && unescapeName(authzid) !== user) throw authenticationFailed()
  return { gs2Header, bare, user, nonce }
}

/** `c=biws,r=nonce,p=proof`; AuthenticationFailed when malformed. */
export function parseClientFinal(payload: Bytes): ClientFinal {
  const [, withoutProof = '', channelBinding = '', nonce = '', encoded = ''] =
    clientFinalForm.exec(decode(payload)) ?? []
  const proof = Buffer.from(encoded, 'base64')
  // Node reads base64 leniently; the grammar does not.
  if (withoutProof === '' || proof.toString('base64') !== encoded) throw authenticationFailed()
  return { withoutProof, channelBinding, nonce, proof: new Uint8Array(proof) }
}

/** `[authzid] NUL user NUL password`; AuthenticationFailed when malformed. */
export function parsePlain(payload: Bytes): PlainCredentials {
  const parts = decode(payload).split('\0')
  const [authzid = '', user = '', password = ''] = parts
  const isForeign = authzid !== '' && authzid !== user
  if (parts.length !== 3 || user === '' || password === '' || isForeign) {
    throw authenticationFailed()
  }
  return { user, password }
}

/** `=2C` is a comma and `=3D` an equals sign; no other use of `=` is allowed in a name. */
function unescapeName(name: string): string {
  if (/=(?!2C|3D)/.test(name)) throw authenticationFailed()
  return name.replaceAll('=2C', ',').replaceAll('=3D', '=')
}

function decode(payload: Bytes): string {
  try {
    return strictUtf8.decode(payload)
  } catch {
    throw authenticationFailed()
  }
}
