// Key-value commands over one store for tests: words go in and replies come out as plain data, on
// the path that the listener uses, without a socket. Suites of containers run at every bound
// between small and large.

import type { Test } from 'tap'
import { Slice } from '../../src/base/bytes/slice.js'
import { systemRandom } from '../../src/base/clock.js'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { type Log, silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import type { KeyValueBus } from '../../src/bus/keyvalue/bus.js'
import { Lane } from '../../src/bus/keyvalue/clients/lane.js'
import { KeyValueSession } from '../../src/bus/keyvalue/clients/session.js'
import type { Reply } from '../../src/bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../src/bus/keyvalue/row.js'
import type { RunningCall } from '../../src/bus/keyvalue/running-call.js'
import { Metering } from '../../src/bus/metering.js'
import { HomeLimit, type HomeLimits } from '../../src/bus/spaces/home-limit.js'
import { SpaceChoice } from '../../src/bus/spaces/space-choice.js'
import { wantedRule } from '../../src/bus/spaces/space-rule.js'
import { Engine } from '../../src/engine/engine.js'
import { type InlineBounds, usualBounds } from '../../src/engine/keyspace/work.js'
import { type KeyValueOptions, openKeyValue } from '../../src/gateway/key-value.js'
import { type Identity, operator } from '../../src/identity/identity.js'
import { RespRequest } from '../../src/protocol/resp/request.js'
import type { Store } from '../../src/store/store.js'
import { ManualClock, tickPace } from './engine-room.js'
import type { StoreKind } from './store-kinds.js'
import { eachStore } from './stores.js'

export type Word = string | number | Uint8Array

/** Containers as records at once, beyond one member, and as usual. */
export const boundsCases: Readonly<Record<string, InlineBounds>> = {
  'always large': { members: 0, bytes: usualBounds.bytes },
  'large beyond one': { members: 1, bytes: usualBounds.bytes },
  usual: usualBounds,
}

/** One client; commands that are sent without waiting are a pipeline. */
export class RoomClient {
  readonly session: KeyValueSession
  /** What it was sent besides replies. */
  readonly pushed: unknown[] = []
  private readonly lane: Lane
  private readonly waiting: ((reply: unknown) => void)[] = []
  private readonly queue: RespRequest[] = []
  private isPumping = false

  constructor(
    readonly bus: KeyValueBus,
    id: number,
    identity: Identity,
    space?: string,
  ) {
    this.session = new KeyValueSession({
      ...{ protocol: 'resp', id, identity, nowMs: 0, place: bus.placeOf(identity, space) },
      remoteAddress: `127.0.0.1:${50_000 + id}`,
      local: '127.0.0.1:6379',
      socket: {
        push: (message) => this.pushed.push(plain(message)),
        end: () => {
          this.session.isEnding = true
        },
        destroy: () => {
          this.session.closed = true
        },
      },
    })
    this.lane = new Lane(bus, this.session, {
      deliver: (call: RunningCall) => {
        this.waiting.shift()?.(plain(call.reply))
        queueMicrotask(() => this.goOn())
      },
      // Replies and what is pushed are kept apart here.
      joined: () => {},
      resumed: () => this.pump(),
    })
    bus.services.clients.add(this.session)
  }

  /** The reply as plain data: see `plain`. */
  run(...words: readonly Word[]): Promise<unknown> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.queue.push(requestOf(words))
      if (this.isPumping) return
      this.isPumping = true
      queueMicrotask(() => {
        this.isPumping = false
        this.pump()
      })
    })
  }

  /** `run` of a line of words without spaces. */
  line(text: string): Promise<unknown> {
    return this.run(...text.split(' '))
  }

  /** The client goes. */
  close(): void {
    this.session.closed = true
    this.bus.closed(this.session)
    this.bus.services.clients.remove(this.session)
  }

  /** Replies are taken at once here: what was put off for want of room goes on. */
  private goOn(): void {
    if (!this.lane.hasDeferred) return
    this.lane.goOn()
    this.pump()
  }

  private pump(): void {
    while (!this.lane.isBusy) {
      const request = this.queue.shift()
      if (request === undefined) {
        this.lane.flush()
        return
      }
      this.lane.submit(this.bus.table.find(request.text(0)), request)
    }
  }
}

export class KeyValueRoom extends RoomClient {
  private clients = 1

  constructor(
    override readonly bus: KeyValueBus,
    readonly engine: Engine,
    readonly store: Store,
    readonly clock: ManualClock,
  ) {
    super(bus, 1, operator)
  }

  /** A further client. */
  client(identity: Identity = operator, space?: string): RoomClient {
    return new RoomClient(this.bus, ++this.clients, identity, space)
  }
}

