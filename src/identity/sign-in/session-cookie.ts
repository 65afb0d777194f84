// The sealed content of a session cookie: only this server can read or change it. The sealing keys
// also make the CSRF token, which is bound to the session. `v1.<kid>.<base64url(iv, ciphertext,
// tag)>`, AES-256-GCM. (docs/sign-in.md, "For operators")

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'
import { type Bytes, utf8 } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { assert, fail } from '../../base/errors.js'
import { sessionCookieCharsMax, sessionMs } from '../../base/limits/identity.js'

interface CookieContent {
  readonly sid: string
  /** The signed-in wallet, EIP-55; missing in the cookie that a nonce is bound to. */
  readonly addr?: string
  readonly chainId?: number
  /** Milliseconds since 1970. */
  readonly iat: number
  readonly exp: number
}

export interface OpenedCookie extends CookieContent {
  /** The id of the sealing key. */
  readonly kid: string
}

interface SealKey {
  readonly seal: Bytes
  readonly csrf: Bytes
  readonly page: Bytes
}

const version = 'v1'
const algorithm = 'aes-256-gcm'
const keyBytes = 32
const ivBytes = 12
/** Set explicitly: otherwise the library accepts tags of 4 bytes. */
const authTagLength = 16
const kidForm = /^[A-Za-z0-9_-]{1,16}$/

/** A new key under its first name, in the form of SESSION_KEYS. */
export function makeSessionKeys(random: Random): string {
  return `k1:${Buffer.from(random.bytes(keyBytes)).toString('hex')}`
}

/** Whether SessionSeal accepts the text. */
export function areSessionKeys(text: string): boolean {
  return keyParts(text) !== undefined
}

/** Names and keys; undefined if one is malformed or a name occurs twice. */
function keyParts(text: string): Map<string, string> | undefined {
  const parts = new Map<string, string>()
  for (const part of text.split(',')) {
    const [kid = '', hex = '', more] = part.trim().split(':')
    const isKey = kidForm.test(kid) && /^[0-9a-fA-F]{64}$/.test(hex) && more === undefined
    if (!isKey || parts.has(kid)) return undefined
    parts.set(kid, hex)
  }
  return parts
}

export class SessionSeal {
  private readonly keys = new Map<string, SealKey>()
  private readonly first: string

  /**
   * `text` is `<kid>:<64 hex digits>,…`: the first key seals, all of them open. Throws
   * InvalidOptions without the text, which is secret.
   */
  constructor(
    text: string,
    private readonly random: Random,
  ) {
    const parts = keyParts(text)
    if (parts === undefined) {
      const form = '<name>:<64 hexadecimal digits>, separated by commas, each name once'
      throw fail('InvalidOptions', `SESSION_KEYS must be ${form}`)
    }
    for (const [kid, hex] of parts) {
      const secret = Buffer.from(hex, 'hex')
      this.keys.set(kid, {
        seal: derived(secret, 'session-seal'),
        csrf: derived(secret, 'csrf'),
        page: derived(secret, 'page-cursor'),
      })
    }
    const [first] = this.keys.keys()
    assert(first !== undefined, 'a text has at least one part')
    this.first = first
  }

  /** Seals content for 24 hours from `now`. */
  seal(content: Omit<CookieContent, 'iat' | 'exp'>, now: number): string {
    const kid = this.first
    const iv = this.random.bytes(ivBytes)
    const cipher = createCipheriv(algorithm, this.keyOf(kid).seal, iv, { authTagLength })
    cipher.setAAD(utf8(`${version}.${kid}`))
    const plain = JSON.stringify({ ...content, iat: now, exp: now + sessionMs })
    const body = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final()])
    const sealed = Buffer.concat([body, cipher.getAuthTag()])
    return `${version}.${kid}.${sealed.toString('base64url')}`
  }

  /** The content, unless it expired; undefined for anything else, without a reason. */
  open(cookie: string, now: number): OpenedCookie | undefined {
    if (cookie.length > sessionCookieCharsMax) return undefined
    const [given, kid = '', text = '', more] = cookie.split('.')
    const key = this.keys.get(kid)
    if (given !== version || key === undefined || more !== undefined) return undefined
    const sealed = Buffer.from(text, 'base64url')
    // One text for each value: another text with the same bytes is not the same cookie.
    if (sealed.toString('base64url') !== text) return undefined
    if (sealed.length < ivBytes + authTagLength) return undefined
    const content = unseal(sealed, key.seal, `${version}.${kid}`)
    return content === undefined || content.exp <= now ? undefined : { ...content, kid }
  }

  /** Signs the cursors of lists, which proves that this server made them. */
  get pageKey(): Bytes {
    return this.keyOf(this.first).page
  }

  /** The token that a page of the session must send with each change. */
  csrfToken({ sid, kid = this.first }: { readonly sid: string; readonly kid?: string }): string {
    return createHmac('sha256', this.keyOf(kid).csrf).update(sid).digest('base64url')
  }

  /** Constant time for every wrong token of the right length. */
  csrfMatches(opened: OpenedCookie, token: string): boolean {
    const [wanted, given] = [utf8(this.csrfToken(opened)), utf8(token)]
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  }

  private keyOf(kid: string): SealKey {
    const key = this.keys.get(kid)
    assert(key !== undefined, 'a cookie was opened by a key that is known')
    return key
  }
}

function derived(secret: Bytes, label: string): Bytes {
  return new Uint8Array(hkdfSync('sha256', secret, '', label, keyBytes))
}

function unseal(sealed: Buffer, key: Bytes, data: string): CookieContent | undefined {
  const end = sealed.length - authTagLength
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), { authTagLength })
  decipher.setAAD(utf8(data)).setAuthTag(sealed.subarray(end))
  try {
    const plain = decipher.update(sealed.subarray(ivBytes, end))
    // The tag proves that `seal` wrote this text.
    return JSON.parse(Buffer.concat([plain, decipher.final()]).toString('utf8')) as CookieContent
  } catch {
    return undefined
  }
}
