// The two cookies of a session, read and written. Clients rely on their names and on what a browser
// is told of them. (RFC 6265; docs/sign-in.md)

import type { IncomingMessage } from 'node:http'
import { sessionMs } from '../../../base/limits.js'

/** Sealed, unreadable for pages: who has signed in. */
export const sessionCookie = 'svc_session'
/** Readable for our pages, which send it back as header `x-csrf-token`. */
const csrfCookie = 'svc_csrf'

/** The value of a cookie; of two with one name the first, which has the longer path. */
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
  /** None before a sign-in. */
  readonly csrf?: string
}

const lifeSeconds = sessionMs / 1000

/** `Set-Cookie` lines; `isEncrypted` keeps them off plain connections. */
export function cookieLines({ session, csrf }: CookieValues, isEncrypted: boolean): string[] {
  const lines = [line(sessionCookie, session, lifeSeconds, isEncrypted, '; HttpOnly')]
  if (csrf !== undefined) lines.push(line(csrfCookie, csrf, lifeSeconds, isEncrypted))
  return lines
}

/** Lines that make a browser forget both. */
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
