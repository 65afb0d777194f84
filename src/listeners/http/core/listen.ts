// The socket of the HTTP listener: bound or refused with the socket's own error, and closed within
// a bounded time.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers the port that was taken. Rejects with EADDRINUSE and the like. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Stops accepting; what is still open after `graceMs` is closed. */
export function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection whose request is in flight ends a second after its answer (Node's own margin):
    // nothing else closes it, and its client may keep it for minutes.
    server.keepAliveTimeout = 1
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
