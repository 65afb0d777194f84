// Stands between a client and a gateway and writes down every message. It passes on one request at a
// time, whatever the connection, and waits for its answer: so the order that is recorded is the
// order in which the gateway worked, and a replay draws the same random bytes.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { messageBytesMax } from '../../src/base/limits/documents.js'
import { FrameSplitter } from '../../src/protocol/wire/frame-splitter.js'
import { opcode, readHeader } from '../../src/protocol/wire/header.js'
import { asksNoReply } from '../../src/protocol/wire/op-msg.js'
import type { RecordedFrame } from './fixture.js'

interface Pair {
  readonly client: Socket
  server: Socket | undefined
  connection: number
  /** Takes the answer that is due; undefined when the gateway closes. */
  take: ((frame: Uint8Array | undefined) => void) | undefined
}

export class TeeProxy {
  readonly frames: RecordedFrame[] = []
  private readonly server: Server
  private readonly pairs = new Set<Pair>()
  private connections = 0
  private last: Promise<void> = Promise.resolve()

  constructor(private readonly target: number) {
    this.server = createServer((client) => this.accept(client))
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => resolve((this.server.address() as AddressInfo).port))
    })
  }

  /** Resolves when everything that was received has been passed on. */
  async close(): Promise<void> {
    await this.last
    for (const { client, server } of this.pairs) {
      client.destroy()
      server?.destroy()
    }
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private accept(client: Socket): void {
    const pair: Pair = { client, server: undefined, connection: 0, take: undefined }
    this.pairs.add(pair)
    const splitter = new FrameSplitter(messageBytesMax)
    client.on('error', () => {})
    client.on('data', (chunk) => {
      splitter.push(new Uint8Array(chunk))
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
        const whole = frame
        this.last = this.last.then(() => this.pass(pair, whole))
      }
    })
    client.on('close', () => {
      this.last = this.last.then(() => {
        pair.server?.destroy()
      })
    })
  }

  private async pass(pair: Pair, frame: Uint8Array): Promise<void> {
    const server = await this.serverOf(pair)
    this.note('client', pair.connection, frame)
    const isSilent = readHeader(frame).opcode === opcode.message && asksNoReply(frame)
    if (isSilent) {
      server.write(frame)
      return
    }
    const reply = await new Promise<Uint8Array | undefined>((resolve) => {
      pair.take = resolve
      server.write(frame)
    })
    pair.take = undefined
    if (reply === undefined) return
    this.note('server', pair.connection, reply)
    pair.client.write(reply)
  }

  private note(from: RecordedFrame['from'], connection: number, frame: Uint8Array): void {
    this.frames.push({ from, connection, hex: Buffer.from(frame).toString('hex') })
  }

  /** The gateway's end, opened at the first message: its connection ids follow that order. */
  private serverOf(pair: Pair): Promise<Socket> {
    if (pair.server !== undefined) return Promise.resolve(pair.server)
    pair.connection = ++this.connections
    const splitter = new FrameSplitter(messageBytesMax)
    return new Promise((resolve, reject) => {
      const server = connect(this.target, '127.0.0.1', () => resolve(server))
      pair.server = server
      server.on('data', (chunk) => {
        splitter.push(new Uint8Array(chunk))
        for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
          pair.take?.(frame)
        }
      })
      server.on('error', reject)
      server.on('close', () => {
        pair.take?.(undefined)
        pair.client.destroy()
      })
    })
  }
}
