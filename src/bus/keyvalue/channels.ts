// Publish and subscribe: who listens to which channel or pattern, over all protocols of this
// process. A message is copied once for all who get it, and nothing is kept for who is not there.
// Whether somebody may read is asked again for each message. (docs/rights.md, "When rights end")

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Bytes, mapKey } from '../../base/bytes.js'
import type { Clock } from '../../base/clock.js'
import { Glob } from '../../base/glob.js'
import { matchTurnMs } from '../../base/limits.js'
import { Slice } from '../../base/slice.js'
import { findNamespace } from '../../engine/collection/catalog.js'
import { channelsName } from '../../engine/collection/server-collections.js'
import { nameOf } from '../../engine/keyspace/keyspaces.js'
import type { Access } from '../../engine/types.js'
import type { Allow, Asked } from '../../identity/allow.js'
import { accountOf, type Identity, type RevocableIdentity } from '../../identity/identity.js'
import { isRevocable, type Standing, standingNow } from '../../identity/standing.js'
import type { Awaitable, Program, ReadTx, Store } from '../../store/store.js'
import type { Quotas } from '../quota.js'
import { askedOf } from './key-rights.js'
import { push, type Reply } from './reply.js'

/** One message as a subscriber gets it; a subscription by pattern gets its own. */
export interface Message {
  readonly pattern: Bytes | undefined
  readonly channel: Bytes
  readonly payload: Bytes
  /** The same as a frame of the key-value protocol. */
  readonly frame: Reply
}

/** A client that listens, of whatever protocol. */
export class Subscriber {
  /** By the latin1 reading of their bytes. */
  readonly channels = new Map<string, Bytes>()
  readonly patterns = new Map<string, Bytes>()
  /** Whose subscriptions they are, however it signs in later. */
  readonly wallet: string | undefined

  constructor(
    /** Whose rights it has at that moment. */
    readonly session: { readonly identity: Identity },
    readonly receive: (message: Message) => void,
  ) {
    this.wallet = accountOf(session.identity)
  }

  /** Channels and patterns together. */
  get count(): number {
    return this.channels.size + this.patterns.size
  }
}

interface Pattern {
  readonly bytes: Bytes
  readonly glob: Glob
  readonly subscribers: Set<Subscriber>
}

export type NameKind = 'channels' | 'patterns'

/** What decides who listens: the rights of the collection `pubsub`, which all channels are. */
export interface ChannelsOptions {
  readonly store: Store
  /** The database that `pubsub` lies in. */
  readonly database: string
  readonly allow: Allow
  readonly standing: Standing
  readonly clock: Clock
  /** What each wallet may have; without it there is no bound. */
  readonly quotas?: Pick<Quotas, 'subscribe' | 'unsubscribe'>
}

/** A message on its way to those who listen to the channel or to one pattern. */
interface Delivery {
  readonly subscribers: ReadonlySet<Subscriber>
  readonly message: Message
}

/** What was looked up for a message: the rights of the channels, and who stands as what. */
interface Looked {
  readonly access: Access | undefined
  readonly standing: ReadonlyMap<Identity, Identity>
}

export class Channels {
  private readonly channels = new Map<string, Set<Subscriber>>()
  private readonly patterns = new Map<string, Pattern>()

  constructor(private readonly options: ChannelsOptions) {}

  /** Channels that somebody listens to, and patterns: INFO. */
  get channelCount(): number {
    return this.channels.size
  }

  get patternCount(): number {
    return this.patterns.size
  }

  /** For the decision about a service user: the channels are a collection. */
  get asked(): Asked {
    return askedOf({ db: this.options.database, name: channelsName }, 'publish')
  }

  /** Of the key-value databases, which are all alike to a service user. */
  private get keysAsked(): Asked {
    return askedOf({ db: this.options.database, name: nameOf(0) }, 'publish')
  }

  /** To listen is to read, to publish is to write. */
  *access(tx: ReadTx): Program<Access | undefined> {
    return (yield* findNamespace(tx, this.options.database, channelsName))?.access
  }

