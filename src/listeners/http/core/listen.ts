// Opens the HTTP listener's socket, with the socket's own errors, and closes it within a bounded
// time.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Returns the port. Rejects with EADDRINUSE and the like. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Stops accepting; closes open connections after `graceMs`. */
export function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection with a running request ends a second after its response (Node's own margin).
    // Nothing else closes it, and its client may keep it for minutes.
    server.keepAliveTimeout = 1
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
