// What a sign-in message must say here and now: our own domain, address and chain, and times that
// hold. Each refusal has a reason of its own, but for the nonce, which is not looked at here.
// (docs/sign-in.md, "What is refused")

import { fail, type GatewayError } from '../../base/errors.js'
import { signInAgeMsMax, signInSkewMs } from '../../base/limits.js'
import { parseDateTime } from '../../protocol/siwe/date-time.js'
import type { SiweMessage } from '../../protocol/siwe/message.js'

interface SignInPlace {
  /** Origins at which this server is reached, such as `https://db.example.org`. */
  readonly origins: readonly string[]
  readonly chainId: number
}

/** Throws where the message is meant for another server or another chain. */
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

/** Throws where the message does not hold yet, or no longer: its end is to the millisecond. */
export function requireValidAt(message: SiweMessage, now: number): void {
  const [from, until] = [timeOf(message.notBefore), timeOf(message.expirationTime)]
  if (until !== undefined && now >= until) throw refused('SIWE_EXPIRED', 'the message has expired')
  if (from !== undefined && now + signInSkewMs < from) {
    throw refused('SIWE_NOT_YET_VALID', 'the message is not valid yet')
  }
}

/** Throws where the message was made in the future, or too long ago. */
export function requireFresh(message: SiweMessage, now: number): void {
  const made = timeOf(message.issuedAt)
  if (made !== undefined && made <= now + signInSkewMs && made >= now - signInAgeMsMax) return
  throw refused('SIWE_ISSUED_AT', 'the message was not made just now')
}

/** Unauthenticated (401) with a reason that a client can tell apart. */
export function refused(reason: string, text: string): GatewayError {
  return fail('Unauthenticated', text, { reason })
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDateTime(text)
}
