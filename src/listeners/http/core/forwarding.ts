// Passes a request on to the gateway that has its cursor or transaction, when several share a store
// and a balancer chose another one. Both check the sender. The other one is told the sender's
// address, under a signature. (docs/design/many-gateways.md, "HTTP over several gateways")

import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
  type ServerResponse,
} from 'node:http'
import { request as requestTls } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import { forwardConnectMs, forwardLookMs, forwardSignatureMs } from '../../../base/limits/http.js'
import type { Log } from '../../../base/log.js'
import type { Bus } from '../../../bus/document/bus.js'
import { readTransactionId } from '../../../bus/document/transactions/transaction-id.js'
import type { Cursors } from '../../../engine/sources/cursors.js'
import { identityKey } from '../../../identity/identity.js'
import { gatewayOfCursor, gatewayOfUuid } from '../../../store/gateway-number.js'
import type { Gateways } from '../../../store/store.js'
import { wholeField } from './call.js'
import type { Sender } from './guard.js'
import type { HttpRequest } from './request.js'
import type { RouteHead } from './route.js'

const header = 'x-sigil-forwarded'

/** What ends at this connection, or was checked here. */
const notPassed: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'expect', 'host', 'origin', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
])

interface ForwardingParts {
  readonly gateways: Gateways
  readonly cursors: Pick<Cursors, 'has'>
  readonly transactions: Pick<Bus['transactions'], 'hasBegun'>
  readonly clock: Clock
  readonly log: Log
  /** The same on all gateways. */
  readonly pageKey: Bytes
  readonly publicUrl: string | undefined
}

export class Forwarding {
  private readonly key: Bytes

  constructor(private readonly parts: ForwardingParts) {
    this.key = createHmac('sha256', parts.pageKey).update('forwarded requests').digest()
  }

  /**
   * Undefined if the request is for this gateway. Else resolves with whether another one has
   * answered it; false if that one is gone. Rejects with HostUnreachable if its answer was lost.
   */
  pass(
    request: HttpRequest,
    route: RouteHead,
    outgoing: ServerResponse,
  ): Promise<boolean> | undefined {
    if (header in request.incoming.headers) return undefined
    const number = this.ownerOf(request, route)
    if (number === undefined || number === this.parts.gateways.number) return undefined
    return this.passTo(number, request, outgoing)
  }

  /** Undefined if no other gateway has passed it on. */
  senderOf({ method, url, headers }: IncomingMessage): Sender | undefined {
    const given = headers[header]
    if (typeof given !== 'string') return undefined
    const [at = '', scheme = '', address = '', signature = '', more] = given.split(' ')
    const wanted = Buffer.from(this.sign(`${at} ${scheme} ${address}`, { method, url }))
    const got = Buffer.from(signature)
    const isSigned = wanted.length === got.length && timingSafeEqual(wanted, got)
    const isNow = Math.abs(this.parts.clock.now() - Number(at)) < forwardSignatureMs
    if (!isSigned || !isNow || more !== undefined) return undefined
    return { address, isEncrypted: scheme === 'https' }
  }

  /** The number in the name that the request brings, if what it names is not known here. */
  private ownerOf(request: HttpRequest, { names }: RouteHead): number | undefined {
    const { cursors, transactions } = this.parts
    const { identity, transaction } = request.session
    const named = names === 'transaction' ? readTransactionId(request.param('id')) : transaction
    if (named !== undefined) {
      const lsid = Buffer.from(named.sessionId).toString('hex')
      const name = { owner: identityKey(identity), lsid }
      return transactions.hasBegun(name, named) ? undefined : gatewayOfUuid(named.sessionId)
    }
    const cursor = names === 'cursor' ? wholeField(request.fields, 'cursor') : undefined
    return cursor === undefined || cursors.has(cursor) ? undefined : gatewayOfCursor(cursor)
  }

