// Publish and subscribe: the subscribers of channels and patterns, for all protocols of this
// process. A message is copied once for all receivers; absent clients get nothing. Every message
// checks again which clients may read it. (docs/rights.md, "When rights end")

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { Glob } from '../../../base/bytes/glob.js'
import { Slice } from '../../../base/bytes/slice.js'
import type { Clock } from '../../../base/clock.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit, entryUnits, turnUnits, wordUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { channelsName, keyspaceName } from '../../../engine/collection/catalog/homes.js'
import { findReserved } from '../../../engine/collection/catalog/reservations.js'
import type { Space } from '../../../engine/keyspace/spaces.js'
import type { Access } from '../../../engine/types.js'
import { accountOf, type Identity, type RevocableIdentity } from '../../../identity/identity.js'
import { type Allow, type Asked, askedOf } from '../../../identity/rights/allow.js'
import {
  isRevocable,
  type RevocationCheck,
  stillValid,
} from '../../../identity/rights/revocation-check.js'
import type { Awaitable, Program, ReadTx, Store } from '../../../store/store.js'
import type { Quotas } from '../../quota.js'
import { push, type Reply } from '../reply.js'

/** One message for a subscriber. A subscription by pattern gets its own, with the pattern. */
export interface Message {
  readonly pattern: Bytes | undefined
  readonly channel: Bytes
  readonly payload: Bytes
  /** The session of the SQL port that sent it; 0 for a client of another protocol. */
  readonly sender: number
  /** The same message as a frame of the key-value protocol. */
  readonly frame: Reply
}

/** A client that subscribes, over any protocol. */
export class Subscriber {
  /** Keyed by the latin1 text of their bytes. */
  readonly channels = new Map<string, Bytes>()
  readonly patterns = new Map<string, Bytes>()
  /** The wallet that these subscriptions count for, even after another login. */
  readonly wallet: string | undefined

  constructor(
    /** The session whose current rights apply. */
    readonly session: { readonly identity: Identity },
    /** The space of the channels. */
    readonly space: Space,
    readonly receive: (message: Message) => void,
  ) {
    this.wallet = accountOf(session.identity)
  }

  /** Number of channels and patterns. */
  get count(): number {
    return this.channels.size + this.patterns.size
  }
}

interface Pattern {
  readonly bytes: Bytes
  readonly glob: Glob
  readonly subscribers: Set<Subscriber>
}

/** A message that is the event of a key: its readers need the rights of the database too. */
export interface EventOf {
  /** Number of the database. */
  readonly index: number
  readonly access: Access
}

/** The other gateways of the store. */
interface Elsewhere {
  /** Whether one of them may have subscribers. */
  readonly isHeard: boolean
  send(space: Space, channel: Slice, payload: Slice, of: EventOf | undefined): void
}

export type NameKind = 'channels' | 'patterns'

/** The rights of the collection `pubsub` of the space decide who may subscribe. */
interface ChannelsOptions {
  readonly store: Store
  readonly allow: Allow
  readonly revocation: RevocationCheck
  readonly clock: Clock
  /** Quotas of wallets; no limits without it. */
  readonly quotas?: Pick<Quotas, 'subscribe' | 'unsubscribe'>
}

/** A message with the subscribers of its channel, or of one pattern. */
interface Delivery {
  readonly subscribers: ReadonlySet<Subscriber>
  readonly message: Message
}

/** What a message needs for its checks: the rights of the channels, and the valid identities. */
interface ChannelRights {
  readonly access: Access | undefined
  readonly valid: ReadonlyMap<Identity, Identity>
}

/** The channels of one space that have subscribers. */
class Hub {
  readonly channels = new Map<string, Set<Subscriber>>()
  readonly patterns = new Map<string, Pattern>()

  get isEmpty(): boolean {
    return this.channels.size === 0 && this.patterns.size === 0
  }
}

const noHub = new Hub()

