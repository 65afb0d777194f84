// What may stand between a gateway and PostgreSQL: TLS with a certificate, and a pooler that gives a
// server's connection to a client for one transaction, as PgBouncer does in its transaction mode.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Ending } from './postgres-reference.js'

const sslRequest = 80_877_103
/** AuthenticationOk, one parameter, a key that is not the backend's, ReadyForQuery. */
const welcome = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('K', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
  message('Z', Buffer.from('I')),
])

/** A port that asks for TLS where there is a certificate, in front of the server of that folder. */
export async function openTlsFront(
  t: Ending,
  folder: string,
  certificate?: { readonly cert: Buffer; readonly key: Buffer },
): Promise<number> {
  return listening(t, (client) => {
    client.once('data', (asked) => {
      client.write(certificate === undefined ? 'N' : 'S')
      if (asked.readInt32BE(4) !== sslRequest || certificate === undefined) return
      const secured = new TLSSocket(client, { isServer: true, ...certificate })
      secured.on('error', () => client.destroy())
      const server = serverOf(folder)
      server.on('error', () => secured.destroy())
      secured.pipe(server).pipe(secured)
    })
  })
}

/** A port whose clients share connections, each for a transaction. */
export async function openTransactionPooler(t: Ending, folder: string): Promise<number> {
  const idle: Backend[] = []
  return listening(t, (client) => {
    let start: Buffer | undefined
    let backend: Backend | undefined
    client.on('data', (bytes) => {
      if (start === undefined) {
        start = bytes
        client.write(welcome)
        return
      }
      backend ??= idle.pop() ?? new Backend(folder, start)
      backend.send(bytes, client, () => {
        if (backend !== undefined) idle.push(backend)
        backend = undefined
      })
    })
  })
}

/** A connection of the pooler to the server. */
class Backend {
  private readonly socket: Socket
  private client: Socket | undefined
  private release = (): void => undefined
  /** The first answer is that to the start. */
  private pending = 1
  private readonly messages = new Messages()
  private readonly asked = new Messages()
  private isStarted = false

  constructor(folder: string, start: Buffer) {
    this.socket = serverOf(folder)
    this.socket.write(start)
    this.socket.on('data', (bytes) => this.take(bytes))
    this.socket.on('error', () => this.client?.destroy())
  }

  send(bytes: Buffer, client: Socket, release: () => void): void {
    this.client = client
    this.release = release
    for (const { type } of this.asked.take(bytes)) if ('QS'.includes(type)) this.pending++
    this.socket.write(bytes)
  }

  private take(bytes: Buffer): void {
    for (const { type, whole } of this.messages.take(bytes)) {
      if (this.isStarted) this.client?.write(whole)
      if (type !== 'Z') continue
      this.isStarted = true
      this.pending--
      if (this.pending === 0 && whole.at(-1) === 'I'.charCodeAt(0)) this.release()
    }
  }
}

/** Cuts a stream into messages with a type and a length. */
class Messages {
  private rest = Buffer.alloc(0)

  take(bytes: Buffer): { readonly type: string; readonly whole: Buffer }[] {
    this.rest = Buffer.concat([this.rest, bytes])
    const found: { type: string; whole: Buffer }[] = []
    while (this.rest.length >= 5) {
      const length = 1 + this.rest.readInt32BE(1)
      if (this.rest.length < length) break
      const whole = this.rest.subarray(0, length)
      found.push({ type: String.fromCharCode(whole[0] ?? 0), whole })
      this.rest = this.rest.subarray(length)
    }
    return found
  }
}

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + content.length, 1)
  return Buffer.concat([head, content])
}

function serverOf(folder: string): Socket {
  return connect(`${folder}/.s.PGSQL.5432`)
}

async function listening(t: Ending, serve: (client: Socket) => void): Promise<number> {
  const open = new Set<Socket>()
  const server: Server = createServer((client) => {
    open.add(client)
    client.on('error', () => undefined)
    client.once('close', () => open.delete(client))
    serve(client)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  t.teardown(() => {
    server.close()
    for (const client of open) client.destroy()
  })
  return (server.address() as AddressInfo).port
}
