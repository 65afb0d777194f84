// What is known of a request before anything it says: whether it crossed a network in the clear,
// whose address it comes from, which cookies it brings.

import type { IncomingMessage } from 'node:http'
import t from 'tap'
import {
  clearingLines,
  cookieLines,
  cookieOf,
} from '../../../../src/listeners/http/core/cookies.js'
import { Guard, type GuardOptions, pageOrigins } from '../../../../src/listeners/http/core/guard.js'

const plain: GuardOptions = {
  port: 8080,
  isLoopback: false,
  isTls: false,
  publicUrl: undefined,
  allowedHosts: [],
  trustedProxies: [],
  allowInsecure: false,
  authOff: false,
}

function request(
  headers: Readonly<Record<string, string>> = {},
  remoteAddress = '192.0.2.7',
): IncomingMessage {
  return { headers, method: 'POST', socket: { remoteAddress } } as unknown as IncomingMessage
}

/** Whether credentials are taken, and whether cookies are for TLS alone. */
function seen(options: Partial<GuardOptions>, incoming: IncomingMessage): [boolean, boolean] {
  const guard = new Guard({ ...plain, ...options })
  let takes = true
  try {
    guard.checkTransport(incoming)
  } catch {
    takes = false
  }
  return [takes, guard.isEncrypted(incoming)]
}

t.test('credentials cross by TLS, by loopback, or where the operator says so', async (t) => {
  t.strictSame(seen({}, request()), [false, false])
  t.strictSame(seen({ isTls: true }, request()), [true, true])
  t.strictSame(seen({ isLoopback: true }, request({}, '127.0.0.1')), [true, false])
  t.strictSame(seen({ allowInsecure: true }, request()), [true, false])
})

t.test('a header of TLS is believed from a trusted proxy only', async (t) => {
  const https = { 'x-forwarded-proto': 'https' }
  const options = { trustedProxies: ['192.0.2.7'] }
  t.strictSame(seen(options, request(https)), [true, true])
  t.strictSame(seen(options, request(https, '::ffff:192.0.2.7')), [true, true])
  t.strictSame(seen(options, request()), [false, false], 'the proxy was asked in the clear')
  t.strictSame(seen(options, request({ 'x-forwarded-proto': 'http' })), [false, false])
  t.strictSame(seen(options, request(https, '192.0.2.8')), [false, false], 'past the proxy')
  const local = { ...options, isLoopback: true, allowInsecure: true }
  t.strictSame(seen(local, request()), [false, false], 'behind a proxy it says itself')
})

t.test('pages are those of PUBLIC_URL, else of the loopback names with our port', async (t) => {
  t.strictSame(pageOrigins({ port: 8080, isTls: false, publicUrl: undefined }), [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])
  t.strictSame(
    pageOrigins({ port: 443, isTls: true, publicUrl: undefined })[0],
    'https://localhost',
  )
  const publicUrl = 'https://DB.test:443/path?query'
  t.strictSame(pageOrigins({ port: 8080, isTls: false, publicUrl }), ['https://db.test'])
})

t.test('a cookie is found by its whole name', async (t) => {
  const of = (cookie: string) => cookieOf(request({ cookie }), 'svc_session')
  t.equal(of('svc_session=a'), 'a')
  t.equal(of('x=1; svc_session=a.b-_=; y=2'), 'a.b-_=')
  t.equal(of('x=1;svc_session=a'), 'a', 'without a space')
  t.equal(of('svc_session=a; svc_session=b'), 'a', 'the first of two')
  t.equal(of('svc_session='), '')
  for (const none of [
    '',
    'svc_session',
    'xsvc_session=a',
    'svc_sessions=a',
    'SVC_SESSION=a',
    ';;',
  ]) {
    t.equal(of(none), undefined, none)
  }
  t.equal(cookieOf(request(), 'svc_session'), undefined)
})

t.test('the session is kept from pages, both cookies from plain connections', async (t) => {
  const end = 'Path=/; Max-Age=86400'
  t.strictSame(cookieLines({ session: 's', csrf: 'c' }, true), [
    `svc_session=s; ${end}; HttpOnly; SameSite=Lax; Secure`,
    `svc_csrf=c; ${end}; SameSite=Lax; Secure`,
  ])
  t.strictSame(cookieLines({ session: 's' }, false), [
    `svc_session=s; ${end}; HttpOnly; SameSite=Lax`,
  ])
  for (const line of clearingLines(true)) t.match(line, /=; Path=\/; Max-Age=0; .*Secure$/)
})
