// Server-sent events: one open response for each listening client. Comments keep it open through
// proxies. A client that does not read is disconnected, and a stop of the server ends all streams.
// Source: HTML, server-sent events.

import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../base/clock.js'
import { smallMessageBytesMax } from '../../../base/limits/connections.js'
import { eventStreamPingMs, eventStreamStallMs } from '../../../base/limits/http.js'
import type { Log } from '../../../base/log.js'
import type { OutputBounds } from '../../../bus/keyvalue/settings.js'
import type { Identity } from '../../../identity/identity.js'
import type { JsonText } from '../../json-thread.js'
import { OutputLimit } from '../../output-limit.js'
import { isCrowded, noteUnsent } from './replies.js'

interface EventStreamsOptions {
  readonly clock: Clock
  readonly log: Log
  /** How far a client may currently fall behind; the start bounds of subscribers by default. */
  readonly bounds?: () => OutputBounds
  /** Interval of comments; eventStreamPingMs by default. */
  readonly pingMs?: number
  /** How long a client may leave events unread; eventStreamStallMs by default. */
  readonly stallMs?: number
}

/** All open streams of a listener. */
export class EventStreams {
  private readonly streams = new Set<EventStream>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: EventStreamsOptions) {}

  /** Opens a stream for the identity; `left` is called once when it ends, on either side. */
  open(
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
    identity: Identity,
    left: () => void,
  ): EventStream {
    const stream = new EventStream(outgoing, identity, this.options)
    outgoing.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    outgoing.flushHeaders()
    this.streams.add(stream)
    this.timer ??= setInterval(() => this.ping(), this.options.pingMs ?? eventStreamPingMs)
    outgoing.on('close', () => {
      this.streams.delete(stream)
      if (this.streams.size === 0) this.rest()
      left()
    })
    return stream
  }

  /** Ends the streams of these identities. */
  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const stream of this.streams) if (matches(stream.identity)) stream.end()
  }

  /** Ends every stream. */
  close(): void {
    for (const stream of this.streams) stream.end()
  }

  private ping(): void {
    for (const stream of this.streams) stream.comment('ping')
  }

  private rest(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

export class EventStream {
  private readonly output = new OutputLimit()

  constructor(
    private readonly outgoing: ServerResponse,
    readonly identity: Identity,
    private readonly options: EventStreamsOptions,
  ) {}

  /** One event; a line of `data` for each line of the text. */
  data(text: string): void {
    const lines = text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\r|\n/) : [text]
    let event = ''
    for (const line of lines) event += `data: ${line}\n`
    this.write(`${event}\n`)
  }

  /** Several fields of one event, or a field without an event. */
  send(fields: string): void {
    this.write(`${fields}\n`)
  }

  /** A whole event with the empty line behind it. */
  write(text: JsonText): void {
    const { outgoing, output, options } = this
    if (outgoing.destroyed || outgoing.writableEnded) return
    outgoing.write(text)
    const unsent = outgoing.writableLength
    if (unsent > smallMessageBytesMax) noteUnsent(outgoing)
    const isPassed = output.isPassed(unsent, options.clock.elapsed(), options.bounds?.())
    if (!isPassed && !isCrowded(outgoing)) return
    options.log.warn({ unsent }, 'an event stream that was too slow was cut')
    outgoing.destroy()
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`)
  }

  get isOver(): boolean {
    return this.outgoing.destroyed || this.outgoing.writableEnded
  }

  /**
   * Resolves when the client has read what was written, or at the end of the stream. A client that
   * does not read within `eventStreamStallMs` is disconnected.
   */
  async taken(): Promise<void> {
    const { outgoing, options } = this
    if (this.isOver || !outgoing.writableNeedDrain) return
    noteUnsent(outgoing)
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        outgoing.off('drain', done).off('close', done)
        resolve()
      }
      const timer = setTimeout(() => {
        const unsent = outgoing.writableLength
        options.log.warn({ unsent }, 'an event stream that was not read was cut')
        outgoing.destroy()
      }, options.stallMs ?? eventStreamStallMs)
      outgoing.on('drain', done).on('close', done)
    })
  }

  end(): void {
    this.outgoing.end()
  }
}