export class Channels {
  /** One hub for each space with subscribers. */
  private readonly hubs = new Map<Space, Hub>()
  /** The last message in paused delivery; later messages wait for it, to keep the order. */
  private sending: Promise<void> | undefined
  /** Set if other gateways share the store. */
  elsewhere: Elsewhere | undefined

  constructor(private readonly options: ChannelsOptions) {}

  /** Whether no channel has a subscriber. */
  get isSilent(): boolean {
    return this.hubs.size === 0 && this.elsewhere?.isHeard !== true
  }

  /** Whether a client of this gateway subscribes to something in the space. */
  isHeardIn(space: Space): boolean {
    return this.hubs.has(space)
  }

  /** Number of channels of a space with subscribers, for INFO. */
  channelCount(space: Space): number {
    return this.hubOf(space).channels.size
  }

  patternCount(space: Space): number {
    return this.hubOf(space).patterns.size
  }

  /** The resource for the rights decision of a service user: the channels are a collection. */
  askedOf({ database }: Space): Asked {
    return askedOf({ db: database, name: channelsName })
  }

  /** As askedOf, for key-value databases, which have equal rights for a service user. */
  private keysAskedOf({ database }: Space): Asked {
    return askedOf({ db: database, name: keyspaceName(0) })
  }

  /** Subscribing needs the privilege `read`, publishing needs `write`. */
  *access(tx: ReadTx, space: Space): Program<Access> {
    const { database } = space
    const found = yield* findNamespace(tx, database, channelsName)
    if (found !== undefined) return found.access
    return (yield* findReserved(tx, database, channelsName)) ?? space.access
  }

  private hubOf(space: Space): Hub {
    return this.hubs.get(space) ?? noHub
  }

  /** The hub of the space; creates it for its first subscriber. */
  private openHub(space: Space): Hub {
    const hub = this.hubs.get(space) ?? new Hub()
    this.hubs.set(space, hub)
    return hub
  }

