// The key-value routes of the API: one command, and a stream of published messages. They use the
// same path as all key-value commands.

import type { ServerResponse } from 'node:http'
import { Slice } from '../../../base/bytes/slice.js'
import { fail, type GatewayError, hasKind } from '../../../base/errors.js'
import { keyspacesMax } from '../../../base/limits/key-value.js'
import { errorLine, ReplyError } from '../../../base/reply-error.js'
import type { KeyValueBus } from '../../../bus/keyvalue/bus.js'
import {
  type Channels,
  type Message,
  type NameKind,
  Subscriber,
} from '../../../bus/keyvalue/clients/channels.js'
import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { Place, Space } from '../../../engine/keyspace/spaces.js'
import type { JsonText } from '../../json-thread.js'
import type { EventStreams } from '../core/event-stream.js'
import { refusalHeaders } from '../core/request-limit.js'
import type { HttpAnswer, RawCall, RawRoute, ReplyRoute } from '../core/route.js'
import { readCommand } from './key-value-commands.js'
import { openSession, runCommands } from './key-value-run.js'
import { textJson } from './key-value-words.js'
import { ReplyText } from './reply-text.js'

interface KeyValueRoutesOptions {
  readonly bus: KeyValueBus
  readonly streams: EventStreams
}

type Headers = Readonly<Record<string, string>>

/** `POST /api/v1/redis` and `GET /api/v1/redis/stream`. */
export function keyValueRoutes(options: KeyValueRoutesOptions): readonly (RawRoute | ReplyRoute)[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/redis',
      access: 'key',
      query: { database: 'string' },
      fields: { command: 'array!' },
      mutates: true,
      inTransactions: true,
      reply: (call) => runOne(options, call),
      checkRevocation: (call) => checkRevocation(options, call),
    },
    {
      method: 'GET',
      path: '/api/v1/redis/stream',
      access: 'key',
      query: { channels: 'string', patterns: 'string', database: 'string' },
      answers: 'text/event-stream',
      send: async (call, outgoing, headers) => stream(options, call, outgoing, headers),
      head: (call) => headOfStream(options, call),
    },
  ]
}

async function runOne({ bus }: KeyValueRoutesOptions, call: RawCall): Promise<HttpAnswer> {
  const given = call.fields.get('command')
  if (given === undefined) throw fail('BadValue', "field 'command' is required")
  const session = openSession(bus, { session: call.session, place: placeOf(bus, call) })
  const forget = call.session.whenClosed(() => {
    session.closed = true
  })
  try {
    const [ran] = await runCommands(bus, session, [await readCommand(given)])
    if (ran === undefined) throw fail('Interrupted', 'the command was not answered')
    const { error, reply } = ran
    if (error === undefined) return { status: 200, body: await resultBody(bus, session, reply) }
    const headers = refusalHeaders(error)
    const isPassing = error.kind === 'Unauthorized'
    return { status: statusOf(error), headers, body: errorJson(error), isPassing }
  } finally {
    forget()
    session.replied()
  }
}

async function resultBody(
  bus: KeyValueBus,
  session: KeyValueSession,
  reply: Reply,
): Promise<JsonText> {
  const room = bus.openRoom(session)
  try {
    const text = new ReplyText('plain', room, session.copyBytes)
    text.text('{"ok":1,"result":')
    await text.reply(reply)
    text.text('}')
    return await text.whole()
  } finally {
    room.close()
  }
}

/** The rights of the command of a stored response. Throws Unauthorized. */
async function checkRevocation({ bus }: KeyValueRoutesOptions, call: RawCall): Promise<void> {
  const given = call.fields.get('command')
  if (given === undefined) return
  const session = openSession(bus, { session: call.session, place: placeOf(bus, call) })
  const args = await readCommand(given)
  const opened = bus.open(bus.table.find(args.text(0)), args, session)
  // An invalid command is still invalid.
  if (opened.error !== undefined && opened.error.kind !== 'Unauthorized') return
  if (opened.error !== undefined) throw opened.error
  await bus.checkRevocation(opened)
}

