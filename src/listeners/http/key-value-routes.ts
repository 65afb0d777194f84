// The key-value routes of the API: one command, and a stream of what is published. What comes by
// them runs on the path of all key-value commands.

import type { ServerResponse } from 'node:http'
import { fail, type GatewayError } from '../../base/errors.js'
import { keyspacesMax } from '../../base/limits.js'
import { errorLine, ReplyError } from '../../base/reply-error.js'
import { Slice } from '../../base/slice.js'
import type { KeyValueBus } from '../../bus/keyvalue/bus.js'
import { type Message, Subscriber } from '../../bus/keyvalue/channels.js'
import type { EventStreams } from './event-stream.js'
import { openSession, runCommands } from './key-value-run.js'
import { commandOf, replyJson, textJson } from './key-value-words.js'
import type { RawCall, RawRoute } from './routes.js'

export interface KeyValueRoutesOptions {
  readonly bus: KeyValueBus
  readonly streams: EventStreams
}

type Headers = Readonly<Record<string, string>>

/** `POST /api/v1/redis` and `GET /api/v1/redis/stream`. */
export function keyValueRoutes(options: KeyValueRoutesOptions): readonly RawRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/redis',
      access: 'key',
      fields: { command: 'array!' },
      send: (call, outgoing, headers) => runOne(options, call, outgoing, headers),
    },
    {
      method: 'GET',
      path: '/api/v1/redis/stream',
      access: 'key',
      send: async (call, outgoing, headers) => stream(options, call, outgoing, headers),
    },
  ]
}

async function runOne(
  { bus }: KeyValueRoutesOptions,
  call: RawCall,
  outgoing: ServerResponse,
  headers: Headers,
): Promise<void> {
  const given = call.fields.get('command')
  if (given === undefined) throw fail('BadValue', "field 'command' is required")
  const session = openSession(bus, { session: call.session, database: databaseOf(call) })
  outgoing.on('close', () => {
    session.closed = true
  })
  const [ran] = await runCommands(bus, session, [commandOf(given)])
  if (ran === undefined || outgoing.destroyed) return
  const { error, reply } = ran
  if (error === undefined) {
    send(outgoing, headers, 200, `{"ok":1,"result":${replyJson(reply, 'plain')}}`)
  } else send(outgoing, headers, statusOf(error), errorJson(error))
}

/** The peer's text, whatever went wrong; what is our fault or passes by itself has its status. */
function errorJson(error: GatewayError): string {
  const name = JSON.stringify(error.codeName)
  const text = JSON.stringify(errorLine(error))
  return `{"ok":0,"code":${error.code},"codeName":${name},"errmsg":${text}}`
}

/** Refusals are the client's; the rest keeps the table's status. */
export function statusOf(error: GatewayError): number {
  return error.httpStatus < 500 ? 400 : error.httpStatus
}

export function send(
  outgoing: ServerResponse,
  headers: Headers,
  status: number,
  body: string,
): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** Of the header `x-sigil-kv-db`. Throws BadValue. */
export function databaseOf({ incoming }: RawCall): number {
  const given = incoming.headers['x-sigil-kv-db']
  if (given === undefined) return 0
  const index = Number(given)
  if (/^\d{1,2}$/.test(String(given)) && index < keyspacesMax) return index
  throw fail('BadValue', `header x-sigil-kv-db must be 0 to ${keyspacesMax - 1}`)
}

async function stream(
  { bus, streams }: KeyValueRoutesOptions,
  call: RawCall,
  outgoing: ServerResponse,
  headers: Headers,
): Promise<void> {
  const names = channelsOf(call)
  const { channels } = bus.services
  await requireListener(bus, call)
  if (call.incoming.method === 'HEAD') {
    outgoing.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
    outgoing.end()
    return
  }
  const subscriber = new Subscriber(call.session, (message) => events.data(messageJson(message)))
  const events = streams.open(outgoing, headers, call.session.identity, () =>
    channels.leave(subscriber),
  )
  for (const name of names) {
    channels.subscribe(subscriber, Slice.ofText(name))
    const channel = JSON.stringify(name)
    events.data(`{"event":"subscribe","channel":${channel},"count":${subscriber.count}}`)
  }
}

/** Throws Unauthorized (403) where the caller may not listen. */
export async function requireListener(bus: KeyValueBus, { session }: RawCall): Promise<void> {
  try {
    await bus.requireListener(session.identity)
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error
    throw fail('Unauthorized', 'not allowed to listen to channels', { reason: 'role' })
  }
}

function messageJson({ channel, payload }: Message): string {
  const [name, text] = [textJson(Slice.of(channel)), textJson(Slice.of(payload))]
  return `{"channel":${name},"message":${text}}`
}

/** Names of the query `channels`, which commas separate. Throws BadValue where there is none. */
function channelsOf({ incoming }: RawCall): string[] {
  const query = new URL(incoming.url ?? '', 'http://localhost').searchParams
  const names = (query.get('channels') ?? '').split(',').filter((name) => name !== '')
  if (names.length === 0) throw fail('BadValue', "query 'channels' must name a channel")
  return names
}
