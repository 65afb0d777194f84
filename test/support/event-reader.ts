// A browser's part in the tests of event streams: events one after the other, lines joined as the
// standard says.

import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

interface EventRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

export class EventReader {
  /** What a browser would send as Last-Event-ID. */
  lastId = ''
  /** Of the last event. */
  lastType = ''
  private text = ''
  private isOver = false
  private awake: () => void = () => {}

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      this.text += chunk
      this.awake()
    })
    const end = () => {
      this.isOver = true
      this.awake()
    }
    response.on('end', end).on('error', end)
  }

  static open(url: string, { method = 'GET', headers = {} }: EventRequest): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: false }, (response) =>
        resolve(new EventReader(response)),
      )
      sent.on('error', reject)
      sent.end()
    })
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers
  }

  get status(): number {
    return this.response.statusCode ?? 0
  }

  /** The data of the next event; undefined where the stream ends before it. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const lines = await this.block()
      if (lines === undefined) return undefined
      const id = valuesOf(lines, 'id').at(-1)
      if (id !== undefined) this.lastId = id
      this.lastType = valuesOf(lines, 'event').at(-1) ?? 'message'
      const data = valuesOf(lines, 'data')
      if (data.length > 0) return data.join('\n')
    }
  }

  /** Lines up to the next empty one: an event, a comment or a field alone. */
  async block(): Promise<string[] | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.text.slice(0, end).split('\n')
        this.text = this.text.slice(end + 2)
        return lines
      }
      if (this.isOver) return undefined
      await new Promise<void>((resolve) => {
        this.awake = resolve
      })
    }
  }

  async json(): Promise<unknown> {
    const data = await this.next()
    return data === undefined ? undefined : JSON.parse(data)
  }

  close(): void {
    this.response.destroy()
  }
}

function valuesOf(lines: readonly string[], name: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2))
}
