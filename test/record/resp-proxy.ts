// Stands between a client and a server of the key-value protocol and writes down what is said. It
// passes on one request at a time, whatever the connection, and waits for its reply; what comes
// without a request is a push, and is passed on at once.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { RespClient } from '../support/resp-client.js'
import { cut, type RespFrame } from './resp-fixture.js'

/** Requests without a reply: a line without words, which `redis-cli --pipe` ends with. */
const silent = /^\s*$/

export class RespProxy {
  readonly frames: RespFrame[] = []
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private connections = 0
  private last: Promise<void> = Promise.resolve()
  private onFrame = () => {}

  constructor(private readonly target: number) {
    this.server = createServer((client) => this.accept(client))
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => resolve((this.server.address() as AddressInfo).port))
    })
  }

  /** Resolves when so many frames have been passed on. */
  heard(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.onFrame = () => {
        if (this.frames.length >= count) resolve()
      }
      this.onFrame()
    })
  }

  /** Resolves when everything that was received has been passed on. */
  async close(): Promise<void> {
    await this.last
    for (const socket of this.sockets) socket.destroy()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private accept(client: Socket): void {
    this.sockets.add(client)
    let connection = 0
    const opened = RespClient.open(this.target)
    let received = Buffer.alloc(0)
    client.on('error', () => {})
    client.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let size = requestBytes(received); size > 0; ) {
        const text = received.toString('latin1', 0, size)
        received = received.subarray(size)
        this.last = this.last.then(async () => {
          connection ||= ++this.connections
          await this.pass(client, await opened, connection, text)
        })
        size = requestBytes(received)
      }
    })
    client.on('close', () => {
      this.last = this.last.then(async () => {
        if (connection > 0) this.note({ from: 'client', connection, text: '' })
        ;(await opened).close()
      })
    })
    opened.then((server) => {
      this.sockets.add(server.socket)
      // Behind QUIT: clients wait for it.
      server.socket.on('close', () => client.end())
      server.onPush = (text) => {
        this.note({ from: 'server', connection, text: cut(text) })
        client.write(Buffer.from(text, 'latin1'))
      }
    })
  }

  private async pass(
    client: Socket,
    server: RespClient,
    connection: number,
    text: string,
  ): Promise<void> {
    this.note({ from: 'client', connection, text })
    server.send(text)
    if (silent.test(text)) return
    const reply = await server.nextRaw().catch(() => undefined)
    if (reply === undefined) {
      client.destroy()
      return
    }
    this.note({ from: 'server', connection, text: cut(reply) })
    client.write(Buffer.from(reply, 'latin1'))
  }

  private note(frame: RespFrame): void {
    this.frames.push(frame)
    this.onFrame()
  }
}

/** The bytes of the first whole request; 0 where there is none. */
function requestBytes(received: Buffer): number {
  const line = received.indexOf('\n') + 1
  if (line === 0 || received[0] !== 0x2a) return line
  let at = line
  const count = Number(received.toString('latin1', 1, line))
  for (let i = 0; i < count; i++) {
    const end = received.indexOf('\n', at) + 1
    if (end === 0) return 0
    at = end + Number(received.toString('latin1', at + 1, end)) + 2
  }
  return at <= received.length ? at : 0
}
