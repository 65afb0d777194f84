// A client of the PostgreSQL protocol in the test's hand: sends what it is told to, and reads what
// comes, message by message, as the protocol's documentation has it.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { readMessages } from '../protocol/pgwire/backend.js'
import { counted, int16, int32, message, startup, text } from '../protocol/pgwire/frontend.js'

export type Message = ReturnType<typeof readMessages>[number]

/** Version 3.0. */
export const version3 = 196_608
const sslRequest = 80_877_103
const cancelRequest = 80_877_102

export class SqlClient {
  private received = Buffer.alloc(0)
  private wanted: (() => void) | undefined
  isClosed = false

  private constructor(private socket: Socket) {
    this.listen(socket)
  }

  static open(port: number): Promise<SqlClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new SqlClient(socket)))
      socket.once('error', reject)
    })
  }

  /** Opened and past the start, where AUTH_MODE=off asks for no login. */
  static async enter(port: number, parameters: Readonly<Record<string, string>> = {}) {
    const client = await SqlClient.open(port)
    client.send(startup(version3, { user: 'tester', ...parameters }))
    const greeting = await client.until('ReadyForQuery')
    return { client, greeting }
  }

  send(...parts: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(parts))
  }

  /** Stops reading, and reads again. */
  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  /** The messages up to the first of that name. */
  async until(name: string): Promise<Message[]> {
    for (;;) {
      const size = this.sizeUntil(name)
      if (size > 0) {
        const bytes = this.received.subarray(0, size)
        this.received = this.received.subarray(size)
        return readMessages(bytes)
      }
      if (this.isClosed) {
        throw new Error(`closed before ${name}: ${JSON.stringify(readMessages(this.received))}`)
      }
      await new Promise<void>((resolve) => {
        this.wanted = resolve
      })
    }
  }

  /** Everything up to the end of the connection. */
  async rest(): Promise<Message[]> {
    while (!this.isClosed) {
      await new Promise<void>((resolve) => {
        this.wanted = resolve
      })
    }
    return readMessages(this.received)
  }

  /** A simple query, and all that answers it. */
  async query(sql: string): Promise<Message[]> {
    this.send(message('Q', text(sql)))
    return this.until('ReadyForQuery')
  }

  /** Asks for TLS; answers the one byte. */
  async askTls(): Promise<string> {
    this.send(Buffer.concat([int32(8), int32(sslRequest)]))
    while (this.received.length < 1) {
      await new Promise<void>((resolve) => {
        this.wanted = resolve
      })
    }
    const answer = this.received.toString('latin1', 0, 1)
    this.received = this.received.subarray(1)
    return answer
  }

  secure(ca: Buffer): Promise<void> {
    const { socket } = this
    socket.removeAllListeners('data')
    return new Promise((resolve, reject) => {
      const secure = connectTls({ socket, ca, servername: 'localhost' }, () => resolve())
      secure.once('error', reject)
      this.socket = secure
      this.listen(secure)
    })
  }

  cancel(processId: number, secret: Buffer): void {
    this.send(int32(12 + secret.length), int32(cancelRequest), int32(processId), secret)
  }

  /** Says that nothing more will come. */
  end(): void {
    this.socket.end()
  }

  close(): void {
    this.socket.destroy()
  }

  private listen(socket: Socket): void {
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk])
      this.wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
      this.wake()
    })
  }

  private wake(): void {
    const { wanted } = this
    this.wanted = undefined
    wanted?.()
  }

  /** Bytes up to the end of the first message of that name; 0 where it is not there. */
  private sizeUntil(name: string): number {
    const { received } = this
    for (let at = 0; at + 5 <= received.length; ) {
      const end = at + 1 + received.readInt32BE(at + 1)
      if (end > received.length) return 0
      const [found] = readMessages(received.subarray(at, end))
      if (found?.[0] === name) return end
      at = end
    }
    return 0
  }
}

export function parse(name: string, sql: string, oids: readonly number[] = []): Buffer {
  return message('P', text(name), text(sql), int16(oids.length), ...oids.map(int32))
}

interface Bound {
  readonly portal?: string
  readonly statement?: string
  readonly values?: readonly (string | Uint8Array | null)[]
  /** Of parameters and of results: 0 text, 1 binary. */
  readonly formats?: readonly number[]
  readonly results?: readonly number[]
}

export function bind({ portal = '', statement = '', values = [], ...given }: Bound): Buffer {
  const { formats = [], results = [] } = given
  return message(
    'B',
    ...[text(portal), text(statement), int16(formats.length), ...formats.map(int16)],
    int16(values.length),
    ...values.map((value) => counted(value === null ? undefined : Buffer.from(value))),
    ...[int16(results.length), ...results.map(int16)],
  )
}

export function describe(target: 'S' | 'P', name = ''): Buffer {
  return message('D', Buffer.from(target), text(name))
}

export function execute(portal = '', rowsMax = 0): Buffer {
  return message('E', text(portal), int32(rowsMax))
}

export function closing(target: 'S' | 'P', name: string): Buffer {
  return message('C', Buffer.from(target), text(name))
}

export const sync = message('S')
export const flush = message('H')
export const terminate = message('X')
