// One client connection or HTTP caller, as the commands see it: its identity, its address, and
// whether it is still connected. Listeners create and close it; the handshake commands change its
// identity.

import type { MemoryAccount } from '../base/heap/memory-account.js'
import { ReplyRoom } from '../base/heap/reply-room.js'
import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Resource } from '../engine/types.js'
import { accountOf, anonymous, type Identity } from '../identity/identity.js'
import type { Login } from '../identity/sign-in/login.js'
import type { Document } from '../value/value.js'
import { memoryOwner } from './memory-owner.js'

/** Over HTTP a document and its whole text are held; SQL encodes rows one after the other. */
const httpCopies = 2

export type SessionProtocol = 'wire' | 'resp' | 'sql' | 'http' | 'internal'

interface SessionOptions {
  readonly protocol: SessionProtocol
  /** connectionId of hello, unique in this process; absent for an HTTP request. */
  readonly id?: number
  /** Address of the client, with the port of a connection. */
  readonly remoteAddress: string
  /** Anonymous by default. */
  readonly identity?: Identity
}

/** A command by its name in the table, with the resources that it was authorized for. */
export interface Declared {
  readonly command: string
  readonly db: string
  readonly resources: readonly Resource[]
}

/** A transaction of a logical session. */
export interface NamedTransaction {
  /** 16 bytes. */
  readonly sessionId: Uint8Array
  readonly number: number
}

/** LISTEN and NOTIFY of a session on the SQL port, for the SQL functions. */
export interface SessionChannels {
  readonly listening: readonly string[]
  /** The part of its queue that is in use, 0 to 1. */
  readonly usage: number
  /** Sends at the end of the transaction. Throws for names and payloads that are too long. */
  notify(channel: string, payload: string): void
}

export class Session {
  readonly protocol: SessionProtocol
  readonly id: number
  readonly remoteAddress: string
  identity: Identity
  private isClosed = false
  private account: Account | undefined
  private accountIdentity: Identity | undefined
  private waiting: Set<() => void> | undefined
  private making: ReplyRoom | undefined
  /** Closes the connection without a reply; absent if there is no connection. */
  hangUp: (() => void) | undefined = undefined
  /** The sign-in in progress on this connection. */
  conversation: Login | undefined = undefined
  /** Undefined on other protocols. */
  channels: SessionChannels | undefined = undefined
  /** Tells the value of a setting, undefined for an unknown one; absent on other protocols. */
  settingOf: ((name: string) => string | undefined) | undefined = undefined
  authFailures = 0
  /** Id of the HTTP request in the log. */
  requestId: string | undefined = undefined
  /** Called before each command, with what it declares. */
  witness: ((declared: Declared) => void) | undefined = undefined
  /** The transaction of its commands, if their fields do not name one: for an HTTP request. */
  transaction: NamedTransaction | undefined = undefined
  /** The `client` document of the first hello. */
  clientMetadata: Document | undefined = undefined
  /** Compressors agreed in hello. */
  compression: readonly string[] = []

  constructor(options: SessionOptions) {
    this.protocol = options.protocol
    this.id = options.id ?? 0
    this.remoteAddress = options.remoteAddress
    this.identity = options.identity ?? anonymous
  }

  /** Address of the client without the port; limits count by it. */
  get address(): string {
    const { remoteAddress, protocol } = this
    return protocol === 'http'
      ? remoteAddress
      : remoteAddress.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  }

  /** The account of its commands, for the identity at their arrival. */
  accountOf(scheduler: Scheduler): Account {
    const { account, identity } = this
    if (account !== undefined && this.accountIdentity === identity) return account
    const made = scheduler.of(workOwner(identity, this.remoteAddress))
    this.accountIdentity = identity
    this.account = made
    return made
  }

  /** Counts the reply that its commands are making; made for the first large value. */
  replyRoom(memory: MemoryAccount): ReplyRoom {
    if (this.making !== undefined) return this.making
    const copies = this.protocol === 'http' ? httpCopies : 1
    this.making = new ReplyRoom(memory, memoryOwner(this.identity, this.address), copies)
    // A command that ends after its client has left makes a reply that is not sent.
    if (this.isClosed && !this.isCountedToTheEnd) this.making.close()
    return this.making
  }

  /** Key-value commands that have begun end, and hold what they count until then. */
  private get isCountedToTheEnd(): boolean {
    return this.protocol === 'resp'
  }

  /** Bytes that count for further copies of the reply. */
  get copyBytes(): number {
    return this.making?.copyBytes ?? 0
  }

  /** Its listener has the reply, and counts what is unsent. */
  replied(): void {
    if (this.making === undefined) return
    this.making.close()
    this.making = undefined
  }

  /** Set by the listener when the client disconnects; running commands end at their next pause. */
  get closed(): boolean {
    return this.isClosed
  }

  set closed(closed: boolean) {
    this.isClosed = closed
    if (!closed) return
    if (!this.isCountedToTheEnd) this.making?.close()
    for (const tell of this.waiting ?? []) tell()
  }

  /** Calls `tell` when the client disconnects; the returned function stops this. */
  whenClosed(tell: () => void): () => void {
    const waiting = this.waiting ?? new Set()
    this.waiting = waiting.add(tell)
    return () => {
      waiting.delete(tell)
    }
  }
}

/**
 * One owner stands for all keys and sessions of a wallet, or for a service user. Anonymous clients
 * are distinguished by address.
 */
function workOwner(identity: Identity, remoteAddress: string): string {
  const account = accountOf(identity)
  if (account !== undefined) return account
  if (identity.kind !== 'anonymous') return identity.kind
  const end = /^[^:]*:\d+$|\]:\d+$/.test(remoteAddress)
    ? remoteAddress.lastIndexOf(':')
    : remoteAddress.length
  return `${identity.kind} ${remoteAddress.slice(0, end)}`
}

/** One command from a client. */
export interface Message {
  readonly db: string
  /** The first field is the command. `validateDocument` has accepted it. */
  readonly body: Document
  /** Document sequences of the message, by identifier. */
  readonly sequences: ReadonlyMap<string, readonly Document[]>
  /** Begin of the transaction that it belongs to, milliseconds since 1970. */
  readonly begunAt?: number | undefined
  /** The reply is the single found document itself; `nothingFound` if there is none. */
  readonly takesDocument?: boolean
  /** Set if the client accepts further replies to the message, unasked. */
  readonly stream?: Stream
}

/** The replies to one message. The command decides after each whether another follows. */
interface Stream {
  /** Replies so far. */
  replies: number
  /** Another reply follows: the listener runs the message again. */
  continues: boolean
  /** Called if the client disconnects before that. */
  abandon: (() => void) | undefined
}
