// Checks a sign-in message: domain, address and chain of this server, and its times. Each refusal
// has a separate reason. The nonce is checked elsewhere. (docs/sign-in.md, "What is refused")

import { fail, type GatewayError } from '../../base/errors.js'
import { signInAgeMsMax, signInSkewMs } from '../../base/limits/identity.js'
import { parseDateTime } from '../../protocol/siwe/date-time.js'
import type { SiweMessage } from '../../protocol/siwe/message.js'

interface SignInPlace {
  /** Origins under which clients reach this server, such as `https://db.example.org`. */
  readonly origins: readonly string[]
  readonly chainId: number
}

/** Throws if the message is for another server or another chain. */
export function requirePlace(message: SiweMessage, { origins, chainId }: SignInPlace): void {
  const { domain, scheme, uri } = message
  const origin = origins.find((own) => new URL(own).host === domain)
  if (origin === undefined || (scheme !== undefined && !origin.startsWith(`${scheme}://`))) {
    throw refused('SIWE_DOMAIN_MISMATCH', 'the message is for another domain')
  }
  if (uri !== origin && !uri.startsWith(`${origin}/`)) {
    throw refused('SIWE_URI_MISMATCH', 'the message is for another address')
  }
  if (Number(message.chainId) !== chainId) {
    throw refused('SIWE_CHAIN_MISMATCH', 'the message is for another chain')
  }
}

/** Throws if the message is not valid yet, or expired, to the millisecond. */
export function requireValidAt(message: SiweMessage, now: number): void {
  const [from, until] = [timeOf(message.notBefore), timeOf(message.expirationTime)]
  if (until !== undefined && now >= until) throw refused('SIWE_EXPIRED', 'the message has expired')
  if (from !== undefined && now + signInSkewMs < from) {
    throw refused('SIWE_NOT_YET_VALID', 'the message is not valid yet')
  }
}

/** Throws if the message was issued in the future, or too long ago. */
export function requireFresh(message: SiweMessage, now: number): void {
  const made = timeOf(message.issuedAt)
  if (made !== undefined && made <= now + signInSkewMs && made >= now - signInAgeMsMax) return
  throw refused('SIWE_ISSUED_AT', 'the message was not made just now')
}

/** Unauthenticated (401) with a reason that clients can distinguish. */
export function refused(reason: string, text: string): GatewayError {
  return fail('Unauthenticated', text, { reason })
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDateTime(text)
}
