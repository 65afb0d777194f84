// One key-value client: its database, its protocol, its transaction, its name. Commands read and
// change it; the listener made it and writes what is pushed to it.

import type { ByteShare } from '../../../base/heap/byte-shares.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import type { Identity } from '../../../identity/identity.js'
import type { Program } from '../../../store/store.js'
import { Session, type SessionProtocol } from '../../session.js'
import type { OpenPlaces } from '../programs/open-places.js'
import type { Reply } from '../reply.js'
import type { Subscriber } from './channels.js'

export type RespVersion = 2 | 3

/** What a client is sent besides its replies. */
export interface ClientSocket {
  /** Writes a message as soon as the replies before it are written. */
  push(message: Reply): void
  /** Closes it behind what is owed to it, or at once. */
  end(): void
  destroy(): void
  /** The client waits for what others do. */
  blocked?(): void
}

export interface KeyValueSessionOptions {
  readonly protocol: SessionProtocol
  readonly id: number
  /** `address:port` of the client and of us. */
  readonly remoteAddress: string
  readonly local: string
  readonly identity: Identity
  /** Database 0 of the space that it begins in. */
  readonly place: Place
  /** Monotonic milliseconds. */
  readonly nowMs: number
  readonly socket: ClientSocket
}

/** Between MULTI and EXEC; the executor keeps the commands. */
export class Multi {
  /** Commands that are queued. */
  size = 0
  /** Of their words. */
  argumentBytes = 0
  /** What the queue takes, reckoned. */
  bytes = 0
  /** Of memory, where it takes more than a little. */
  room: ByteShare | undefined = undefined
  /** A command was refused while queueing: EXEC will be too. */
  isPoisoned = false
}

export class KeyValueSession extends Session {
  readonly local: string
  readonly socket: ClientSocket
  readonly createdMs: number
  /** When its last command came, monotonic milliseconds. */
  lastMs: number
  lastCommand = ''
  /** The key-value database that it works on: of its home, unless it has named another space. */
  place: Place
  /** What replies are written in from now on. */
  respVersion: RespVersion = 2
  /** CLIENT SETNAME and SETINFO. */
  name = ''
  libName = ''
  libVersion = ''
  multi: Multi | undefined = undefined
  /** Of memory, for what EXEC has taken over and has not answered. */
  executing: ByteShare | undefined = undefined
  /** Of WATCH: set by watched-keys.ts. */
  watches: Watches | undefined = undefined
  /** What it listens to: there once it has subscribed to something. */
  subscriber: Subscriber | undefined = undefined
  isMonitor = false
  /** Bytes of the replies that were made since some could last be taken. */
  replyBytes = 0
  isBlocked = false
  /**
   * CLIENT REPLY: `skipNext` becomes `skip` behind it, which leaves out a reply and becomes `on`.
   */
  replies: 'on' | 'off' | 'skip' | 'skipNext' = 'on'
  /** CLIENT NO-EVICT. */
  keepsBuffers = false
  /** Set by QUIT and CLIENT KILL: no further command is taken. */
  isEnding = false
  /** Who it is before AUTH and after RESET. */
  readonly initial: Identity
  /** The identity that was looked at last, and what it turned out to be. */
  private lookedAt: Identity
  private found: Identity

  constructor(options: KeyValueSessionOptions) {
    super(options)
    this.local = options.local
    this.socket = options.socket
    this.createdMs = options.nowMs
    this.lastMs = options.nowMs
    this.initial = options.identity
    this.place = options.place
    this.lookedAt = options.identity
    this.found = options.identity
  }

  /** Who it is, as it stood when that was last looked at: before each command and program. */
  get current(): Identity {
    return this.lookedAt === this.identity ? this.found : this.identity
  }

  set current(identity: Identity) {
    this.lookedAt = this.identity
    this.found = identity
  }

  /** Number of the selected database. */
  get database(): number {
    return this.place.index
  }

  get isAnonymous(): boolean {
    return this.identity.kind === 'anonymous'
  }

  /** It waits for what others do, until `isBlocked` is false again. */
  block(): void {
    this.isBlocked = true
    this.socket.blocked?.()
  }

  /** Channels and patterns together. */
  get subscriptions(): number {
    return this.subscriber?.count ?? 0
  }

  /** In RESP2 a subscriber may say little else. */
  get isSubscriber(): boolean {
    return this.respVersion === 2 && this.subscriptions > 0
  }
}

/** The keys that a connection watches. */
export interface Watches {
  /** Whether one of them is not what it was. */
  isTouched(places: OpenPlaces): Program<boolean>
  /** Forgets them. */
  end(): void
}
