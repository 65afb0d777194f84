// Opens the HTTP listener: its sockets, their bounds and its certificate. Requests go to the
// handler. (docs/design/http.md)

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import {
  headerBytesMax,
  importStreamMsMax,
  keepAliveMs,
  requestMsMax,
} from '../../../base/limits/http.js'
import { requireSafeNetwork } from '../../network.js'
import { keepCertificate } from '../../tls-certificate.js'
import { answerClientErrors } from './client-errors.js'
import type { HttpOptions } from './http-options.js'
import { close, listen } from './listen.js'
import { repliesOf, SocketReplies } from './replies.js'
import { HttpHandler } from './server.js'

export interface HttpListener {
  readonly port: number
  /** Number of open sockets. */
  readonly connections: () => number
  /** Stops accepting, lets running requests finish, closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions if a network could see keys without TLS, and with
 * the socket's own error (EADDRINUSE …).
 */
export async function openHttp(options: HttpOptions): Promise<HttpListener> {
  requireSafeNetwork('HTTP', options)
  const handler = new HttpHandler(options)
  const serverOptions = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestMsMax,
    // Bodies that are read whole have a separate time limit; an import takes longer.
    requestTimeout: importStreamMsMax,
  }
  const { tls } = options
  const framework = getRequestListener(handler.app.fetch)
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (handler.direct.take(incoming, outgoing)) return
    const replies = outgoing.socket === null ? repliesOf(incoming) : undefined
    if (replies === undefined) framework(incoming, outgoing)
    else {
      replies.run(outgoing, () => {
        outgoing.once('close', () => replies.done())
        framework(incoming, outgoing)
      })
    }
  }
  const secured = { ...serverOptions, cert: tls?.cert, key: tls?.key }
  const server =
    tls === undefined ? createServer(serverOptions, listener) : createTlsServer(secured, listener)
  if (tls !== undefined && 'setSecureContext' in server) keepCertificate(server, tls)
  server.keepAliveTimeout = keepAliveMs
  answerClientErrors(server)
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket) => {
    new SocketReplies(socket, options.memory)
  })
  let connections = 0
  server.on('connection', (socket) => {
    handler.silent.add(socket)
    connections++
    socket.once('close', () => connections--)
  })
  const port = await listen(server, options.port, options.host)
  handler.listening(port)
  return { port, connections: () => connections, close: (graceMs) => close(server, graceMs) }
}