/** Redis' error text for every failure; internal and temporary failures keep their HTTP status. */
function errorJson(error: GatewayError): string {
  const { errorLabels } = error.extra
  const name = JSON.stringify(error.codeName)
  const text = JSON.stringify(errorLine(error))
  const labels = errorLabels === undefined ? '' : `,"errorLabels":${JSON.stringify(errorLabels)}`
  return `{"ok":0,"code":${error.code},"codeName":${name},"errmsg":${text}${labels}}`
}

function isOfTransaction(error: GatewayError): boolean {
  return hasKind(
    error,
    ...(['NoSuchTransaction', 'TransactionCommitted'] as const),
    ...(['TransactionConflict', 'TransactionTooOld'] as const),
  )
}

/** Refusals are 400; other failures, limits and errors of transactions keep the table's status. */
export function statusOf(error: GatewayError): number {
  const { httpStatus } = error
  if (isOfTransaction(error)) return httpStatus
  return httpStatus < 500 && httpStatus !== 429 ? 400 : httpStatus
}

export function send(
  outgoing: ServerResponse,
  headers: Headers,
  status: number,
  body: JsonText,
): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** The space of the request, or the caller's home. Throws InvalidNamespace. */
export function placeOf(bus: KeyValueBus, call: RawCall): Place {
  return bus.placeOf(call.session.identity, call.namedDatabase, indexOf(call))
}

/** From the header `x-sigil-kv-db`. Throws BadValue. */
function indexOf({ incoming }: RawCall): number {
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
  const names = namesOf(call)
  const { channels } = bus.services
  const { space } = placeOf(bus, call)
  await requireListener(bus, call, space)
  const subscriber = new Subscriber(call.session, space, (message) =>
    events.data(messageJson(message)),
  )
  const told = subscribed(channels, subscriber, () => [
    ...names.channels.map((name) => {
      channels.subscribe(subscriber, Slice.ofText(name))
      const channel = JSON.stringify(name)
      return `{"event":"subscribe","channel":${channel},"count":${subscriber.count}}`
    }),
    ...names.patterns.map((name) => {
      channels.subscribePattern(subscriber, Slice.ofText(name))
      const pattern = JSON.stringify(name)
      return `{"event":"psubscribe","pattern":${pattern},"count":${subscriber.count}}`
    }),
  ])
  const events = streams.open(outgoing, headers, call.session.identity, () =>
    channels.leave(subscriber),
  )
  for (const line of told) events.data(line)
}

async function headOfStream({ bus }: KeyValueRoutesOptions, call: RawCall): Promise<void> {
  namesOf(call)
  await requireListener(bus, call, placeOf(bus, call).space)
}

/** The result of `subscribe`; if it throws, no subscription and no stream remains. */
export function subscribed<T>(channels: Channels, subscriber: Subscriber, subscribe: () => T): T {
  try {
    return subscribe()
  } catch (error) {
    channels.leave(subscriber)
    throw error
  }
}

/** Throws Unauthorized (403) if the caller may not subscribe. */
export async function requireListener(
  bus: KeyValueBus,
  { session }: RawCall,
  space: Space,
): Promise<void> {
  try {
    await bus.requireChannels(session.identity, space, 'read')
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error
    throw fail('Unauthorized', 'not allowed to listen to channels', { reason: 'role' })
  }
}

function messageJson({ pattern, channel, payload }: Message): string {
  const [name, text] = [textJson(Slice.of(channel)), textJson(Slice.of(payload))]
  const by = pattern === undefined ? '' : `"pattern":${textJson(Slice.of(pattern))},`
  return `{${by}"channel":${name},"message":${text}}`
}

/** Comma-separated names of the queries. Throws BadValue if there is none. */
function namesOf({ incoming }: RawCall) {
  const query = new URL(incoming.url ?? '', 'http://localhost').searchParams
  const given = (kind: NameKind) => (query.get(kind) ?? '').split(',').filter((name) => name !== '')
  const [channels, patterns] = [given('channels'), given('patterns')]
  if (channels.length + patterns.length > 0) return { channels, patterns }
  throw fail('BadValue', "query 'channels' or 'patterns' must name a channel")
}