export interface KeyValueRoomOptions {
  readonly kinds?: readonly StoreKind[]
  readonly notShared?: string
  readonly bounds?: InlineBounds
  readonly settings?: Readonly<Record<string, string>>
  readonly rows?: readonly KeyValueRow[]
  readonly log?: Log
  readonly homes?: HomeLimits
  /** Who may do what; without it there are only operators and anonymous clients. */
  readonly rights?: Rights | ((store: Store, clock: ManualClock) => Rights)
}

type Rights = Pick<KeyValueOptions, 'rules' | 'revocation' | 'audit' | 'quotas'>

/** One body of assertions over the commands on each store. */
export async function eachKeyValueRoom(
  t: Test,
  name: string,
  body: (t: Test, room: KeyValueRoom) => Promise<void>,
  options: KeyValueRoomOptions = {},
): Promise<void> {
  const clock = new ManualClock()
  const { kinds, notShared } = options
  await eachStore(
    t,
    name,
    async (t, { store }) => {
      const room = await openKeyValueRoom(store, clock, options)
      await body(t, room)
      await closeRoom(room)
    },
    {
      clock,
      ...(kinds === undefined ? {} : { kinds }),
      ...(notShared === undefined ? {} : { notShared }),
    },
  )
}

/** The commands on a store; `closeRoom` ends them. */
export async function openKeyValueRoom(
  store: Store,
  clock: ManualClock,
  options: KeyValueRoomOptions = {},
): Promise<KeyValueRoom> {
  const { bounds, log = silentLog } = options
  const parts = { store, clock, random: systemRandom, log }
  // One space for all, as most suites of commands are about; others name a rule.
  const settings = readSettings({ SHARED_SPACES: 'shared', ...options.settings })
  const memory = new MemoryAccount(settings.MEMORY_BUDGET)
  const engine = new Engine({ ...parts, pace: tickPace, memory })
  const bus = await openKeyValue({
    ...{ engine, clock, random: systemRandom, log, version: '0.0.0' },
    settings,
    spaces: new SpaceChoice(settings.DATABASE, wantedRule(settings)),
    ...(options.homes === undefined ? {} : { homes: new HomeLimit(clock, options.homes) }),
    credentials: {
      account: () => {
        throw new Error('no logins by SCRAM in this room')
      },
      identityOf: (user, key) => (user === 'operator' && key === roomKey ? operator : undefined),
      identify: (key) => (key === roomKey ? operator : undefined),
    },
    counters: new Metering(clock.elapsed()),
    ...(bounds === undefined ? {} : { bounds }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
    ...(typeof options.rights === 'function' ? options.rights(store, clock) : options.rights),
  })
  return new KeyValueRoom(bus, engine, store, clock)
}

/** The store stays open. */
export async function closeRoom(room: KeyValueRoom): Promise<void> {
  room.close()
  await room.engine.close()
}

/** The operator's key in these rooms. */
export const roomKey = 'svc_op_room'

/** As eachKeyValueRoom, once for each of boundsCases. */
export async function eachBound(
  t: Test,
  name: string,
  body: (t: Test, room: KeyValueRoom) => Promise<void>,
  options: KeyValueRoomOptions = {},
): Promise<void> {
  for (const [title, bounds] of Object.entries(boundsCases)) {
    await eachKeyValueRoom(t, `${name}, ${title}`, body, { ...options, bounds })
  }
}

/**
 * Bulk and simple strings as strings (bytes that are no UTF-8 as a Buffer), errors as `{error}`,
 * both nils as null, doubles as numbers, maps, sets and scores as flat arrays, no reply as
 * undefined.
 */
export function plain(reply: Reply): unknown {
  if (reply instanceof Slice) return textOrBytes(reply)
  if (reply instanceof Uint8Array) return textOrBytes(Slice.of(reply))
  if (reply === null || typeof reply !== 'object') return reply
  if (!('kind' in reply)) return reply.map(plain)
  switch (reply.kind) {
    case 'simple':
    case 'verbatim':
      return reply.text
    case 'error':
      return { error: reply.text }
    case 'nullArray':
      return null
    case 'double':
      return reply.value
    case 'none':
      return undefined
    case 'map':
    case 'scored':
      return reply.pairs.map(plain)
    default:
      return reply.items.map(plain)
  }
}

function textOrBytes(slice: Slice): string | Buffer {
  return slice.isText() ? slice.text() : Buffer.from(slice.view())
}

export function requestOf(words: readonly Word[]): RespRequest {
  const parts = words.map((word) =>
    typeof word === 'object' ? Buffer.from(word) : Buffer.from(String(word)),
  )
  const table: number[] = []
  let at = 0
  for (const part of parts) {
    table.push(at, at + part.length)
    at += part.length
  }
  return new RespRequest(
    Uint8Array.from(Buffer.concat(parts)),
    Int32Array.from(table),
    0,
    parts.length,
  )
}