  private async passTo(
    number: number,
    request: HttpRequest,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    const { gateways, log } = this.parts
    const address = await gateways.addressOf(number)
    if (address === undefined) return false
    const { incoming } = request
    const body = bodyOf(request)
    const sent = this.begin(new URL(address), request, body)
    const gone = () => void sent.destroy()
    outgoing.once('close', gone)
    // A gateway that is paused holds the connection: others may take it for gone meanwhile.
    const look = setInterval(() => {
      gateways.addressOf(number).then((now) => now !== address && gone(), gone)
    }, forwardLookMs)
    try {
      const failure = await connected(sent)
      if (failure !== undefined) {
        log.warn({ gateway: number, address, error: failure.message }, 'gateway is not reached')
        return false
      }
      const response = await answered(sent, incoming, body)
      outgoing.writeHead(response.statusCode ?? 502, passedHeaders(response.headers))
      // The client sees by the closed connection that the rest is missing.
      await pipeline(response, outgoing).catch(() => outgoing.destroy())
      return true
    } finally {
      clearInterval(look)
      outgoing.off('close', gone)
    }
  }

  private begin(
    { protocol, hostname, port }: URL,
    request: HttpRequest,
    body: string | undefined,
  ): ClientRequest {
    const { incoming, session } = request
    const { method, url } = incoming
    const scheme = request.isEncrypted() ? 'https' : 'http'
    const sender = `${this.parts.clock.now()} ${scheme} ${session.remoteAddress}`
    const headers = {
      ...passedHeaders(incoming.headers),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      [header]: `${sender} ${this.sign(sender, { method, url })}`,
    }
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    // The path as it came: a URL made of it could name another host.
    const options = { host, port, method, path: url, headers, agent: false }
    const sent =
      protocol === 'https:'
        ? requestTls({ ...options, checkServerIdentity: this.checkName })
        : requestPlain(options)
    // Each step looks at the end of the connection itself.
    return sent.on('error', () => undefined)
  }

  /** Gateways behind one balancer usually have one certificate, for the public name. */
  private readonly checkName = (host: string, certificate: PeerCertificate) => {
    const { publicUrl } = this.parts
    const refusal = checkServerIdentity(host, certificate)
    if (refusal === undefined || publicUrl === undefined) return refusal
    return checkServerIdentity(new URL(publicUrl).hostname, certificate)
  }

  private sign(sender: string, { method, url }: Pick<IncomingMessage, 'method' | 'url'>): string {
    return createHmac('sha256', this.key).update(`${sender}\n${method} ${url}`).digest('base64url')
  }
}

/** The body of a request that was read to find its cursor. */
function bodyOf({ held, fields }: HttpRequest): string | undefined {
  if (!held.isRead) return undefined
  return JSON.stringify({
    cursor: wholeField(fields, 'cursor'),
    batchSize: wholeField(fields, 'batchSize'),
  })
}

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !notPassed.has(name)) passed[name] = value
  }
  return passed
}

/** Resolves with the reason if there is no connection: then nothing was sent. */
function connected(sent: ClientRequest): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => sent.destroy(new Error('it does not answer')), forwardConnectMs)
    const end = (failure?: Error) => {
      clearTimeout(timer)
      sent.off('error', end)
      sent.off('close', closed)
      resolve(failure)
    }
    const closed = () => end(new Error('the connection is closed'))
    sent.on('error', end)
    sent.on('close', closed)
    const event = sent.protocol === 'https:' ? 'secureConnect' : 'connect'
    sent.once('socket', (socket) => socket.once(event, () => end()))
  })
}

/** Sends the body; rejects with HostUnreachable, and then the request may have run. */
function answered(
  sent: ClientRequest,
  incoming: IncomingMessage,
  body: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const lost = () => {
      incoming.unpipe(sent)
      reject(fail('HostUnreachable', 'the connection to the gateway of this request was lost'))
    }
    sent.once('response', (response) => {
      // Its body is piped, which sees the end of the connection itself.
      sent.off('close', lost)
      resolve(response)
    })
    sent.on('error', lost)
    sent.on('close', lost)
    if (body !== undefined) sent.end(body)
    else incoming.pipe(sent)
  })
}