  subscribe(subscriber: Subscriber, name: Slice): void {
    const key = mapKey(name.view())
    if (subscriber.channels.has(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.subscribe(subscriber.wallet)
    subscriber.channels.set(key, name.copy())
    const known = this.channels.get(key)
    if (known === undefined) this.channels.set(key, new Set([subscriber]))
    else known.add(subscriber)
  }

  subscribePattern(subscriber: Subscriber, name: Slice): void {
    const key = mapKey(name.view())
    if (subscriber.patterns.has(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.subscribe(subscriber.wallet)
    const bytes = name.copy()
    subscriber.patterns.set(key, bytes)
    const known = this.patterns.get(key)
    if (known !== undefined) known.subscribers.add(subscriber)
    else {
      const glob = new Glob(Slice.of(bytes))
      this.patterns.set(key, { bytes, glob, subscribers: new Set([subscriber]) })
    }
  }

  /** Nothing happens where it does not listen to it. */
  unsubscribe(subscriber: Subscriber, kind: NameKind, name: Slice): void {
    this.drop(subscriber, kind, mapKey(name.view()))
  }

  /** The client is gone, or wants to hear nothing more. */
  leave(subscriber: Subscriber): void {
    for (const key of [...subscriber.channels.keys()]) this.drop(subscriber, 'channels', key)
    for (const key of [...subscriber.patterns.keys()]) this.drop(subscriber, 'patterns', key)
  }

  /**
   * Hands a message to everybody who listens; answers how many subscriptions that were. `also` is
   * what a reader needs besides: the rights of the database that an event comes from.
   */
  publish(channel: Slice, payload: Slice, also?: Access): Awaitable<number> {
    const { channels, patterns } = this
    const listeners = channels.size === 0 ? undefined : channels.get(mapKey(channel.view()))
    if (listeners === undefined && patterns.size === 0) return 0
    const copy = new Copy(channel, payload)
    const deliveries: Delivery[] = []
    if (listeners !== undefined) {
      deliveries.push({ subscribers: listeners, message: copy.message() })
    }
    const matching = this.matching(copy, deliveries)
    if (matching.next().done === true) return this.send(deliveries, also)
    return toItsEnd(matching).then(() => this.send(deliveries, also))
  }

  /** Adds those who listen to a pattern that matches; pauses after its share of a turn. */
  private *matching(copy: Copy, deliveries: Delivery[]): Generator<undefined, void> {
    const { clock } = this.options
    let untilMs = clock.elapsed() + matchTurnMs
    for (const { bytes, glob, subscribers } of this.patterns.values()) {
      if (glob.matches(copy.name)) deliveries.push({ subscribers, message: copy.message(bytes) })
      if (clock.elapsed() < untilMs) continue
      copy.keep()
      yield undefined
      untilMs = clock.elapsed() + matchTurnMs
    }
  }

  private send(deliveries: readonly Delivery[], also: Access | undefined): number {
    const looked = this.look(deliveries)
    if (!(looked instanceof Promise)) return this.deliver(deliveries, looked, also)
    // A store that does not answer at once: who the message goes to is known behind the reply.
    looked.then((found) => this.deliver(deliveries, found, also))
    return deliveries.reduce((sum, { subscribers }) => sum + subscribers.size, 0)
  }

  /** Undefined where all who listen are operators, of whom nothing is asked. */
  private look(deliveries: readonly Delivery[]): Awaitable<Looked | undefined> {
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
    const { store, standing, clock } = this.options
    const access = store.read((tx) => this.access(tx))
    const stands = standingNow(store, standing, wallets, clock.now())
    if (access instanceof Promise || stands instanceof Promise) {
      return Promise.all([access, stands]).then(([access, standing]) => ({ access, standing }))
    }
    return { access, standing: stands }
  }

  /** Names of channels that somebody listens to. */
  names(matching?: Glob): Awaitable<Bytes[]> {
    const found: Bytes[] = []
    const naming = this.naming(found, matching)
    if (naming.next().done === true) return found
    return toItsEnd(naming).then(() => found)
  }

  private *naming(found: Bytes[], matching: Glob | undefined): Generator<undefined, void> {
    const { clock } = this.options
    let untilMs = clock.elapsed() + matchTurnMs
    for (const key of this.channels.keys()) {
      const bytes = Buffer.from(key, 'latin1')
      if (matching === undefined || matching.matchesBytes(bytes)) found.push(bytes)
      if (clock.elapsed() < untilMs) continue
      yield undefined
      untilMs = clock.elapsed() + matchTurnMs
    }
  }

  /** Clients that listen to a channel by its name. */
  listeners(channel: Slice): number {
    return this.channels.get(mapKey(channel.view()))?.size ?? 0
  }

  private deliver(
    deliveries: readonly Delivery[],
    looked: Looked | undefined,
    also: Access | undefined,
  ): number {
    let receivers = 0
    for (const { subscribers, message } of deliveries) {
      for (const subscriber of subscribers) {
        if (!this.hears(subscriber.session.identity, looked, also)) continue
        subscriber.receive(message)
        receivers++
      }
    }
    return receivers
  }

  private hears(identity: Identity, looked: Looked | undefined, also?: Access): boolean {
    if (identity.kind === 'operator') return true
    const current = isRevocable(identity) ? looked?.standing.get(identity) : identity
    if (looked === undefined || current === undefined) return false
    const { allow } = this.options
    if (!allow(current, 'read', looked.access, this.asked)) return false
    return also === undefined || allow(current, 'read', also, this.keysAsked)
  }

  private drop(subscriber: Subscriber, kind: NameKind, key: string): void {
    if (!subscriber[kind].delete(key)) return
    if (subscriber.wallet !== undefined) this.options.quotas?.unsubscribe(subscriber.wallet)
    if (kind === 'channels') {
      const known = this.channels.get(key)
      if (known?.delete(subscriber) && known.size === 0) this.channels.delete(key)
    } else {
      const known = this.patterns.get(key)?.subscribers
      if (known?.delete(subscriber) && known.size === 0) this.patterns.delete(key)
    }
  }
}

/** Goes on with what has paused, others having their turn in between. */
async function toItsEnd(work: Iterator<undefined, void>): Promise<void> {
  do await nextTurn()
  while (work.next().done !== true)
}

/** A message outlives the chunk that it came in: it is copied, once and when somebody gets it. */
class Copy {
  private channel: Bytes | undefined
  private payload: Bytes | undefined

  constructor(
    public name: Slice,
    private readonly content: Slice,
  ) {}

  /** Before a pause, behind which the chunk may hold something else. */
  keep(): void {
    this.channel ??= this.name.copy()
    this.payload ??= this.content.copy()
    this.name = Slice.of(this.channel)
  }

  message(pattern?: Bytes): Message {
    this.channel ??= this.name.copy()
    this.payload ??= this.content.copy()
    const { channel, payload } = this
    const frame =
      pattern === undefined
        ? push(['message', channel, payload])
        : push(['pmessage', pattern, channel, payload])
    return { pattern, channel, payload, frame }
  }
}
