// Reads and writes the two cookies of a session. Clients rely on their names and attributes. (RFC
// 6265; docs/sign-in.md)

import type { IncomingMessage } from 'node:http'
import { sessionMs } from '../../../base/limits/identity.js'

/** Sealed, and hidden from pages: the session. */
export const sessionCookie = 'svc_session'
/** Readable for Sigil's pages, which return it as header `x-csrf-token`. */
const csrfCookie = 'svc_csrf'

/** The value of a cookie; of two with the same name the first, which has the longer path. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const { cookie } = headers
  if (cookie === undefined) return undefined
  let start = 0
  while (start < cookie.length) {
    let end = cookie.indexOf(';', start)
    if (end < 0) end = cookie.length
    while (cookie[start] === ' ') start++
    if (cookie.startsWith(name, start) && cookie[start + name.length] === '=') {
      return cookie.slice(start + name.length + 1, end).trim()
    }
    start = end + 1
  }
  return undefined
}

interface CookieValues {
  /** Sealed. */
  readonly session: string
  /** Missing before a sign-in. */
  readonly csrf?: string
}

const lifeSeconds = sessionMs / 1000

/** `Set-Cookie` lines; `isEncrypted` restricts them to TLS. */
export function cookieLines({ session, csrf }: CookieValues, isEncrypted: boolean): string[] {
  const lines = [line(sessionCookie, session, lifeSeconds, isEncrypted, '; HttpOnly')]
  if (csrf !== undefined) lines.push(line(csrfCookie, csrf, lifeSeconds, isEncrypted))
  return lines
}

/** Lines that delete both cookies. */
export function clearingLines(isEncrypted: boolean): string[] {
  return [
    line(sessionCookie, '', 0, isEncrypted, '; HttpOnly'),
    line(csrfCookie, '', 0, isEncrypted),
  ]
}

function line(
  name: string,
  value: string,
  maxAge: number,
  isEncrypted: boolean,
  more = '',
): string {
  const secure = isEncrypted ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAge}${more}; SameSite=Lax${secure}`
}
