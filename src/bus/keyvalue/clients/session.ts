// One key-value client: its database, protocol, transaction and name. Commands read and change it;
// the listener creates it and writes its pushes.

import type { ByteShare } from '../../../base/heap/byte-shares.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import type { Identity } from '../../../identity/identity.js'
import type { Program } from '../../../store/store.js'
import type { Statement } from '../../document/transactions/statement.js'
import { Session, type SessionProtocol } from '../../session.js'
import type { OpenPlaces } from '../programs/open-places.js'
import type { Reply } from '../reply.js'
import type { Subscriber } from './channels.js'

export type RespVersion = 2 | 3

/** The socket of a client, for everything except replies. */
export interface ClientSocket {
  /** Writes a message after the replies that came before it. */
  push(message: Reply): void
  /** Closes it after pending replies, or at once. */
  end(): void
  destroy(): void
  /** The client starts to wait for other clients. */
  blocked?(): void
}

interface KeyValueSessionOptions {
  readonly protocol: SessionProtocol
  readonly id: number
  /** `address:port` of the client and of the server. */
  readonly remoteAddress: string
  readonly local: string
  readonly identity: Identity
  /** Database 0 of its first space. */
  readonly place: Place
  /** Monotonic milliseconds. */
  readonly nowMs: number
  readonly socket: ClientSocket
}

/** The state between MULTI and EXEC; the executor keeps the commands. */
export class Multi {
  /** Number of queued commands. */
  size = 0
  /** Bytes of the queued words. */
  argumentBytes = 0
  /** Estimated memory of the queue. */
  bytes = 0
  /** The owner's share of memory, if the queue is not small. */
  room: ByteShare | undefined = undefined
  /** A command failed while queueing, so EXEC will fail. */
  isPoisoned = false
}

export class KeyValueSession extends Session {
  readonly local: string
  readonly socket: ClientSocket
  readonly createdMs: number
  /** Arrival of its last command, monotonic milliseconds. */
  lastMs: number
  /** Name of the command that arrived last; empty if it is unknown. */
  lastCommand = ''
  /** The selected key-value database: of its home, unless it named another space. */
  place: Place
  /** The protocol version of its replies from now on. */
  respVersion: RespVersion = 2
  /** Set by CLIENT SETNAME and SETINFO. */
  name = ''
  libName = ''
  libVersion = ''
  multi: Multi | undefined = undefined
  /** The share of memory of the queue that EXEC is running. */
  executing: ByteShare | undefined = undefined
  /** The state of WATCH, set by watched-keys.ts. */
  watches: Watches | undefined = undefined
  /** Its subscriptions; undefined before the first. */
  subscriber: Subscriber | undefined = undefined
  /** The transaction of the commands that run now. */
  statement: Statement | undefined = undefined
  isMonitor = false
  /** A command that made it listen has no reply yet: what is pushed comes after that. */
  isJoining = false
  /** Bytes of replies since the socket could last be written. */
  replyBytes = 0
  isBlocked = false
  /**
   * CLIENT REPLY. `skipNext` becomes `skip` after the command; `skip` omits one reply, then becomes
   * `on`.
   */
  replies: 'on' | 'off' | 'skip' | 'skipNext' = 'on'
  /** CLIENT NO-EVICT. */
  keepsBuffers = false
  /** Set by QUIT and CLIENT KILL: no further command runs. */
  isEnding = false
  /** Its identity before AUTH and after RESET. */
  readonly initial: Identity
  /** The identity that was checked last, and the result of that check. */
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

  /** Its identity as of the last check; each command and program checks again. */
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

  /** Starts to wait for other clients, until `isBlocked` is false again. */
  block(): void {
    this.isBlocked = true
    this.socket.blocked?.()
  }

  /** Number of channels and patterns. */
  get subscriptions(): number {
    return this.subscriber?.count ?? 0
  }

  /** Whether it is a subscriber in RESP2, which allows few other commands. */
  get isSubscriber(): boolean {
    return this.respVersion === 2 && this.subscriptions > 0
  }
}

/** The keys that a connection watches. */
export interface Watches {
  /** Whether one of the keys has changed. */
  isTouched(places: OpenPlaces): Program<boolean>
  /** Ends the watch. */
  end(): void
}
