// The sign-in routes: replies of the bus, with the session and CSRF token moved into the two
// cookies. Each has a separate limit; nonce and verify come before authentication.
// (docs/sign-in.md, "The routes")

import type { ServerResponse } from 'node:http'
import { signInBodyBytesMax } from '../../../base/limits/identity.js'
import { field } from '../../../value/elements.js'
import { type Document, stringOf } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import { copyFields, type HttpCall, jsonOf } from '../core/call.js'
import { clearingLines, cookieLines, cookieOf, sessionCookie } from '../core/cookies.js'
import type { RawCall, RawRoute, Route } from '../core/route.js'

const base = '/api/v1/auth'

/** The caller is not known yet, and needs only small bodies. */
const signingIn = {
  method: 'POST',
  access: 'none',
  credentials: 'none',
  bodyBytesMax: signInBodyBytesMax,
} as const

const nonceRoute: RawRoute = {
  ...signingIn,
  path: `${base}/nonce`,
  limit: 'nonce',
  fields: { address: 'string!' },
  send: async (call, outgoing, headers) => {
    const { origin } = call.incoming.headers
    const reply = await run(call, 'authNonce', (writer) => {
      copyFields(writer, call.fields, ['address'])
      writeCookie(writer, call)
      if (origin !== undefined) writer.string('origin', origin)
    })
    const session = textOf(reply, 'session')
    const lines = session === undefined ? [] : cookieLines({ session }, call.isEncrypted())
    send(outgoing, { ...headers, 'set-cookie': lines }, bodyOf(call, reply, ['nonce', 'message']))
  },
}

const verifyRoute: RawRoute = {
  ...signingIn,
  path: `${base}/verify`,
  limit: 'verify',
  fields: { message: 'string!', signature: 'string!' },
  send: async (call, outgoing, headers) => {
    const reply = await run(call, 'authVerify', (writer) => {
      copyFields(writer, call.fields, ['message', 'signature'])
      writeCookie(writer, call)
    })
    const [session = '', csrf = ''] = [textOf(reply, 'session'), textOf(reply, 'csrf')]
    const lines = cookieLines({ session, csrf }, call.isEncrypted())
    send(outgoing, { ...headers, 'set-cookie': lines }, bodyOf(call, reply, ['address']))
  },
}

const logoutRoute: RawRoute = {
  method: 'POST',
  path: `${base}/logout`,
  access: 'none',
  limit: 'logout',
  bodyBytesMax: signInBodyBytesMax,
  fields: { everywhere: 'bool' },
  send: async (call, outgoing, headers) => {
    const reply = await run(call, 'authLogout', (writer) => {
      copyFields(writer, call.fields, ['everywhere'])
    })
    const lines = clearingLines(call.isEncrypted())
    send(outgoing, { ...headers, 'set-cookie': lines }, bodyOf(call, reply, []))
  },
}

const meFields = [
  'address',
  'chainId',
  'home',
  'operator',
  'administrator',
  'permissions',
  'expiresAt',
  'unlockedUntil',
]

const meRoute: Route = {
  method: 'GET',
  path: `${base}/me`,
  access: 'session',
  operatorToo: true,
  limit: 'me',
  run: async (call) => {
    const reply = await run(call, 'authMe', () => undefined)
    const database = `"database":${JSON.stringify(call.database)}`
    return bodyOf(call, reply, meFields, database)
  },
}

export const authRoutes: readonly (Route | RawRoute)[] = [
  nonceRoute,
  verifyRoute,
  meRoute,
  logoutRoute,
]

async function run(
  call: HttpCall,
  name: string,
  fill: (writer: DocumentWriter) => void,
): Promise<Document> {
  return call.run(
    writeDocument((writer) => {
      writer.int32(name, 1)
      fill(writer)
    }),
  )
}

/** The browser's session id, signed in or not. */
function writeCookie(writer: DocumentWriter, { incoming }: RawCall): void {
  const cookie = cookieOf(incoming, sessionCookie)
  if (cookie !== undefined) writer.string('session', cookie)
}

function textOf(reply: Document, name: string): string | undefined {
  const value = field(reply, name)
  return value === undefined ? undefined : stringOf(value)
}

/** Only these fields of the reply, the others are for the cookies; and more of the route's own. */
function bodyOf(
  call: HttpCall,
  reply: Document,
  names: readonly string[],
  ...more: readonly string[]
): string {
  const fields = names.map((name) => `"${name}":${jsonOf(call, field(reply, name))}`)
  return `{${[...fields, ...more, '"ok":1'].join()}}`
}

function send(
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: string,
): void {
  outgoing.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) } as never)
  outgoing.end(body)
}
