// Answers a client whose bytes are not HTTP: one line in another known protocol, else the status
// that Node would send.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { spokenIn, tellOther } from '../../other-protocol.js'

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Node keeps the current response here. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

export function answerClientErrors(server: Server): void {
  const told = new WeakSet<Socket>()
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, stream) => {
    const socket = stream as HttpSocket
    // Node parses what follows a request for TLS too; its answer comes from where the first did.
    if (told.has(socket)) return
    const { rawPacket: first } = error
    const spoken = first === undefined || socket.bytesWritten > 0 ? undefined : spokenIn(first)
    if (first !== undefined && spoken !== undefined && spoken !== 'HTTP') {
      told.add(socket)
      tellOther(socket, first, spoken, 'HTTP')
      return
    }
    // A response that has started must not be garbled.
    if (socket.writable && socket._httpMessage?.headersSent !== true) {
      const status = statuses[error.code ?? ''] ?? '400 Bad Request'
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy(error)
  })
}