  subscribe(subscriber: Subscriber, name: Slice): void {
    const key = name.mapKey()
    if (subscriber.channels.has(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.subscribe(subscriber.wallet)
    subscriber.channels.set(key, name.copy())
    const { channels } = this.openHub(subscriber.space)
    const known = channels.get(key)
    if (known === undefined) channels.set(key, new Set([subscriber]))
    else known.add(subscriber)
  }

  subscribePattern(subscriber: Subscriber, name: Slice): void {
    const key = name.mapKey()
    if (subscriber.patterns.has(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.subscribe(subscriber.wallet)
    const bytes = name.copy()
    subscriber.patterns.set(key, bytes)
    const { patterns } = this.openHub(subscriber.space)
    const known = patterns.get(key)
    if (known !== undefined) known.subscribers.add(subscriber)
    else {
      const glob = new Glob(Slice.of(bytes))
      patterns.set(key, { bytes, glob, subscribers: new Set([subscriber]) })
    }
  }

  /** No effect without such a subscription. */
  unsubscribe(subscriber: Subscriber, kind: NameKind, name: Slice): void {
    this.drop(subscriber, kind, name.mapKey())
  }

  /** Ends all subscriptions of the client. */
  leave(subscriber: Subscriber): void {
    for (const key of [...subscriber.channels.keys()]) this.drop(subscriber, 'channels', key)
    for (const key of [...subscriber.patterns.keys()]) this.drop(subscriber, 'patterns', key)
  }

  /**
   * Delivers a message to all subscribers of a space; returns the number of subscriptions at this
   * gateway. With `of`, readers need the rights of that database too.
   */
  publish(
    space: Space,
    channel: Slice,
    payload: Slice,
    of?: EventOf,
    sender = 0,
  ): Awaitable<number> {
    this.elsewhere?.send(space, channel, payload, of)
    return this.publishHere(space, channel, payload, of, sender)
  }

  /** As publish, to the clients of this gateway alone. */
  publishHere(
    space: Space,
    channel: Slice,
    payload: Slice,
    of?: EventOf,
    sender = 0,
  ): Awaitable<number> {
    const also = of?.access
    const { channels, patterns } = this.hubOf(space)
    const listeners = channels.size === 0 ? undefined : channels.get(channel.mapKey())
    if (listeners === undefined && patterns.size === 0) return 0
    const copy = new Copy(channel, payload, sender)
    const deliveries: Delivery[] = []
    if (listeners !== undefined) {
      deliveries.push({ subscribers: listeners, message: copy.message() })
    }
    const matching = this.matching(patterns, copy, deliveries)
    const isMatched = matching.next().done === true
    const isShort = isMatched && receiversOf(deliveries) <= receiversAtOnce
    // On a shared store rights are read at once, and the message waits for its turn.
    if (isShort && (this.sending === undefined || this.options.store.ownsData !== true)) {
      const rights = this.check(space, deliveries)
      if (rights instanceof Promise) {
        // The reply is sent before the rights of the receivers are known.
        rights.catch(() => undefined)
        this.inTurn(() => rights.then((found) => this.deliver(deliveries, found, also)))
        return receiversOf(deliveries)
      }
      if (this.sending === undefined) return this.deliver(deliveries, rights, also)
    }
    copy.keep()
    return this.inTurn(() => this.sendLater(space, matching, deliveries, also))
  }

  /** Delivers when all messages before are delivered. */
  private inTurn(deliver: () => Promise<number>): Promise<number> {
    const before = this.sending ?? Promise.resolve()
    const sent = before.then(deliver)
    const over = sent
      .catch(() => undefined)
      .then(() => {
        if (this.sending === over) this.sending = undefined
      })
    this.sending = over
    return sent
  }

  /** Adds the subscribers of matching patterns; pauses when its share of a turn is used. */
  private *matching(
    patterns: ReadonlyMap<string, Pattern>,
    copy: Copy,
    deliveries: Delivery[],
  ): Generator<undefined, void> {
    let turnEnd = work.spent + turnUnits
    for (const { bytes, glob, subscribers } of patterns.values()) {
      work.note(wordUnits)
      if (glob.matches(copy.name)) deliveries.push({ subscribers, message: copy.message(bytes) })
      if (work.spent < turnEnd) continue
      copy.keep()
      yield undefined
      turnEnd = work.spent + turnUnits
    }
  }

  /** Delivers with pauses, for many receivers or a long search. */
  private async sendLater(
    space: Space,
    matching: Iterator<undefined, void>,
    deliveries: Delivery[],
    also: Access | undefined,
  ): Promise<number> {
    while (matching.next().done !== true) await nextTurn()
    const rights = await this.check(space, deliveries)
    const turns = new WorkTurns()
    let receivers = 0
    for (const { subscribers, message } of deliveries) {
      // Subscriptions may change during the pauses.
      for (const subscriber of [...subscribers]) {
        if (!subscribers.has(subscriber)) continue
        receivers += this.deliverTo(subscriber, message, rights, also)
        if (turns.isDue) await turns.pause()
      }
    }
    return receivers
  }

  /** Undefined if all subscribers are operators, who need no check. */
  private check(
    space: Space,
    deliveries: readonly Delivery[],
  ): Awaitable<ChannelRights | undefined> {
    const wallets = new Set<RevocableIdentity>()
    let isAsked = false
    for (const { subscribers } of deliveries) {
      for (const { session } of subscribers) {
        const { identity } = session
        if (identity.kind === 'operator') continue
        isAsked = true
        if (isRevocable(identity)) wallets.add(identity)
      }
    }
    if (!isAsked) return undefined
    const { store, revocation, clock } = this.options
    const access = store.read((tx) => this.access(tx, space))
    const stands = stillValid(store, revocation, wallets, clock.now())
    if (access instanceof Promise || stands instanceof Promise) {
      return Promise.all([access, stands]).then(([access, valid]) => ({ access, valid }))
    }
    return { access, valid: stands }
  }

  /** Names of channels of a space with subscribers. */
  names(space: Space, matching?: Glob): Awaitable<Bytes[]> {
    const found: Bytes[] = []
    const naming = this.naming(this.hubOf(space), found, matching)
    if (naming.next().done === true) return found
    return toItsEnd(naming).then(() => found)
  }

  private *naming(
    { channels }: Hub,
    found: Bytes[],
    matching: Glob | undefined,
  ): Generator<undefined, void> {
    let turnEnd = work.spent + turnUnits
    for (const [key, [subscriber]] of channels) {
      const bytes = (subscriber as Subscriber).channels.get(key) as Bytes
      if (matching === undefined || matching.matchesBytes(bytes)) found.push(bytes)
      work.note(wordUnits)
      if (work.spent < turnEnd) continue
      yield undefined
      turnEnd = work.spent + turnUnits
    }
  }

  /** Number of subscribers of a channel, without those of patterns. */
  listeners(space: Space, channel: Slice): number {
    return this.hubOf(space).channels.get(channel.mapKey())?.size ?? 0
  }

  private deliver(
    deliveries: readonly Delivery[],
    rights: ChannelRights | undefined,
    also: Access | undefined,
  ): number {
    let receivers = 0
    for (const { subscribers, message } of deliveries) {
      for (const subscriber of subscribers) {
        receivers += this.deliverTo(subscriber, message, rights, also)
      }
    }
    return receivers
  }

  private deliverTo(
    subscriber: Subscriber,
    message: Message,
    rights: ChannelRights | undefined,
    also: Access | undefined,
  ): 0 | 1 {
    if (!this.hears(subscriber, rights, also)) return 0
    work.note(entryUnits + message.payload.length / bytesPerUnit)
    subscriber.receive(message)
    return 1
  }

  private hears(
    { session, space }: Subscriber,
    rights: ChannelRights | undefined,
    also?: Access,
  ): boolean {
    const { identity } = session
    if (identity.kind === 'operator') return true
    const current = isRevocable(identity) ? rights?.valid.get(identity) : identity
    if (rights === undefined || current === undefined) return false
    const { allow } = this.options
    if (!allow(current, 'read', rights.access, this.askedOf(space))) return false
    return also === undefined || allow(current, 'read', also, this.keysAskedOf(space))
  }

  private drop(subscriber: Subscriber, kind: NameKind, key: string): void {
    if (!subscriber[kind].delete(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.unsubscribe(subscriber.wallet)
    const hub = this.hubOf(subscriber.space)
    if (kind === 'channels') {
      const known = hub.channels.get(key)
      if (known?.delete(subscriber) && known.size === 0) hub.channels.delete(key)
    } else {
      const known = hub.patterns.get(key)?.subscribers
      if (known?.delete(subscriber) && known.size === 0) hub.patterns.delete(key)
    }
    if (hub.isEmpty) this.hubs.delete(subscriber.space)
  }
}

/** With more receivers, a message is delivered with pauses. */
const receiversAtOnce = 500

function receiversOf(deliveries: readonly Delivery[]): number {
  return deliveries.reduce((sum, { subscribers }) => sum + subscribers.size, 0)
}

/** Finishes paused work, one turn after the other. */
async function toItsEnd(work: Iterator<undefined, void>): Promise<void> {
  do await nextTurn()
  while (work.next().done !== true)
}

/** Copies a message once, for its first receiver, because it outlives its chunk. */
class Copy {
  private channel: Bytes | undefined
  private payload: Bytes | undefined

  constructor(
    public name: Slice,
    private readonly content: Slice,
    private readonly sender: number,
  ) {}

  /** Copies before a pause: after it the chunk may hold other data. */
  keep(): void {
    this.channel ??= this.name.copy()
    this.payload ??= this.content.copy()
    this.name = Slice.of(this.channel)
  }

  message(pattern?: Bytes): Message {
    this.channel ??= this.name.copy()
    this.payload ??= this.content.copy()
    const { channel, payload, sender } = this
    const frame =
      pattern === undefined
        ? push(['message', channel, payload])
        : push(['pmessage', pattern, channel, payload])
    return { pattern, channel, payload, sender, frame }
  }
}
