// A client of the key-value protocol on a real socket: sends words, or any bytes, and takes replies
// apart. Replies carry their type, so that two servers can be compared.

import { connect, type Socket } from 'node:net'

export type RespReply = string | RespReply[]

type Parsed = readonly [reply: RespReply, next: number]

export class RespClient {
  /** Set once the other side has closed. */
  isClosed = false
  /** Takes what comes while no reply is waited for; else it is kept for `next`. */
  onPush: ((raw: string) => void) | undefined
  private received = ''
  private readonly waiting: ((reply: RespReply | undefined, raw: string) => void)[] = []

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1')
      this.drain()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
      for (const resolve of this.waiting.splice(0)) resolve(undefined, '')
    })
  }

  /** `localAddress` is the client's own: what is counted by address begins anew with another. */
  static open(port: number, localAddress?: string): Promise<RespClient> {
    return new Promise((resolve, reject) => {
      const from = localAddress === undefined ? {} : { localAddress }
      const socket = connect({ port, host: '127.0.0.1', ...from })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RespClient(socket))
      })
    })
  }

  /**
   * The reply to a command, with the first byte of its type: `+OK`, `:1`, `$text`, `$` for the nil
   * of bulk strings is `$-1`; aggregates are arrays that begin with their type and count.
   */
  async call(...words: readonly (string | Uint8Array)[]): Promise<RespReply> {
    this.send(encode(words))
    const reply = await this.next()
    if (reply === undefined) throw new Error('the connection was closed')
    return reply
  }

  /** As call, but the bytes of the reply as they came, a character each. */
  callRaw(...words: readonly (string | Uint8Array)[]): Promise<string> {
    this.send(encode(words))
    return this.nextRaw()
  }

  /** The bytes of the next reply or push; rejects where the connection ends before it. */
  nextRaw(): Promise<string> {
    return new Promise((resolve, reject) => {
      const take = (reply: RespReply | undefined, raw: string) => {
        if (reply === undefined) reject(new Error('the connection was closed'))
        else resolve(raw)
      }
      if (this.isClosed) take(undefined, '')
      else {
        this.waiting.push(take)
        this.drain()
      }
    })
  }

  /** The next reply or push; undefined where the connection ends before it. */
  next(): Promise<RespReply | undefined> {
    return new Promise((resolve) => {
      if (this.isClosed) resolve(undefined)
      else {
        this.waiting.push(resolve)
        this.drain()
      }
    })
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  close(): void {
    this.socket.destroy()
  }

  private drain(): void {
    while (this.waiting.length > 0 || this.onPush !== undefined) {
      const parsed = parse(this.received, 0)
      if (parsed === undefined) return
      const raw = this.received.slice(0, parsed[1])
      this.received = this.received.slice(parsed[1])
      const resolve = this.waiting.shift()
      if (resolve === undefined) this.onPush?.(raw)
      else resolve(parsed[0], raw)
    }
  }
}

/** A command as an array of bulk strings. */
export function encode(words: readonly (string | Uint8Array)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)]
  for (const word of words) {
    const bytes = typeof word === 'string' ? Buffer.from(word) : Buffer.from(word)
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(parts)
}

/** A whole reply taken apart. */
export function replyIn(raw: string): RespReply {
  const parsed = parse(raw, 0)
  if (parsed?.[1] !== raw.length) throw new Error(`no reply: ${raw.slice(0, 100)}`)
  return parsed[0]
}

/** Undefined where the reply is not whole. */
function parse(text: string, at: number): Parsed | undefined {
  const end = text.indexOf('\r\n', at)
  if (end < 0) return undefined
  const type = text[at] ?? ''
  const line = text.slice(at + 1, end)
  const next = end + 2
  if ((type === '$' || type === '=') && line !== '-1') {
    const stop = next + Number(line)
    return stop + 2 > text.length ? undefined : [`${type}${text.slice(next, stop)}`, stop + 2]
  }
  const each = { '*': 1, '~': 1, '>': 1, '%': 2 }[type]
  if (each === undefined || line === '-1') return [type + line, next]
  return parseItems(text, next, type + line, each * Number(line))
}

function parseItems(text: string, start: number, head: string, count: number): Parsed | undefined {
  const items: RespReply[] = [head]
  let at = start
  for (let i = 0; i < count; i++) {
    const item = parse(text, at)
    if (item === undefined) return undefined
    items.push(item[0])
    at = item[1]
  }
  return [items, at]
}
