// The REST interface of Upstash: its client library works with its address set to `<base>/upstash`.
// It takes a command as a JSON array or as a path, pipelines, transactions, and subscriptions as
// event streams. (docs/http.md, "Key-value commands")

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { errorLine } from '../../../base/reply-error.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueBus } from '../../../bus/keyvalue/bus.js'
import { type Message, Subscriber } from '../../../bus/keyvalue/clients/channels.js'
import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import { auditEntry } from '../../../bus/policy/audit.js'
import { senderRefusal } from '../../../bus/policy/senders.js'
import type { JsonText } from '../../json-thread.js'
import type { EventStreams } from '../core/event-stream.js'
import type { RawCall, RawRoute } from '../core/route.js'
import { bodyCommand, bodyCommands } from './key-value-commands.js'
import { placeOf, requireListener, send, statusOf, subscribed } from './key-value-routes.js'
import { openSession, runCommands, runTransaction } from './key-value-run.js'
import { requestOf, type TextEncoding } from './key-value-words.js'
import { ReplyText } from './reply-text.js'

interface UpstashOptions {
  readonly bus: KeyValueBus
  readonly streams: EventStreams
  /** Setting AUTH_MODE=off: then a GET, which any page can send, must not write. */
  readonly authOff: boolean
}

const base = '/upstash'

/** Everything under `/upstash`. */
export function upstashRoutes(options: UpstashOptions): readonly RawRoute[] {
  const methods = ['GET', 'POST'] as const
  return methods.map((method) => ({
    method,
    path: `${base}/*`,
    access: 'key',
    ...(method === 'POST' ? { takes: ['application/json'] } : {}),
    credentials: 'keys',
    inTransactions: true,
    errorBody: (error) => JSON.stringify({ error: error.message }),
    send: (call, outgoing, headers) => new Exchange(options, call, outgoing, headers).answer(),
  }))
}

class Exchange {
  private readonly encoding: TextEncoding

  constructor(
    private readonly options: UpstashOptions,
    private readonly call: RawCall,
    private readonly outgoing: ServerResponse,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const { headers: given } = call.incoming
    this.encoding = given['upstash-encoding'] === 'base64' ? 'base64' : 'lossy'
  }

  async answer(): Promise<void> {
    const { incoming } = this.call
    if (incoming.method === 'HEAD') throw fail('MethodNotAllowed', 'HEAD runs no command')
    const { words, query } = pathOf(incoming)
    const [first, ...rest] = words
    const name = first === undefined ? '' : Buffer.from(first).toString('latin1').toLowerCase()
    const events = this.options.bus.table.find(name)?.row.events
    const isPost = incoming.method === 'POST'
    if (first === undefined) {
      if (!isPost) throw fail('BadValue', 'a command is sent by POST, or as the path')
      await this.single(await this.call.body(bodyCommand))
    } else if (name === 'pipeline' && isPost && rest.length === 0) await this.pipeline()
    else if (name === 'multi-exec' && isPost && rest.length === 0) await this.transaction()
    else if (rest.length > 0 && (events === 'channels' || events === 'patterns')) {
      await this.subscribe(name, events, rest)
    } else if (rest.length === 0 && events === 'commands') await this.monitor()
    else await this.single(requestOf([...words, ...(await this.bodyWord()), ...query]), !isPost)
  }

  private async single(command: Arguments, isGet = false): Promise<void> {
    const { bus, authOff } = this.options
    if (isGet && authOff && mayChange(bus, command)) {
      throw fail('MethodNotAllowed', 'without authentication, what writes is sent by POST')
    }
    const session = this.session()
    const [ran] = await runCommands(bus, session, [command])
    if (ran === undefined || this.outgoing.destroyed) return
    if (ran.error !== undefined) this.send(statusOf(ran.error), errorJson(ran.error))
    else await this.sendText(session, (text) => this.result(text, ran.reply))
  }

  private async pipeline(): Promise<void> {
    const commands = await this.call.body(bodyCommands)
    const session = this.session()
    const calls = await runCommands(this.options.bus, session, commands)
    if (this.outgoing.destroyed) return
    await this.sendText(session, async (text) => {
      for (const [i, { error, reply }] of calls.entries()) {
        text.text(i === 0 ? '[' : ',')
        if (error === undefined) await this.result(text, reply)
        else await text.line(errorJson(error))
      }
      text.text(calls.length === 0 ? '[]' : ']')
    })
  }

  private async transaction(): Promise<void> {
    const commands = await this.call.body(bodyCommands)
    const session = this.session()
    const { error, reply } = await runTransaction(this.options.bus, session, commands)
    if (this.outgoing.destroyed) return
    if (error !== undefined) {
      this.send(statusOf(error), errorJson(error))
      return
    }
    const replies = reply as readonly Reply[]
    await this.sendText(session, async (text) => {
      for (const [i, each] of replies.entries()) {
        text.text(i === 0 ? '[' : ',')
        if (isError(each)) await text.reply(each)
        else await this.result(text, each)
      }
      text.text(replies.length === 0 ? '[]' : ']')
    })
  }

