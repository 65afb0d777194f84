// A client of the document wire that does nothing by itself: it sends the bytes it is given, wrong
// ones too, and hands out the messages that come back.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Binary } from 'bson'
import { FrameSplitter } from '../../src/protocol/wire/frame-splitter.js'
import { opcode, readHeader } from '../../src/protocol/wire/header.js'
import type { Document } from '../../src/value/value.js'
import { toObject } from './literal.js'
import { bodySection, command, type MessageOptions, opMsg } from './messages.js'

type Fields = Readonly<Record<string, unknown>>
export type ReplyFields = Record<string, unknown>

const replyBytesMax = 100_000_000

export class WireClient {
  private readonly splitter = new FrameSplitter(replyBytesMax)
  private readonly frames: Uint8Array[] = []
  private readonly waiting: ((frame: Uint8Array | undefined) => void)[] = []
  private isClosed = false
  private requestId = 0
  /** Resolves when either side has closed the socket. */
  readonly closed: Promise<void>

  private constructor(readonly socket: Socket) {
    // Split messages must not wait for acknowledgements.
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true
        for (const take of this.waiting.splice(0)) take(undefined)
        resolve()
      })
    })
  }

  /** `localAddress` is the client's own: what is counted by address begins anew with another. */
  static open(port: number, host = '127.0.0.1', localAddress?: string): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const from = localAddress === undefined ? {} : { localAddress }
      const socket = connect({ port, host, ...from }, () => resolve(new WireClient(socket)))
      socket.once('error', reject)
    })
  }

  static openTls(port: number, ca: string): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', ca, servername: 'localhost' }
      const socket = connectTls(options, () => resolve(new WireClient(socket)))
      socket.once('error', reject)
    })
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes)
  }

  /** The next message that comes, whole; undefined when the socket closes first. */
  next(): Promise<Uint8Array | undefined> {
    const frame = this.frames.shift()
    if (frame !== undefined || this.isClosed) return Promise.resolve(frame)
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Messages that have arrived and were not read. */
  get unread(): number {
    return this.frames.length
  }

  /** Sends a command and answers its reply; fails when the socket closes or answers another. */
  async run(fields: Fields, options: MessageOptions = {}): Promise<ReplyFields> {
    const requestId = ++this.requestId
    this.send(command(fields, { ...options, requestId }))
    return this.replyTo(requestId)
  }

  async replyTo(requestId: number): Promise<ReplyFields> {
    const frame = await this.next()
    if (frame === undefined) throw new Error('the connection was closed')
    const header = readHeader(frame)
    if (header.responseTo !== requestId) throw new Error(`answer to ${header.responseTo}`)
    return replyOf(frame)
  }

  /** Signs in by SCRAM-SHA-256; answers the last reply, which may be an error. */
  async login(user: string, password: string): Promise<ReplyFields> {
    const bare = `n=${user},r=${Buffer.from(`nonce of ${user}`).toString('base64')}`
    const started = await this.run({
      saslStart: 1,
      mechanism: 'SCRAM-SHA-256',
      payload: new Binary(Buffer.from(`n,,${bare}`)),
      options: { skipEmptyExchange: true },
      $db: 'admin',
    })
    if (started.ok !== 1) return started
    const payload = new Binary(Buffer.from(clientFinal(bare, textOf(started.payload), password)))
    return this.run({ saslContinue: 1, conversationId: 1, payload, $db: 'admin' })
  }

  close(): Promise<void> {
    this.socket.destroy()
    return this.closed
  }

  private receive(chunk: Buffer): void {
    this.splitter.push(new Uint8Array(chunk))
    for (let next = this.splitter.next(); next !== undefined; next = this.splitter.next()) {
      const take = this.waiting.shift()
      if (take === undefined) this.frames.push(next)
      else take(next)
    }
  }
}

/** A reply without the times of a router, which later replies do not repeat. */
export function withoutTimes({ operationTime: _, $clusterTime: __, ...reply }: ReplyFields) {
  return reply
}

/** The document of a reply, be it OP_MSG or OP_REPLY. */
export function replyDocument(frame: Uint8Array): Document {
  const { opcode: code } = readHeader(frame)
  if (code === opcode.message) return frame.subarray(21)
  if (code === opcode.reply) return frame.subarray(36)
  throw new Error(`a reply with opcode ${code}`)
}

export function replyOf(frame: Uint8Array): ReplyFields {
  return toObject(replyDocument(frame))
}

/** A message that asks for silence. */
export function unacknowledged(fields: Fields): Uint8Array {
  return opMsg([bodySection({ $db: 'test', ...fields })], { flags: 2 })
}

/** Text of a SASL payload. */
export function textOf(payload: unknown): string {
  if (!(payload instanceof Binary)) throw new Error('payload is no binary')
  return Buffer.from(payload.value()).toString()
}

/** The second message of SCRAM-SHA-256, from the first and its answer. */
export function clientFinal(bare: string, serverFirst: string, password: string): string {
  const [, nonce = '', salt = '', iterations = ''] =
    /^r=(.*),s=(.*),i=(.*)$/.exec(serverFirst) ?? []
  const key = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256')
  const clientKey = createHmac('sha256', key).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest()
  const withoutProof = `c=biws,r=${nonce}`
  const auth = `${bare},${serverFirst},${withoutProof}`
  const signature = createHmac('sha256', storedKey).update(auth).digest()
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)))
  return `${withoutProof},p=${proof.toString('base64')}`
}