  private async subscribe(
    word: string,
    kind: 'channels' | 'patterns',
    names: readonly Bytes[],
  ): Promise<void> {
    const { bus, streams } = this.options
    const { channels } = bus.services
    // The body is ignored; it must not hold memory while the stream is open.
    this.call.incoming.resume()
    const { space } = placeOf(bus, this.call)
    await requireListener(bus, this.call, space)
    const subscriber = new Subscriber(this.call.session, space, (message) =>
      events.data(messageText(message)),
    )
    const told = subscribed(channels, subscriber, () =>
      names.map((name) => {
        if (kind === 'channels') channels.subscribe(subscriber, Slice.of(name))
        else channels.subscribePattern(subscriber, Slice.of(name))
        return `${word},${Slice.of(name).text()},${subscriber.count}`
      }),
    )
    const events = streams.open(this.outgoing, this.headers, this.call.session.identity, () =>
      channels.leave(subscriber),
    )
    for (const line of told) events.data(line)
  }

  private async monitor(): Promise<void> {
    const { bus, streams } = this.options
    this.call.incoming.resume()
    const { identity } = this.call.session
    if (senderRefusal('operator', identity) !== undefined) {
      throw fail('Unauthorized', 'only the operator may do this', { reason: 'operator' })
    }
    await bus.services.audit?.record(auditEntry('redis:monitor', identity, this.call.session))
    const session = openSession(bus, {
      session: this.call.session,
      place: placeOf(bus, this.call),
      socket: {
        push: (line) => {
          if (line !== null && typeof line === 'object' && 'kind' in line) {
            if (line.kind === 'simple') events.data(line.text)
          }
        },
        end: () => events.end(),
        destroy: () => events.end(),
      },
    })
    const events = streams.open(this.outgoing, this.headers, this.call.session.identity, () =>
      bus.closed(session),
    )
    events.data('"OK"')
    bus.services.monitors.add(session)
  }

  private session(): KeyValueSession {
    const { call, options, outgoing } = this
    const { bus } = options
    const session = openSession(bus, { session: call.session, place: placeOf(bus, call) })
    outgoing.on('close', () => {
      session.closed = true
      session.replied()
    })
    return session
  }

  /** For a command in the path, the body is its last word. */
  private async bodyWord(): Promise<Bytes[]> {
    if (this.call.incoming.method !== 'POST') return []
    return await this.call.body((body) => (body.length === 0 ? [] : [body]))
  }

  private async result(text: ReplyText, reply: Reply): Promise<void> {
    text.text('{"result":')
    await text.reply(reply)
    text.text('}')
  }

  private async sendText(
    session: KeyValueSession,
    write: (text: ReplyText) => Promise<void>,
  ): Promise<void> {
    const room = this.options.bus.openRoom(session)
    try {
      const text = new ReplyText(this.encoding, room, session.copyBytes)
      await write(text)
      this.send(200, await text.whole())
    } finally {
      room.close()
      session.replied()
    }
  }

  private send(status: number, body: JsonText): void {
    send(this.outgoing, this.headers, status, body)
  }
}

function isError(reply: Reply): boolean {
  return reply !== null && typeof reply === 'object' && 'kind' in reply && reply.kind === 'error'
}

function errorJson(error: GatewayError): string {
  return `{"error":${JSON.stringify(errorLine(error))}}`
}

/** Whether a command may make changes. */
function mayChange({ table }: KeyValueBus, command: Arguments): boolean {
  const row = table.find(command.text(0))?.resolve(command)?.row
  if (row === undefined || row.flags.includes('readonly')) return false
  return row.group !== 'connection'
}

/** Not JSON, and never base64: the client splits it at the first commas. */
function messageText({ pattern, channel, payload }: Message): string {
  const parts = pattern === undefined ? [channel, payload] : [pattern, channel, payload]
  const word = pattern === undefined ? 'message' : 'pmessage'
  return `${word},${parts.map((bytes) => Slice.of(bytes).text()).join(',')}`
}

/** Words of the path after the base, and of the query: `?EX=100` is two more words. */
function pathOf({ url = '' }: IncomingMessage): { words: Bytes[]; query: Bytes[] } {
  const [path = '', search = ''] = url.split('?', 2)
  const tail = path.slice(base.length + 1)
  const words = tail === '' ? [] : tail.split('/').map(unescaped)
  const query: Bytes[] = []
  for (const pair of search === '' ? [] : search.split('&')) {
    const [name = '', value] = pair.replaceAll('+', ' ').split(/=(.*)/s, 2)
    // It names the space, and is not a word of the command.
    if (name === 'database') continue
    query.push(unescaped(name))
    if (value !== undefined && value !== '') query.push(unescaped(value))
  }
  return { words, query }
}

/** `%00` to `%ff` are bytes, not only valid UTF-8. */
function unescaped(text: string): Bytes {
  if (!text.includes('%')) return utf8(text)
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}
